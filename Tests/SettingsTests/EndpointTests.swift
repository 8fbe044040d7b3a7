import Testing

@testable import Settings

@Suite struct EndpointTests {
  @Test(arguments: [
    ("127.0.0.1:0", "127.0.0.1", "0"), ("localhost:80", "localhost", "80"), (":8080", "", "8080"), ("", "", "0"),
    ("[::1]:80", "::1", "80"), ("[::]:0", "::", "0"), ("[fe80::1%eth0]:1", "fe80::1%eth0", "1"),
    ("127.0.0.1:http", "127.0.0.1", "http"), ("h:65535", "h", "65535"), ("h:", "h", "0"),
    ("[::ffff:127.0.0.1]:0", "::ffff:127.0.0.1", "0"), ("1password.com:443", "1password.com", "443"),
  ]) func reads(_ text: String, _ host: String, _ service: String) throws {
    #expect(try Endpoint(parsing: text) == Endpoint(host: host, service: service))
  }

  @Test(arguments: [
    Row("nonsense", "missing port in address"), Row("127.0.0.1", "missing port in address"),
    Row("127.0.0.1:99999", "invalid port"), Row("h:65536", "invalid port"), Row("h:-1", "invalid port"),
    Row("h:+1", "invalid port"), Row("h:8x", "invalid port"),
    Row("https://h", "a URL; write HOST:PORT, without https://"),
    Row("h:a/b", "invalid port"),
    Row("::1:0", "too many colons in address"),
    Row("a:b:c", "too many colons in address"), Row("http://h:80", "a URL; write HOST:PORT, without http://"),
    Row("postgres://h:5432/db", "a URL; write HOST:PORT, without postgres://"),
    Row("://h:1", "too many colons in address"),
    Row("[::1]", "missing port in address"),
    Row("[::1", "missing ']' in address"), Row("[::1]x:1", "missing port in address"),
    Row("[::1]:1:2", "too many colons in address"), Row("[[::1]:1", "unexpected '[' in address"),
    Row("a]:1", "unexpected bracket in address"), Row("127.1:0", "invalid IPv4 address"),
    Row("256.0.0.1:0", "invalid IPv4 address"), Row("01.2.3.4:0", "invalid IPv4 address"),
    Row("2130706433:0", "invalid IPv4 address"), Row("a b:1", "white space in address"),
  ]) func refuses(_ row: Row) {
    #expect(message { _ = try Endpoint(parsing: row.input) } == "address \(row.input): \(row.expected)")
  }

  @Test func messagesAreOneShortLine() {
    #expect(message { _ = try Endpoint(parsing: "h\n\0:1") } == "address h\\n\\u0000:1: white space in address")
    let long = message { _ = try Endpoint(parsing: String(repeating: "x", count: 100_000)) }
    #expect(long == "address " + String(repeating: "x", count: 60) + "…: missing port in address")
  }

  @Test(arguments: ["127.0.0.1:0", "[::1]:80", ":8080", "localhost:http"])
  func isWrittenAsItIsRead(_ text: String) throws {
    #expect(try Endpoint(parsing: text).description == text)
  }

  @Test func namedServicesHaveNoPort() {
    #expect(Endpoint(host: "h", service: "80").port == 80)
    #expect(Endpoint(host: "h", service: "http").port == nil)
  }
}
