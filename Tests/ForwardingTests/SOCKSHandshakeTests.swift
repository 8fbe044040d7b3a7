@testable import Forwarding
import Testing

@Suite struct SOCKSHandshakeTests {
  private static let hello: [UInt8] = [5, 1, 0]

  private func last(_ bytes: [UInt8]) -> SOCKSHandshake.Step? {
    let run = run(SOCKSHandshake(), bytes)
    #expect(run.isSound)
    return run.steps.last
  }

  private func connect(_ address: [UInt8], port: [UInt8] = [0x1F, 0x90]) -> [UInt8] {
    Self.hello + [5, 1, 0] + address + port
  }

  /// The handshake after `bytes`, and its last step.
  private func after(_ bytes: [UInt8]) -> (SOCKSHandshake, SOCKSHandshake.Step) {
    var handshake = SOCKSHandshake()
    var offset = 0
    while true {
      let (consumed, step) = handshake.receive(bytes.span.bytes, from: offset)
      offset += consumed
      if case .reply = step { continue }
      return (handshake, step)
    }
  }

  static let addresses: [([UInt8], String)] = [
    ([1, 192, 0, 2, 1], "192.0.2.1"), ([3, 11] + Array("Example.COM".utf8), "example.com"),
    ([3, 3] + Array("::1".utf8), "::1"), ([3, 9] + Array("127.0.0.1".utf8), "127.0.0.1"),
    ([4] + [UInt8](repeating: 0, count: 15) + [1], "::1"), ([4] + [UInt8](repeating: 0, count: 16), "::"),
    ([4, 0x20, 1, 0x0D, 0xB8, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1], "2001:db8::1:0:0:1"),
    ([4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 192, 0, 2, 1], "192.0.2.1"),
    ([4, 0x20, 1, 0, 0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6], "2001:0:1:2:3:4:5:6"),
    ([3, 255] + Array(String(repeating: "a", count: 255).utf8), String(repeating: "a", count: 255)),
  ]

  @Test(arguments: addresses) func socks5NamesATarget(address: [UInt8], host: String) {
    let bytes = connect(address)
    let run = run(SOCKSHandshake(), bytes + [0x16, 3, 1])
    #expect(run.steps == [.reply([5, 0]), .connect(Target(host: host, port: 8080))])
    #expect(run.consumed == bytes.count, "what follows belongs to the tunnel")
  }

  @Test func socks4NamesATarget() {
    let target = Target(host: "192.0.2.1", port: 80)
    #expect(last([4, 1, 0, 80, 192, 0, 2, 1, 0]) == .connect(target))
    #expect(last([4, 1, 0, 80, 0, 0, 0, 0, 0]) == .connect(Target(host: "0.0.0.0", port: 80)))
    let bytes: [UInt8] = [4, 1, 0, 80, 192, 0, 2, 1] + Array("me".utf8) + [0]
    let run = run(SOCKSHandshake(), bytes + [0x47, 0])
    #expect(run.steps == [.connect(target)] && run.consumed == bytes.count)
  }

  @Test func socks4aNamesAHost() {
    let bytes: [UInt8] = [4, 1, 0x1F, 0x90, 0, 0, 0, 7, 0x6D, 0] + Array("A.example".utf8) + [0]
    let run = run(SOCKSHandshake(), bytes + [0x47, 0])
    #expect(run.steps == [.connect(Target(host: "a.example", port: 8080))] && run.consumed == bytes.count)
  }

  @Test func answersAreThoseOfTheVersion() {
    let (five, _) = after(connect([1, 192, 0, 2, 1]))
    #expect(five.granted() == [5, 0, 0, 1, 0, 0, 0, 0, 0, 0])
    #expect(five.refusal(Refusal(.denied, "")) == [5, 2, 0, 1, 0, 0, 0, 0, 0, 0])
    let (four, _) = after([4, 1, 0, 80, 192, 0, 2, 1, 0])
    #expect(four.granted() == [0, 90, 0, 0, 0, 0, 0, 0])
    #expect(four.refusal(Refusal(.timedOut, "")) == [0, 91, 0, 0, 0, 0, 0, 0])
  }

