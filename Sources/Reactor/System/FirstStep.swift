internal import CLibevent

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// How a child of this process comes to end with it: a process can only ask for that itself. So the child is first this
/// program again, which asks and then becomes the one that was wanted.
///
/// Linux only; elsewhere the child is started directly, and outlives a parent that is killed.
package enum FirstStep {
  /// What the first word is then. No command of this program has such a name.
  private static let word = "--become-the-command-of"
  static let path = "/proc/self/exe"

  /// The command line of the first step to `words`; nil where there is none.
  static func words(before words: [[CChar]]) -> [[CChar]]? {
    #if os(Linux)
      guard access(path, X_OK) == 0 else { return nil }
      return ["headwind", word, "\(getpid())"].map { Array($0.utf8CString) } + words
    #else
      return nil
    #endif
  }

  /// To be called before this process has done anything. Returns, unless this process is such a child.
  package static func takeIfAsked() {
    #if os(Linux)
      let words = CommandLine.arguments
      guard words.count >= 4, words[1] == word, let parent = Int32(words[2]) else { return }
      headwind_set_parent_death_signal(SIGKILL)
      // It may have ended before that.
      guard getppid() == parent else { ThisProcess.exit(128 + SIGKILL) }
      let command = CommandLine.unsafeArgv + 3
      execvp(command[0]!, command)
      let failure = ChildProcess.Failure(program: words[3], errno: errno)
      StandardError.write("headwind: \(failure)\n")
      ThisProcess.exit(failure.code)
    #endif
  }
}
