#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

import Testing

/// toxiproxy's own Go client (2.12), which toxiproxy-cli is made of.
@Suite(.blocking)
struct GoClientTests {
  /// net/http: one connection for all calls, `application/json` on every one of them, an empty body for a reset.
  private enum Shape: ClientShape {
    static let keepsConnection = true

    static func request(_ method: String, _ path: String, _ body: String?, host: String) -> [String] {
      let length = body.map { ["Content-Length: \($0.utf8.count)"] } ?? []
      let fields =
        ["Host: \(host)", "User-Agent: toxiproxy-cli"] + length
        + ["Content-Type: application/json", "Accept-Encoding: gzip"]
      return [head(method, path, fields) + (body ?? "")]
    }
  }

  private struct Proxy: Decodable, Equatable {
    let name, listen, upstream: String
    let enabled: Bool
    let toxics: [Toxic]
  }

  private struct Toxic: Decodable, Equatable {
    let name, type, stream: String
    let toxicity: Float
    let attributes: [String: Int]
  }

  /// What the client makes an error of; both fields are of use to its callers.
  private struct Failure: Decodable, Equatable {
    let error: String
    let status: Int
  }

  /// A proxy as the client marshals it: always all five fields.
  private func proxy(_ name: String, _ listen: Any, _ upstream: Any, enabled: Bool = true, toxics: String = "null")
    -> String
  {
    #"{"name":"\#(name)","listen":"\#(listen)","upstream":"\#(upstream)","enabled":\#(enabled),"toxics":\#(toxics)}"#
  }

  @Test func populateAtEachStartOfAnAppKeepsWhatIsThere() throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon()
    let client = WireClient(daemon, as: Shape.self)
    struct Populated: Decodable { let proxies: [Proxy] }
    let port = try ListeningSocket.freePort()
    let body =
      "[\(proxy("redis", "127.0.0.1:\(port)", upstream.address)),"
      + "\(proxy("off", "127.0.0.1:0", upstream.address, enabled: false))]"
    let made = try client.call("POST", "/populate", body)
    #expect(made.status == 201)
    let proxies = try made.decoded(as: Populated.self).proxies
    #expect(proxies.map(\.name) == ["redis", "off"])
    #expect(proxies.map(\.enabled) == [true, false])
    #expect(proxies[0].listen == "127.0.0.1:\(port)")

