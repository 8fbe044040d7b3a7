import Settings

/// Why a command ends without success.
enum CommandError: Error, Equatable {
  /// The command line can't be understood: exit 64, as sysexits.h has it.
  case usage(String, command: String?)
  /// What was asked for couldn't be done: exit 1.
  case failure(String)

  var exitCode: Int32 {
    switch self {
    case .usage: 64
    case .failure: 1
    }
  }

  var text: String {
    switch self {
    case .usage(let message, let command):
      "headwind: \(message)\nTry `headwind \(command.map { $0.isEmpty ? "" : "\($0) " } ?? "")--help`.\n"
    case .failure(let message): "headwind: \(message)\n"
    }
  }
}
