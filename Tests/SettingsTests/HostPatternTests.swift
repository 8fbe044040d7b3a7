import Forwarding
import Testing

@testable import Settings

@Suite struct HostPatternTests {
  /// A pattern, with `HOST PORT` that it matches, or doesn't.
  static let matches: [(pattern: String, yes: [String], no: [String])] = [
    (
      "example.com", ["example.com 80", "EXAMPLE.com. 443"], ["www.example.com 80", "example.co 80", "xexample.com 80"]
    ),
    ("Example.COM.", ["example.com 80"], ["example.com.x 80"]),
    (
      "*.example.com", ["www.example.com 80", "a.b.EXAMPLE.com. 80"],
      ["example.com 80", "wwwexample.com 80", "www.example.com.evil 80"]
    ),
    ("*", ["anything 1", "10.0.0.1 2", "::1 3"], []),
    ("*:25", ["a 25", "::1 25"], ["a 26"]),
    ("example.com:443", ["example.com 443"], ["example.com 80"]),
    ("api-*.test", ["api-1.test 80", "api-.test 80", "api-a.b.test 80"], ["api.test 80", "xapi-1.test 80"]),
    ("a*b*a", ["aba 1", "abba 1", "axbxa 1"], ["ab 1", "aa 1", "abab 1"]), ("a**a", ["aa 1", "aba 1"], ["a 1"]),
    ("*ana*", ["banana 1", "ana 1"], ["anna 1"]), ("*aab*", ["aaab 1"], ["abab 1"]),
    ("10.0.0.0/8", ["10.1.2.3 80", "::ffff:10.1.2.3 80"], ["11.0.0.1 80", "10.example.com 80", "::a01:203 80"]),
    ("10.0.0.0/8:443", ["10.1.2.3 443"], ["10.1.2.3 80"]),
    ("127.0.0.1", ["127.0.0.1 1"], ["127.0.0.2 1", "localhost 1"]),
    ("10.*", ["10.1.2.3 80"], ["110.1.2.3 80"]),
    ("::1", ["::1 80", "0:0:0:0:0:0:0:1 80"], ["::2 80", "1 80"]), ("[::1]:80", ["::1 80"], ["::1 81"]),
    ("[fd00::/8]:443", ["fd12::1 443"], ["fd12::1 80", "fe80::1 443"]),
    ("fe80::/10", ["fe80::1%eth0 80", "FEBF::1 80"], ["fec0::1 80"]),
    ("::/0", ["::1 80", "2001:db8::1 80"], ["10.0.0.1 80", "::ffff:10.0.0.1 80"]),
    ("0.0.0.0/0", ["1.2.3.4 1"], ["::1 1"]),
    ("::ffff:10.0.0.0/104", ["10.9.9.9 80"], ["11.0.0.0 80"]), ("_dmarc.example.com", ["_dmarc.example.com 1"], []),
    ("xn--bcher-kva.example", ["XN--bcher-kva.example 1"], ["bücher.example 1"]),
  ]

  @Test(arguments: matches)
  func matchesWhatItNames(pattern: String, yes: [String], no: [String]) throws {
    let pattern = try HostPattern(parsing: pattern)
    for (rows, wanted) in [(yes, true), (no, false)] {
      for row in rows {
        let parts = row.split(separator: " ")
        let port = try #require(UInt16(parts[1]))
        #expect(pattern.matches(host: String(parts[0]), port: port) == wanted, "\(pattern): \(row)")
      }
    }
  }

