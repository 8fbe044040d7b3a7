import Testing

@testable import Proxying
@testable import Reactor

@Suite struct BindingTests {
  @Test(arguments: [
    // asked for, bound already, same
    ("127.0.0.1:80", "127.0.0.1:80", true), ("127.0.0.1:0", "127.0.0.1:80", true),
    ("localhost:80", "127.0.0.1:80", true), ("127.0.0.1:81", "127.0.0.1:80", false),
    ("127.0.0.2:80", "127.0.0.1:80", false), ("[::1]:80", "127.0.0.1:80", false),
    ("[::ffff:127.0.0.1]:80", "127.0.0.1:80", true), ("127.0.0.1:http", "127.0.0.1:80", true),
    (":80", "[::]:80", true), ("0.0.0.0:80", "[::]:80", true), ("[::]:80", "[::]:80", true),
    (":80", "0.0.0.0:80", true), ("", "[::]:80", true), (":0", "[::]:80", true), (":81", "[::]:80", false),
    (":80", "127.0.0.1:80", false), ("127.0.0.1:80", "[::]:80", false), ("[::1]:0", "[::1]:80", true),
  ])
  func comparesWhatWouldBeBound(_ text: String, _ bound: String, _ expected: Bool) throws {
    let bench = try Bench()
    let binding = try bench.resolve([text])[0].get()
    let colon = try #require(bound.lastIndex(of: ":"))
    let port = try #require(UInt16(bound[bound.index(after: colon)...]))
    let address = try #require(SocketAddress(literal: String(bound[..<colon]), port: port))
    #expect(binding.isServed(by: address) == expected)
  }

  @Test(arguments: [
    ("nonsense", "listen tcp: address nonsense: missing port in address"),
    ("127.0.0.1", "listen tcp: address 127.0.0.1: missing port in address"),
    ("127.0.0.1:99999", "listen tcp: address 127.0.0.1:99999: invalid port"),
    ("127.1:0", "listen tcp: address 127.1:0: invalid IPv4 address"),
    ("::1:0", "listen tcp: address ::1:0: too many colons in address"),
  ])
  func refusesWhatIsNoAddress(_ text: String, _ expected: String) throws {
    let found = try Bench().resolve([text])[0]
    #expect(found == .failure(.cannotListen(expected)))
  }

  @Test func anUnknownNameFailsAndTheOthersDont() throws {
    let found = try Bench().resolve(["127.0.0.1:0", "no-such-host.invalid:0", ":0"])
    #expect(message { _ = try found[0].get() } == "(no error)")
    #expect(message { _ = try found[1].get() }.hasPrefix("listen tcp: lookup no-such-host.invalid:0"))
    #expect(message { _ = try found[2].get() } == "(no error)")
  }

  @Test func nothingToResolveIsResolvedAtOnce() throws {
    var found: Int?
    let bench = try Bench()
    bench.registry.resolve([]) { found = $0.count }
    #expect(found == 0)
  }

  /// As many as a body may name; it was a matter of their square once, and took seconds.
  @Test func manyAreResolvedInTimeInProportion() throws {
    let bench = try Bench()
    let clock = ContinuousClock()
    func time(_ count: Int) throws -> Duration {
      let texts = Array(repeating: "127.0.0.1:0", count: count)
      return try clock.measure { _ = try bench.resolve(texts) }
    }
    let few = try time(1_000)
    #expect(try time(16_000) < few * 80 + .milliseconds(200))
  }
}
