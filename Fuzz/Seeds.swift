/// Prints what the fuzzers start from, made of the tests' examples: TARGET HEX, one a line.
@main enum Seeds {
  static func main() {
    for text in Examples.requests { show("requests", text.wire) }
    for (methods, text) in Examples.responses { show("responses", [ResponseSeed.byte(methods)] + text.wire) }
    for bytes in Examples.socks { show("socks", bytes) }
  }

  private static func show(_ target: String, _ bytes: [UInt8]) {
    print(target, bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
  }
}
