import Testing

/// The crate toxiproxy_rust (0.1.6), which never looks at a status: what doesn't have its types is its only error.
@Suite(.blocking)
struct RustClientTests {
  /// reqwest: names of fields in lower case, a content type on every call, one connection.
  private enum Shape: ClientShape {
    static let keepsConnection = true

    static func request(_ method: String, _ path: String, _ body: String?, host: String) -> [String] {
      let length = body.map { ["content-length: \($0.utf8.count)"] } ?? []
      let fields = ["content-type: application/json"] + length + ["accept: */*", "host: \(host)"]
      return [head(method, path, fields) + (body ?? "")]
    }
  }

  private struct ProxyPack: Decodable {
    let name, listen, upstream: String
    let enabled: Bool
    let toxics: [ToxicPack]
  }

  private struct ToxicPack: Decodable {
    let name, type, stream: String
    let toxicity: Float
    let attributes: [String: UInt32]
  }

  /// As its decoder reads: no value of an attribute may be written like a float, whole or not.
  private func decoded<T: Decodable>(_ response: API.Response, as type: T.Type) throws -> T {
    for attributes in response.text.matches(of: /"attributes":\{([^}]*)\}/) {
      #expect(attributes.1.wholeMatch(of: /("[a-z_]+":[0-9]+,?)*/) != nil, "\(attributes.1)")
    }
    return try response.decoded(as: type)
  }

  private let upstream: Upstream
  private let daemon: Daemon
  private let client: WireClient<Shape>

  init() throws {
    upstream = try Upstream.echo()
    daemon = try Daemon()
    client = WireClient(daemon, as: Shape.self)
    #expect(try populate().map(\.name) == ["socket"])
  }

  /// A map of lists, and nothing else in it.
  private func populate(_ more: String = "") throws -> [ProxyPack] {
    let body =
      #"[{"name":"socket","listen":"localhost:0","upstream":"\#(upstream.address)","enabled":true,"toxics":[]}\#(more)]"#
    let response = try client.call("POST", "/populate", body)
    return try #require(decoded(response, as: [String: [ProxyPack]].self)["proxies"])
  }

  private func create(_ type: String, _ attributes: String) throws {
    // It checks nothing of the answer; that it worked shows in the list.
    try client.call(
      "POST", "/proxies/socket/toxics",
      #"{"name":"\#(type)_downstream","type":"\#(type)","stream":"downstream","toxicity":1.0,"attributes":\#(attributes)}"#
    )
  }

  private func toxics() throws -> [ToxicPack] {
    try decoded(try client.call("GET", "/proxies/socket/toxics"), as: [ToxicPack].self)
  }

  @Test func populateAgainKeepsConnectionAndPort() throws {
    let session = try daemon.connect("socket")
    #expect(try session.echo("one") == "one")
    let before = try daemon.listen("socket")
    #expect(try populate()[0].listen == before.description)
    #expect(try session.echo("two") == "two")
    let all = try decoded(try client.call("GET", "/proxies"), as: [String: ProxyPack].self)
    #expect(all.keys.sorted() == ["socket"])
    #expect(try decoded(try client.call("GET", "/version"), as: [String: String].self)["version"] != nil)
    #expect(
      try decoded(try client.call("POST", "/populate", "[]"), as: [String: [ProxyPack]].self)["proxies"]?.count == 0)
  }

  /// An empty list of toxics means the toxics are not spoken of.
  @Test func populateKeepsToxics() throws {
    try create("latency", #"{"latency":1,"jitter":0}"#)
    #expect(try populate()[0].toxics.map(\.name) == ["latency_downstream"])
  }

  /// One toxic that doesn't have its types, in any proxy, and it can't read the list of proxies.
  @Test func kindsOfOurOwnAreInNoList() throws {
    let daemon = try Daemon.withToxicsOfItsOwn(upstream.address)
    let client = WireClient(daemon, as: Shape.self)
    let all = try decoded(try client.call("GET", "/proxies"), as: [String: ProxyPack].self)
    let one = try decoded(try client.call("GET", "/proxies/p"), as: ProxyPack.self)
    let updated = try decoded(try client.call("POST", "/proxies/p", #"{"enabled":true}"#), as: ProxyPack.self)
    for proxy in [all["p"], one, updated] { #expect(proxy?.toxics.map(\.name) == ["known"]) }
  }

  @Test func aProxyGoesDownForAClosure() throws {
    #expect(daemon.isEchoing("socket"))
    try client.call("POST", "/proxies/socket", #"{"enabled":false}"#)
    #expect(try !decoded(try client.call("GET", "/proxies/socket"), as: ProxyPack.self).enabled)
    #expect(!daemon.isEchoing("socket"))
    try client.call("POST", "/proxies/socket", #"{"enabled":true}"#)
    #expect(try decoded(try client.call("GET", "/proxies/socket"), as: ProxyPack.self).enabled)
    #expect(daemon.isEchoing("socket"))
  }

  @Test func toxicsLastForAClosure() throws {
    try create("latency", #"{"latency":200,"jitter":0}"#)
    let list = try toxics()
    #expect(list.map(\.attributes) == [["latency": 200, "jitter": 0]])
    #expect(try daemon.connect("socket").echoTime() >= .milliseconds(200))
    for toxic in list { try client.call("DELETE", "/proxies/socket/toxics/\(toxic.name)") }
    #expect(try toxics().isEmpty)
  }

  @Test(arguments: ToxicSample.all)
  func everyKindIsListedInItsTypes(sample: ToxicSample) throws {
    try create(sample.type, sample.json)
    let listed = try #require(toxics().first)
    #expect(listed.type == sample.type)
    for (name, value) in sample.attributes { #expect(listed.attributes[name] == UInt32(value)) }
    // A number that came as a float goes out as an integer.
    let (first, _) = try #require(sample.attributes.first)
    try client.call("POST", "/proxies/socket/toxics/\(listed.name)", #"{"attributes":{"\#(first)":5e2}}"#)
    #expect(try toxics().first?.attributes[first] == 500)
  }

  @Test func resetAndDelete() throws {
    try create("latency", #"{"latency":9000,"jitter":0}"#)
    try client.call("POST", "/proxies/socket", #"{"enabled":false}"#)
    try client.call("POST", "/reset")
    #expect(try toxics().isEmpty)
    #expect(try daemon.connect("socket").echoTime() < .seconds(9))
    try client.call("DELETE", "/proxies/socket")
    #expect(try client.call("GET", "/proxies").text == "{}")
  }

  /// An absent proxy is an error for it because the answer has none of the fields.
  @Test func anAbsentProxyDoesNotLookLikeOne() throws {
    let answer = try client.call("GET", "/proxies/bad-proxy")
    #expect(throws: DecodingError.self) { try answer.decoded(as: ProxyPack.self) }
    #expect(try client.call("GET", "/proxies/bad-proxy/toxics").error == "proxy not found")
  }
}
