import Proxying
import Settings

/// Why a command ends without success.
enum CommandError: Error, Equatable {
  /// The command line can't be understood: exit 64, as sysexits.h has it.
  case usage(String, command: String?)
  /// What was asked for couldn't be done: exit 1.
  case failure(String)

  var exitCode: Int32 {
    switch self {
    case .usage: ExitStatus.usage.rawValue
    case .failure: ExitStatus.failure.rawValue
    }
  }

  var message: String {
    switch self {
    case .usage(let message, _), .failure(let message): message
    }
  }

  /// One line of JSON for programs, or a line or two for people.
  ///
  /// - Parameters:
  ///   - program: the name that it was started under.
  ///   - forJournal: whether journald reads it, which takes a line for an error by its priority only.
  func text(program: String = "headwind", asJSON: Bool = false, forJournal: Bool = false) -> String {
    if forJournal, !asJSON {
      return text(program: program).split(separator: "\n").map { "<\(LogLevel.error.priority)>\($0)\n" }.joined()
    }
    if asJSON { return JSON.object([("error", .string(message))]).text + "\n" }
    let message = message.withoutKnownProfiles.printable
    guard case .usage(_, let command) = self else { return "\(program): \(message)\n" }
    let name = command.map { $0.isEmpty ? "" : "\($0) " } ?? ""
    return "\(program): \(message)\nTry `headwind \(name)--help`.\n"
  }
}

extension String {
  /// The message about an unknown profile ends with all known ones. Where they are many, a few will do for people, and what
  /// lists the rest.
  fileprivate var withoutKnownProfiles: String {
    guard contains("unknown profile \""), let mark = ranges(of: "known: ").last else { return self }
    let names = self[mark.upperBound...].split(separator: ", ").map(String.init)
    guard names.count > 12 else { return self }
    let few = Command.demonstrated.filter(names.contains)
    return self[..<mark.upperBound] + few.map { "\($0), " }.joined()
      + "and \(names.count - few.count) more; see `headwind profiles`"
  }
}