  static let codes: [(Refusal.Kind, UInt8)] = [
    (.denied, 2), (.networkUnreachable, 3), (.hostUnreachable, 4), (.unresolvable, 4), (.refused, 5), (.offline, 5),
    (.timedOut, 6), (.unsupported, 7), (.loop, 1), (.badAnswer, 1), (.malformed, 1), (.tooLarge, 1), (.tooSlow, 1),
  ]

  @Test(arguments: codes) func everyKindHasItsCode(kind: Refusal.Kind, code: UInt8) {
    #expect(Set(Self.codes.map(\.0)) == Set(Refusal.Kind.allCases))
    #expect(after(connect([1, 192, 0, 2, 1])).0.refusal(Refusal(kind, ""))[1] == code)
  }

  private static func name(_ text: String) -> [UInt8] { [3, UInt8(text.utf8.count)] + Array(text.utf8) }

  static let refused: [([UInt8], answer: [UInt8], String)] = [
    ([5, 1, 2], [5, 0xFF], "authenticate"), ([5, 0], [5, 0xFF], "authenticate"),
    (hello + [4], reply(1), "version 4"), (hello + [5, 2, 0, 1, 1, 1, 1, 1, 0, 80], reply(7), "BIND"),
    (hello + [5, 3, 0, 1, 1, 1, 1, 1, 0, 80], reply(7), "UDP ASSOCIATE"),
    (hello + [5, 9, 0, 1, 1, 1, 1, 1, 0, 80], reply(7), "command 9"), (hello + [5, 1, 0, 2], reply(8), "type 2"),
    (hello + [5, 1, 0, 1, 1, 1, 1, 1, 0, 0], reply(1), "port 0"),
    (hello + [5, 1, 0, 3, 0, 0, 80], reply(1), "names no host"),
    (hello + [5, 1, 0] + name("a b") + [0, 80], reply(1), "'a b'"),
    (hello + [5, 1, 0] + name("a\u{0}b") + [0, 80], reply(1), "a\\x00b"),
    (hello + [5, 1, 0] + name("h:80") + [0, 80], reply(1), "IPv6"),
    (hello + [5, 1, 0] + name("127.1") + [0, 80], reply(1), "four decimal"),
    ([4, 2, 0, 80, 1, 1, 1, 1, 0], [0, 91, 0, 0, 0, 0, 0, 0], "BIND"),
    ([4, 1, 0, 0, 1, 1, 1, 1, 0], [0, 91, 0, 0, 0, 0, 0, 0], "port 0"),
    ([4, 1, 0, 80, 0, 0, 0, 1, 0, 0], [0, 91, 0, 0, 0, 0, 0, 0], "names no host"),
    ([4, 1, 0, 80, 1, 1, 1, 1] + [UInt8](repeating: 0x61, count: 256), [0, 91, 0, 0, 0, 0, 0, 0], "255 bytes"),
    ([6], [], "version 6"), ([0], [], "version 0"), ([0x16], [], "TLS"), (Array("GET".utf8), [], "HTTP"),
  ]

  private static func reply(_ code: UInt8) -> [UInt8] { [5, code, 0, 1, 0, 0, 0, 0, 0, 0] }

  @Test(arguments: refused) func theRestIsRefused(bytes: [UInt8], answer: [UInt8], words: String) throws {
    let (handshake, step) = after(bytes)
    guard case .refused(let refusal) = step else { throw UnexpectedStep(step: "\(step)") }
    #expect(refusal.reason.contains(words), "\(refusal.reason)")
    #expect(handshake.refusal(refusal) == answer)
  }

  @Test func theLastStepComesAgain() {
    var (handshake, step) = after(connect([1, 192, 0, 2, 1]))
    let again = handshake.receive([1, 2, 3].span.bytes, from: 0)
    #expect(again.consumed == 0 && again.step == step)
  }
}
