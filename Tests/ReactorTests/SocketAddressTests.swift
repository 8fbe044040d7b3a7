import Testing

@testable import Reactor

@Suite struct SocketAddressTests {
  @Test(arguments: [
    ("127.0.0.1", "127.0.0.1:80", true),
    ("0.0.0.0", "0.0.0.0:80", false),
    ("255.255.255.255", "255.255.255.255:80", false),
    ("::1", "[::1]:80", true),
    ("[::1]", "[::1]:80", true),
    ("::", "[::]:80", false),
    ("2001:db8:0:0:0:0:0:1", "[2001:db8::1]:80", false),
    ("::ffff:127.0.0.1", "127.0.0.1:80", true),
    ("::ffff:10.0.0.1", "10.0.0.1:80", false),
    ("fe80::1%7", "[fe80::1%7]:80", false),
  ])
  func literals(_ literal: String, _ description: String, _ isLoopback: Bool) throws {
    let address = try #require(SocketAddress(literal: literal, port: 80))
    #expect("\(address)" == description)
    #expect(address.isLoopback == isLoopback)
    let copy = address.withSockaddr { SocketAddress($0, length: $1) }
    #expect(copy == address)
  }

  @Test(arguments: [
    "", "localhost", "127.1", "1.2.3.4.5", "256.0.0.1", "[]", "[::1", ":::1", "fe80::1%", "fe80::1%no-such-device",
    "1.2.3.4\0x",
    "127.0.0.1:80", " 127.0.0.1",
  ])
  func notLiterals(_ text: String) {
    #expect(SocketAddress(literal: text, port: 80) == nil)
  }

  @Test func portAndFamilyCount() throws {
    let four = try #require(SocketAddress(literal: "127.0.0.1", port: 1))
    let mapped = try #require(SocketAddress(literal: "::ffff:127.0.0.1", port: 1))
    #expect(four != mapped)
    #expect(four.family == .ipv4 && mapped.family == .ipv6)
    #expect(four != four.withPort(2))
    #expect(four.withPort(2).port == 2)
  }
}
