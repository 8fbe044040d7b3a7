internal import CLibevent

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// How a child of this process comes to end with it: a process can only ask for that itself. So the child is first this
/// program again, which becomes the ``Guardian`` of the one that was wanted; and so is the guardian's, which asks to end
/// with that and then becomes the one.
///
/// Linux only; elsewhere the child is started directly, and outlives a parent that is killed.
package enum FirstStep {
  /// What the first word is then. No command of this program has such a name.
  private static let (guards, becomes) = ("--guard-the-command-of", "--become-the-command-of")
  static let path = "/proc/self/exe"

  /// The command line of the guardian of `words`; nil where there is none.
  static func guarding(_ words: [[CChar]]) -> [[CChar]]? {
    #if os(Linux)
      return access(path, X_OK) == 0 ? step(guards, words) : nil
    #else
      return nil
    #endif
  }

  /// The command line of what becomes `words`.
  static func becoming(_ words: [[CChar]]) -> [[CChar]] { step(becomes, words) }

  private static func step(_ word: String, _ words: [[CChar]]) -> [[CChar]] {
    ["headwind", word, "\(getpid())"].map { Array($0.utf8CString) } + words
  }

  /// To be called before this process has done anything. Returns, unless this process is such a child.
  package static func takeIfAsked() {
    #if os(Linux)
      let words = CommandLine.arguments
      guard words.count >= 4, [guards, becomes].contains(words[1]), let parent = Int32(words[2]) else { return }
      if words[1] == guards { Guardian.run(parent: parent, words: ThisProcess.lastWords(words.count - 3)) }
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