    let toxic = #"{"name":"","type":"latency","toxicity":1,"attributes":{"jitter":0,"latency":1}}"#
    #expect(try client.call("POST", "/proxies/redis/toxics", toxic).status == 200)
    let session = try daemon.connect("redis")
    #expect(try session.echo("one") == "one")
    let again = try client.call("POST", "/populate", body).decoded(as: Populated.self).proxies
    #expect(again[0].toxics.map(\.name) == ["latency_downstream"])
    #expect(again[1] == proxies[1])
    #expect(try session.echo("two") == "two")
  }

  /// What Proxies() gave goes into Populate() as it is: that changes nothing, not even what old clients don't see.
  @Test func populateWithWhatIsShownChangesNothing() throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon.withToxicsOfItsOwn(upstream.address)
    let client = WireClient(daemon, as: Shape.self)
    let shown = try client.call("GET", "/proxies/p").text
    let all = try daemon.api.get("/proxies/p?all=true").json
    #expect(try client.call("POST", "/populate", "[\(shown)]").status == 201)
    #expect(try daemon.api.get("/proxies/p?all=true").json == all)
    #expect(all["toxics"].array.count == 3)
  }

  @Test func aLifeCycleOverOneConnection() throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon()
    let client = WireClient(daemon, as: Shape.self)
    let version = try client.call("GET", "/version")
    #expect(version.text.hasPrefix(#"{"version": ""#) && version.text.hasSuffix("}\n"))
    let made = try client.call("POST", "/proxies", proxy("mysql", "localhost:0", upstream.address))
    #expect(made.status == 201)
    let first = try made.decoded(as: Proxy.self)
    #expect(first.listen.hasPrefix("127.0.0.1:") && first.enabled && first.toxics.isEmpty)

    // A name and a stream that are not given are the server's to choose; no attributes come as null.
    let latency = try client.call(
      "POST", "/proxies/mysql/toxics",
      #"{"name":"","type":"latency","toxicity":1,"attributes":{"jitter":5,"latency":100}}"#)
    let expected = Toxic(
      name: "latency_downstream", type: "latency", stream: "downstream", toxicity: 1,
      attributes: ["latency": 100, "jitter": 5])
    #expect(try latency.decoded(as: Toxic.self) == expected)
    let bandwidth = try client.call(
      "POST", "/proxies/mysql/toxics",
      #"{"name":"up","type":"bandwidth","stream":"upstream","toxicity":0.5,"attributes":null}"#)
    #expect(try bandwidth.decoded(as: Toxic.self).attributes == ["rate": 0])

    let jitter = try client.call(
      "PATCH", "/proxies/mysql/toxics/latency_downstream", #"{"attributes":{"jitter":7}}"#)
    #expect(try jitter.decoded(as: Toxic.self).attributes == ["latency": 100, "jitter": 7])
    let toxicity = try client.call("PATCH", "/proxies/mysql/toxics/up", #"{"attributes":null,"toxicity":0}"#)
    #expect(try toxicity.decoded(as: Toxic.self).toxicity == 0)
    let toxics = try client.call("GET", "/proxies/mysql/toxics").decoded(as: [Toxic].self)
    #expect(toxics.map(\.name) == ["up", "latency_downstream"])
    #expect(try Connection(to: Address(first.listen)).echoTime() >= .milliseconds(93))

    #expect(try client.call("DELETE", "/proxies/mysql/toxics/up").status == 204)
    #expect(try client.call("POST", "/reset", "").status == 204)
    #expect(try client.call("GET", "/proxies").decoded(as: [String: Proxy].self) == ["mysql": first])
    #expect(try client.call("DELETE", "/proxies/mysql").status == 204)
    #expect(try client.call("GET", "/proxies").text == "{}")
  }

  /// Enable, Disable and Save send back the whole proxy that was read, its toxics too.
  @Test func aWholeProxyIsSavedAndItsToxicsStay() throws {
    let (first, second) = (try Upstream.echo(), try Upstream { try $0.send("second") })
    let daemon = try Daemon()
    let client = WireClient(daemon, as: Shape.self)
    let made = try client.call("POST", "/proxies", proxy("p", "localhost:0", first.address)).decoded(as: Proxy.self)
    let toxic =
      #"{"name":"t","type":"latency","stream":"downstream","toxicity":1,"attributes":{"jitter":0,"latency":1}}"#
    #expect(try client.call("POST", "/proxies/p/toxics", toxic).status == 200)

    let session = try daemon.connect()
    #expect(try session.echo("x") == "x")
    let off = proxy("p", made.listen, first.address, enabled: false, toxics: "[]")
    #expect(try client.call("POST", "/proxies/p", off).decoded(as: Proxy.self).toxics.count == 1)
    #expect([.end, .reset].contains(try session.receive()))
    #expect(throws: SocketError(call: "connect", code: ECONNREFUSED)) { try Connection(to: Address(made.listen)) }
    let on = proxy("p", made.listen, first.address, toxics: "[\(toxic)]")
    #expect(try client.call("POST", "/proxies/p", on).decoded(as: Proxy.self).listen == made.listen)
    #expect(daemon.isEchoing())
    let moved = proxy("p", made.listen, second.address, toxics: "[\(toxic)]")
    #expect(try client.call("POST", "/proxies/p", moved).decoded(as: Proxy.self).toxics.map(\.name) == ["t"])
    #expect(try daemon.connect().receive(exactly: 6) == Array("second".utf8))
  }

  @Test(arguments: ToxicSample.all)
  func everyKindIsMade(sample: ToxicSample) throws {
    let daemon = try Daemon(["p": try Upstream.echo().address])
    let body = #"{"name":"","type":"\#(sample.type)","stream":"upstream","toxicity":1,"attributes":\#(sample.json)}"#
    let toxic = try WireClient(daemon, as: Shape.self).call("POST", "/proxies/p/toxics", body).decoded(as: Toxic.self)
    #expect(toxic.name == sample.type + "_upstream")
    #expect(toxic.attributes == Dictionary(uniqueKeysWithValues: sample.attributes.map { ($0.key, $0.value) }))
  }

  @Test func failuresSayStatusAndReason() throws {
    let daemon = try Daemon(["p": try Upstream.echo().address])
    let client = WireClient(daemon, as: Shape.self)
    func expectFailure(_ status: Int, _ text: String, _ method: String, _ path: String, _ body: String? = nil) throws {
      let response = try client.call(method, path, body)
      #expect(response.status == status)
      #expect(try response.decoded(as: Failure.self) == Failure(error: text, status: status))
    }
    let toxic = #"{"name":"t","type":"latency","stream":"downstream","toxicity":1,"attributes":{"latency":1}}"#
    try expectFailure(409, "proxy already exists", "POST", "/proxies", proxy("p", "localhost:0", "x:1"))
    try expectFailure(400, "missing required field: name", "POST", "/proxies", proxy("", "localhost:0", "x:1"))
    try expectFailure(400, "missing required field: upstream", "POST", "/proxies", proxy("q", "localhost:0", ""))
    try expectFailure(404, "proxy not found", "GET", "/proxies/nobody")
    try expectFailure(404, "proxy not found", "POST", "/proxies/nobody/toxics", toxic)
    try expectFailure(404, "toxic not found", "DELETE", "/proxies/p/toxics/t")
    try expectFailure(404, "toxic not found", "PATCH", "/proxies/p/toxics/t", #"{"attributes":null}"#)
    try expectFailure(
      400, "invalid toxic type", "POST", "/proxies/p/toxics",
      #"{"name":"","type":"nonsense","toxicity":1,"attributes":null}"#)
    #expect(try client.call("POST", "/proxies/p/toxics", toxic).status == 200)
    try expectFailure(409, "toxic already exists", "POST", "/proxies/p/toxics", toxic)
    // An omitted toxic name makes such a path; an error that is no JSON would be shown as one of decoding.
    try expectFailure(404, try client.call("DELETE", "/proxies/p/toxics/").error, "DELETE", "/proxies/p/toxics/")
  }
}
