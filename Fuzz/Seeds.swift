/// Prints what the fuzzers start from, made of the tests' examples: TARGET HEX, one a line.
@main enum Seeds {
  static func main() {
    for text in Examples.requests { show("requests", text.wire) }
    for (methods, text) in Examples.responses { show("responses", [ResponseSeed.byte(methods)] + text.wire) }
    for bytes in Examples.socks { show("socks", bytes) }
    for text in Documents.all { show("json", Array(text.utf8)) }
    for text in Documents.configs { show("config", Array(text.utf8)) }
    for text in Documents.profiles { show("profile", Array(text.utf8)) }
    for text in Documents.toxics + toxics { show("toxic", Array(text.utf8)) }
    for calls in ControlSeeds.all { show("control", Array(calls.joined(separator: "\0").utf8)) }
  }

  private static let toxics = [
    #"{"type":"bandwidth","attributes":{"rate":30}}"#,
    #"{"type":"slicer","attributes":{"average_size":100,"size_variation":10,"delay":10}}"#,
    #"{"type":"drop","attributes":{"probability":0.3,"per":"exchange","how":"reset"}}"#,
    #"{"type":"timeout","attributes":{"timeout":100},"after_bytes":9}"#,
    #"{"type":"reset_peer","attributes":{"timeout":1}}"#, #"{"type":"limit_data","attributes":{"bytes":5000}}"#,
    #"{"type":"slow_close","attributes":{"delay":10}}"#, #"{"type":"stall","attributes":{"for_ms":10},"after_ms":5}"#,
  ]

  private static func show(_ target: String, _ bytes: [UInt8]) {
    print(target, bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
  }
}
