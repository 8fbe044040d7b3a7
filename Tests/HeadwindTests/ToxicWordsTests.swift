import Settings
import Testing

@testable import headwind

/// What the words of a command line become in a body.
struct ToxicWordsTests {
  @Test(
    arguments: [
      ("100", .integer(100)), ("-5", .integer(-5)), ("+5", .integer(5)), ("1e3", .integer(1000)),
      ("100.0", .integer(100)),
      ("1.5", .number(1.5)), ("1e-3", .number(0.001)), ("9223372036854775807", .integer(.max)),
      ("18446744073709551615", .unsigned(.max)), ("reset", "reset"), ("", ""), ("nan", "nan"), ("inf", "inf"),
      ("0x10", "0x10"), ("0x1p3", "0x1p3"), ("1e999", "1e999"), ("100ms", "100ms"), ("true", "true"), ("1,5", "1,5"),
      ("e", "e"), ("-", "-"), (" 5", " 5"),
    ] as [(String, JSON)])
  func numbersAreNumbersAndTheRestText(text: String, value: JSON) {
    #expect(ToxicWords.value(text) == value)
  }

  private func attributes(_ words: [String], of type: String) throws(CommandError) -> JSON? {
    let (command, rest) = try Command.find(["toxics", "add", "web"] + words)
    let arguments = try Arguments(rest, for: command)
    return try ToxicWords(arguments).attributes(arguments.operands.dropFirst(), of: type)
  }

  @Test func optionsAndOperandsAreTheSame() throws {
    let both: JSON = ["latency": 100, "jitter": 20]
    #expect(try attributes(["latency=100", "jitter=20"], of: "latency") == both)
    #expect(try attributes(["-a", "latency=100", "-a", "jitter=20"], of: "latency") == both)
    #expect(try attributes(["--attribute=latency=100", "jitter=20"], of: "latency") == both)
    #expect(try attributes([], of: "latency") == nil)
    #expect(try attributes(["to=a=b"], of: "teleport") == ["to": "a=b"])
  }

  static let mistakes: [(words: [String], type: String, says: String)] = [
    (["latency"], "latency", #""latency" is no attribute; allowed: KEY=VALUE, such as latency=100"#),
    (["-a", "=5"], "latency", #""=5" is no attribute"#), (["-a", ""], "latency", #""" is no attribute"#),
    (["latncy=5"], "latency", #"latency has no attribute "latncy"; did you mean "latency"? known: latency, jitter"#),
    (["rate=5"], "latency", #"latency has no attribute "rate"; known: latency, jitter"#),
    (["x=5"], "noop", #"noop has no attribute "x"; it has none"#),
    (["latency=1", "-a", "latency=2"], "latency", "attribute latency is given twice"),
  ]

  @Test(arguments: mistakes)
  func aMistakeIsNamed(words: [String], type: String, says: String) {
    let error = #expect(throws: CommandError.self) { _ = try attributes(words, of: type) }
    #expect(error?.message.hasPrefix(says) == true, "\(String(describing: error))")
    #expect(error?.exitCode == 64)
  }
}