  @Test(arguments: [
    Row("", "no host"), Row(":80", "no host"), Row("a b", "a character that no host name has"),
    Row("http://a.b/", "a URL, of which only the host is wanted"), Row("a.b/8", "not an IP address"),
    Row("a/b=c", "not an IP address"), Row("a..b", "an empty part between dots"),
    Row(".example.com", "an empty part between dots"), Row("a:0", "the port is not a number from 1 to 65535"),
    Row("a:65536", "the port is not a number from 1 to 65535"), Row("a:", "the port is not a number from 1 to 65535"),
    Row("a:+1", "the port is not a number from 1 to 65535"), Row("a:*", "the port is not a number from 1 to 65535"),
    Row("127.1", "not an IPv4 address"), Row("256.0.0.1", "not an IPv4 address"), Row("1", "not an IPv4 address"),
    Row("10.0.0.0/33", "the prefix length is not a number from 0 to 32"),
    Row("fd00::/129", "the prefix length is not a number from 0 to 128"),
    Row("10.0.0.0/", "the prefix length is not a number from 0 to 32"),
    Row("10.0.0.0/-1", "the prefix length is not a number from 0 to 32"),
    Row("10.1.0.0/8", "the address has bits behind its first 8"), Row("::1::2", "not an IPv6 address"),
    Row("1:2:3", "not an IPv6 address"), Row("[::1", "brackets are not around an IPv6 address"),
    Row("[a]:1", "brackets are not around an IPv6 address"), Row("[::1]1", "brackets are not around an IPv6 address"),
    Row("a]", "brackets are not around an IPv6 address"),
    Row("bücher.de", "not ASCII; such names are asked for in their xn-- form"),
    Row("\u{212A}.com", "not ASCII; such names are asked for in their xn-- form"),
  ])
  func refuses(_ row: Row) {
    #expect(
      message { _ = try HostPattern(parsing: row.input) }
        == "is \(JSON.string(row.input).text): \(row.expected); allowed: \(HostPattern.allowed)")
  }

  @Test func whatIsTooLongIsRefusedInOneShortLine() {
    let text = message { _ = try HostPattern(parsing: String(repeating: "x", count: 100_000)) }
    #expect(text.count < 300 && text.contains("longer than 253 bytes"))
  }

  /// Against the simplest that there is, which may take its time.
  @Test func globsMatchAsTheObviousDoes() {
    func obvious(_ pattern: ArraySlice<UInt8>, _ text: ArraySlice<UInt8>) -> Bool {
      guard let first = pattern.first else { return text.isEmpty }
      if first == UInt8(ascii: "*") {
        return obvious(pattern.dropFirst(), text) || (!text.isEmpty && obvious(pattern, text.dropFirst()))
      }
      return text.first == first && obvious(pattern.dropFirst(), text.dropFirst())
    }
    var dice = Dice(state: 4)
    func random(_ letters: String, _ count: Int) -> [UInt8] {
      (0..<Int.random(in: 0...count, using: &dice)).map { _ in letters.utf8.randomElement(using: &dice) ?? 0 }
    }
    var found = 0
    for _ in 0..<20_000 {
      let (pattern, text) = (random("ab*", 8), random("ab", 10))
      let wanted = obvious(pattern[...], text[...])
      found += wanted ? 1 : 0
      #expect(Glob(pattern).matches(text) == wanted, "\(String(decoding: pattern, as: UTF8.self))")
    }
    #expect(found > 1_000)
  }

  /// A way back at each star would take years.
  @Test func manyStarsTakeNoTime() {
    let glob = Glob(String(repeating: "*a", count: 120).utf8)
    #expect(!glob.matches(Array(String(repeating: "a", count: 100_000).utf8) + [UInt8(ascii: "b")]))
    let almost = Glob(("*" + String(repeating: "a", count: 5_000) + "b*").utf8)
    #expect(!almost.matches(Array(String(repeating: "a", count: 100_000).utf8)))
  }

  // MARK: Addresses

  @Test(arguments: [
    "", ":", ":::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7::8:9", "::12345", "::g", "1.2.3", "1.2.3.4.5",
    "01.2.3.4", "1.2.3.+4", "1.2.3.256", "::1.2.3", "1.2.3.4::", ":1::", "::1:", "1::2::3", " ::1", "::1 ",
    "0x7f.0.0.1",
  ])
  func whatIsNoAddressIsNone(_ text: String) {
    #expect(IPAddress(text) == nil, "\(text)")
  }

  @Test(arguments: [
    Row("::", "0"), Row("::1", "1"), Row("1::", "10000000000000000000000000000"),
    Row("2001:db8::ff00:42:8329", "20010db8000000000000ff0000428329"), Row("1.2.3.4", "ffff01020304"),
    Row("::ffff:1.2.3.4", "ffff01020304"), Row("64:ff9b::1.2.3.4", "64ff9b000000000000000001020304"),
    Row("1:2:3:4:5:6:7:8", "10002000300040005000600070008"), Row("1:2:3:4:5:6:7::", "10002000300040005000600070000"),
  ])
  func addressesAreRead(_ row: Row) {
    let value = UInt128(row.expected, radix: 16)
    #expect(IPAddress(row.input)?.bits == value, "\(String(IPAddress(row.input)?.bits ?? 0, radix: 16))")
  }

  @Test func networksTellTheirMask() throws {
    #expect(try IPNetwork(parsing: "10.0.0.0/8").ipv4AddressAndMask! == ("10.0.0.0", "255.0.0.0"))
    #expect(try IPNetwork(parsing: "0.0.0.0/0").ipv4AddressAndMask! == ("0.0.0.0", "0.0.0.0"))
    #expect(try IPNetwork(parsing: "1.2.3.4").ipv4AddressAndMask! == ("1.2.3.4", "255.255.255.255"))
    #expect(try IPNetwork(parsing: "::1").ipv4AddressAndMask == nil)
    #expect(
      message { _ = try IPNetwork(parsing: "example.com") }
        == "is \"example.com\": not an IP address; allowed: \(IPNetwork.allowed)")
    #expect(message { _ = try IPNetwork(parsing: "fe80::1%eth0") }.hasPrefix("is \"fe80::1%eth0\": not an IP address"))
  }
}
