/// What every command ends with, as help and manual tell. `run` and `with` have those of their command besides.
enum ExitStatus: Int32, CaseIterable {
  case success = 0
  case failure = 1
  /// As sysexits.h has it.
  case usage = 64

  /// In a word or two.
  var word: String {
    switch self {
    case .success: "success"
    case .failure: "failure"
    case .usage: "usage"
    }
  }

  var help: String {
    switch self {
    case .success: "What was asked for is done."
    case .failure: "It couldn't be done; standard error says why."
    case .usage: "The command line can't be understood; nothing was done."
    }
  }
}
