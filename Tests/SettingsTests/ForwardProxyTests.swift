import Testing

@testable import Settings

/// Forward proxies in config files and in bodies of the classic API.
@Suite struct ForwardProxyTests {
  private func config(_ text: String) throws -> Config { try Config(text: text.utf8, source: "hw.json") }

  @Test func theConfigFileSaysEverything() throws {
    let read = try config(
      """
      { proxies: [ { name: "a", mode: "http", listen: "127.0.0.1:0" }, { name: "b", mode: "socks", upstream: "*:*" },
                   { name: "c", mode: "tcp", upstream: "h:1" } ],
        http_proxy: "3128", socks: "[::1]:1080", rules: ["*.example.com=edge", { host: "10.0.0.0/8", use: "direct" }],
        via: "http://u:p@corp:8080", allow_clients: ["10.0.0.0/8", "::1"] }
      """)
    var expected = Config()
    expected.proxies = [
      ProxySpec(name: "a", listen: "127.0.0.1:0", upstream: "*:*", mode: .http),
      ProxySpec(name: "b", upstream: "*:*", mode: .socks), ProxySpec(name: "c", upstream: "h:1", mode: .tcp),
    ]
    (expected.httpProxy, expected.socks) = ("127.0.0.1:3128", "[::1]:1080")
    expected.rules = try ["*.example.com=edge", "10.0.0.0/8=direct"].map { try HostRule(parsing: $0) }
    expected.via = .proxy(try ViaSpec(parsing: "http://u:p@corp:8080"))
    expected.allowedClients = try ["10.0.0.0/8", "::1"].map { try IPNetwork(parsing: $0) }
    #expect(read == expected)
    #expect(
      read.forwardProxies == [
        ProxySpec(name: "http-proxy", listen: "127.0.0.1:3128", upstream: "*:*", mode: .http),
        ProxySpec(name: "socks", listen: "[::1]:1080", upstream: "*:*", mode: .socks),
      ])
    #expect(read.allProxies.map(\.name) == ["a", "b", "c", "http-proxy", "socks"])
    #expect(try config("{via: 'env'}").via == .environment)
  }

  private static let anyOrNothing = #"allowed: "*:*" or nothing, because clients of mode "#

  @Test(arguments: [
    Row("[{name: 'a', mode: 'HTTP'}]", #"proxies[0].mode is "HTTP"; allowed: "tcp", "http", "socks""#),
    Row("[{name: 'a', mode: 'tcp'}]", "proxies[0].upstream is missing; allowed: a string that is not empty"),
    Row(
      "[{name: 'a', mode: 'http', upstream: 'h:1'}]",
      #"proxies[0].upstream is "h:1"; \#(anyOrNothing)"http" name theirs"#),
    Row(
      "[{name: 'a', mode: 'socks', upstream: '*'}]", #"proxies[0].upstream is "*"; \#(anyOrNothing)"socks" name theirs"#
    ),
    Row(
      "[{name: 'a', upstream: '*:*'}]",
      #"proxies[0].upstream is "*:*"; allowed: HOST:PORT, or mode "http" or "socks" beside it"#),
    Row("{http_proxy: true}", "http_proxy is true; allowed: a string"),
    Row("{http_proxy: ''}", #"http_proxy is "": no address; allowed: HOST:PORT, or PORT alone for one of 127.0.0.1"#),
    Row(
      "{socks: 'a'}", #"socks is "a": missing port in address; allowed: HOST:PORT, or PORT alone for one of 127.0.0.1"#),
    Row("{socks: '99999'}", #"socks is "99999": invalid port; allowed: HOST:PORT, or PORT alone for one of 127.0.0.1"#),
    Row(
      "{socks: '0', proxies: [{name: 'a', upstream: 'h:1'}, {name: 'socks', upstream: 'h:1'}]}",
      #"proxies[1].name is "socks"; allowed: another name, because socks makes a proxy of this one"#),
    Row(
      "{http_proxy: '0', proxies: [{name: 'http-proxy', mode: 'http'}]}",
      #"proxies[0].name is "http-proxy"; allowed: another name, because http_proxy makes a proxy of this one"#),
    Row("{rules: 'a=deny'}", #"rules is "a=deny"; allowed: an array of rules"#),
    Row("{rules: ['a']}", #"rules[0] is "a": no = between pattern and use; allowed: \#(HostRule.allowed)"#),
    Row(
      "{via: 'https://h:1'}",
      #"via is "https://h:1": only http:// can be spoken to the next proxy; allowed: \#(ViaSpec.allowed)"#),
    Row("{allow_clients: '::1'}", #"allow_clients is "::1"; allowed: an array of strings"#),
    Row(
      "{allow_clients: ['::1', 'host']}",
      #"allow_clients[1] is "host": not an IP address; allowed: \#(IPNetwork.allowed)"#),
  ])
  func configsAreRefused(_ row: Row) {
    #expect(message { _ = try config(row.input) } == "hw.json: \(row.expected)")
  }

  @Test(arguments: [
    (#"{"name":"a","mode":"http"}"#, ProxyMode?.some(.http), "*:*"),
    (#"{"name":"a","Mode":"socks","upstream":"*:*"}"#, .socks, "*:*"),
    (#"{"name":"a","mode":null,"upstream":"h:1"}"#, nil, "h:1"),
    (#"{"name":"a","mode":"tcp","upstream":"h:1"}"#, .tcp, "h:1"),
    (#"{"name":"a","upstream":"*:*"}"#, nil, "*:*"),
  ])
  func theClassicAPIKnowsTheMode(_ body: String, _ mode: ProxyMode?, _ upstream: String) throws {
    let read = try ProxySpec.classicCreate(body: body.utf8)
    #expect(read == ClassicBody(value: ProxySpec(name: "a", upstream: upstream, mode: mode)))
    #expect(try ProxySpec.classicPopulate(body: "[\(body)]".utf8).value == [read.value])
  }

  @Test(arguments: [
    Row(#"{"name":"a","mode":"tcp"}"#, "missing required field: upstream"),
    Row(#"{"name":"a","mode":"ftp"}"#, #"mode is "ftp"; allowed: "tcp", "http", "socks""#),
    Row(#"{"name":"a","mode":"http","upstream":"h:1"}"#, #"upstream is "h:1"; \#(anyOrNothing)"http" name theirs"#),
    Row(#"{"mode":"http"}"#, "missing required field: name"),
  ])
  func classicBodiesAreRefused(_ row: Row) {
    #expect(message { _ = try ProxySpec.classicCreate(body: row.input.utf8) } == row.expected)
  }

  @Test func anUpdateMaySayTheMode() throws {
    #expect(try ProxyUpdate.classic(body: #"{"mode":"http"}"#.utf8) == ClassicBody(value: ProxyUpdate(mode: .http)))
    #expect(
      message { _ = try ProxyUpdate.classic(body: #"{"mode":5}"#.utf8) }
        == #"mode is 5; allowed: "tcp", "http", "socks""#)
  }
}
