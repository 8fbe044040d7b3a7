internal import CLibevent

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// The descendants of this process, for when they have to go. See proc_pid_children(5); on Linux only.
package enum ProcessTree {
  /// From now on descendants whose parent ends become children of this process, so that none gets out of sight.
  package static func keepOrphans() {
    #if os(Linux)
      headwind_become_subreaper()
    #endif
  }

  /// Ends all of them. Those that are being started meanwhile are found in the next round.
  /// - Parameter strangers: children that are none of ours, and stay, with all below them.
  static func killDescendants(except strangers: Set<Int32> = []) {
    for _ in 0..<20 {
      let found = descendants(of: getpid(), except: strangers)
      guard !found.isEmpty else { return }
      for process in found { kill(process, SIGKILL) }
      ThisProcess.pause(milliseconds: 1)
    }
  }

  static func signalDescendants(_ signal: Int32) {
    for process in descendants(of: getpid()) { kill(process, signal) }
  }

  /// Whether a process does anything yet: one that has ended, and only waits to be asked how, doesn't. (Linux; elsewhere
  /// it counts.)
  package static func isRunning(_ process: Int32) -> Bool {
    guard kill(process, 0) == 0 || errno == EPERM else { return false }
    #if os(Linux)
      // Those of other users may be hidden.
      return state(of: process) != "Z"
    #else
      return true
    #endif
  }

  static func descendants(of process: Int32, except strangers: Set<Int32> = []) -> [Int32] {
    var (found, next) = ([Int32](), [process])
    while let process = next.popLast() {
      let children = children(of: process).filter { !strangers.contains($0) }
      found += children
      next += children
    }
    return found
  }

  static func children(of process: Int32) -> [Int32] {
    #if os(Linux)
      guard let threads = opendir("/proc/\(process)/task") else { return [] }
      defer { closedir(threads) }
      var found: [Int32] = []
      while let entry = readdir(threads) {
        let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
          String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        guard let thread = Int32(name) else { continue }
        let text = wholeText(of: "/proc/\(process)/task/\(thread)/children")
        found += text.split(separator: " ").compactMap { Int32($0) }.filter { !isEnded($0) }
      }
      return found
    #else
      return []
    #endif
  }

  #if os(Linux)
    /// One that has ended stays listed until its parent has asked how.
    private static func isEnded(_ process: Int32) -> Bool { state(of: process).map { $0 == "Z" } ?? true }

    /// As proc_pid_stat(5) has it; nil when that can't be read.
    private static func state(of process: Int32) -> Character? {
      let text = wholeText(of: "/proc/\(process)/stat")
      guard let name = text.lastIndex(of: ")") else { return nil }
      return text[name...].dropFirst(2).first
    }

    private static func wholeText(of path: String) -> String {
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return "" }
      defer { SystemCall.close(descriptor) }
      var bytes: [UInt8] = []
      return withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { buffer in
        while true {
          let count = read(descriptor, buffer.baseAddress, buffer.count)
          guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
          bytes += buffer[..<count]
        }
      }
    }
  #endif
}
