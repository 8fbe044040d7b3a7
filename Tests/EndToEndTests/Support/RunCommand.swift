import Foundation
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// `headwind run` with a command in bash, as the tests need it again and again.
enum RunCommand {
  /// Sends a line to the proxy `p` and wants it back.
  static let echo = """
    exec 3<>"/dev/tcp/${HEADWIND_PROXY_P%:*}/${HEADWIND_PROXY_P##*:}" && echo hello >&3 && read -r line <&3 \
      && [ "$line" = hello ]
    """

  static func words(_ options: [String], _ script: String) -> [String] {
    ["run"] + options + ["--", "/bin/bash", "-c", script]
  }

  /// To the end.
  static func run(
    _ options: [String] = [], _ script: String, environment: [String: String] = [:]
  ) throws -> Program.Result {
    try Program.run(words(options, script), environment: environment)
  }

  /// Until it has written a line, which is what is given.
  static func start(
    _ options: [String] = [], _ script: String, environment: [String: String] = [:]
  ) throws -> (program: Program, words: [String]) {
    let program = try Program(Program.headwind, words(options, script), environment: environment)
    return (program, try firstLine(of: program))
  }

  static func firstLine(of program: Program) throws -> [String] {
    let isThere = eventually(within: .seconds(20)) { program.output.contains("\n") || program.ended() != nil }
    try #require(isThere && program.output.contains("\n"), "\(program.errors)")
    return program.output.prefix { $0 != "\n" }.split(separator: " ").map(String.init)
  }

  /// Whether a process is there; one that waits for its parent to ask how it ended is not.
  static func isAlive(_ process: Int32) -> Bool {
    guard kill(process, 0) == 0 else { return false }
    #if os(Linux)
      let status = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
      return status.last.map { _ in !status.contains(") Z ") } ?? false
    #else
      return true
    #endif
  }

  static func isListening(_ address: Address) -> Bool { (try? Connection(to: address)) != nil }
}
