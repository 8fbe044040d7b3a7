import Settings
import Testing

@testable import headwind

/// Events as lines for people.
struct EventTextTests {
  static let lines: [(event: String, line: String)] = [
    (
      #"{"id":7,"at":"T","type":"session_opened","proxy":"web","session":3,"number":2,"client":"127.0.0.1:5"}"#,
      "T      7  session_opened    web #3  number=2 client=127.0.0.1:5\n"
    ),
    (#"{"id":123456,"at":"T","type":"reset"}"#, "T  123456  reset           \n"),
    (
      #"{"id":1,"at":"T","type":"profile_switched","from":"none","to":"3g","reverts_at":null}"#,
      "T      1  profile_switched  from=none to=3g reverts_at=null\n"
    ),
    // What isn't known here, and what would steer a terminal or move words.
    (
      #"{"id":1,"at":"T","type":"meteor","proxy":"a\n\u001b[31mb","size":1.5,"words":"two words","none":"","a":"x=y"}"#,
      #"T      1  meteor            a\n\u{1B}[31mb  size=1.5 words="two words" none="" a="x=y""# + "\n"
    ),
    (
      #"{"id":1,"at":"T","type":"dial_failed","proxy":"web","session":1,"reason":"é\n"}"#,
      #"T      1  dial_failed       web #1  reason="é\n""# + "\n"
    ),
    (
      #"{"id":1,"at":"T","type":"toxic_added","proxy":"web","toxic":{"name":"t","type":"latency","stream":"upstream","toxicity":1,"attributes":{"latency":100,"jitter":0}}}"#,
      "T      1  toxic_added       web  toxic=t (latency upstream, 100 ms)\n"
    ),
    (#"{"later":true}"#, "-      -  -                 later=true\n"),
  ]

  @Test(arguments: lines)
  func anEventIsOneLine(event: String, line: String) throws {
    #expect(EventText(try JSONReader.read(event.utf8, dialect: .lenient)).line == line)
  }
}
