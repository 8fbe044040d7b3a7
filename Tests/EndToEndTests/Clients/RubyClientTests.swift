#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

import Testing

/// The gem toxiproxy (2.0.2).
@Suite(.blocking)
struct RubyClientTests {
  /// Net::HTTP: a connection for each call, which asks for its end, and a body in a segment behind its head.
  private enum Shape: ClientShape {
    static let keepsConnection = false

    static func request(_ method: String, _ path: String, _ body: String?, host: String) -> [String] {
      // A reset says that it is JSON, too, though it has no body.
      let isJSON = body != nil || method == "POST"
      let fields =
        ["Accept-Encoding: gzip;q=1.0,deflate;q=0.6,identity;q=0.3", "Accept: */*", "User-Agent: Ruby"]
        + (isJSON ? ["Content-Type: application/json"] : []) + ["Connection: close", "Host: \(host)"]
        + (isJSON ? ["Content-Length: \(body?.utf8.count ?? 0)"] : [])
      return [head(method, path, fields)] + (body.map { [$0] } ?? [])
    }
  }

  /// Its own way to come to a port: split at each colon, two parts wanted.
  private func connect(_ listen: String?) throws -> Connection {
    let parts = try #require(listen).split(separator: ":", omittingEmptySubsequences: false)
    try #require(parts.count == 2)
    return try Connection(to: Address(host: String(parts[0]), port: try #require(UInt16(parts[1]))))
  }

  /// `enabled` is null unless the caller says something; `listen` has a default in the client.
  private func create(_ name: String, _ upstream: Address, over client: WireClient<Shape>) throws -> API.Response {
    try client.call(
      "POST", "/proxies", #"{"upstream":"\#(upstream)","name":"\#(name)","listen":"localhost:0","enabled":null}"#)
  }

  @Test func theVersionDecidesForPatch() throws {
    let daemon = try Daemon()
    let version = try WireClient(daemon, as: Shape.self).call("GET", "/version").json["version"].string
    let numbers = try #require(version).split(separator: ".").map { Int($0) }
    #expect(numbers.count == 3 && !numbers.contains(nil))
    #expect(try (#require(numbers[0]), #require(numbers[1])) >= (2, 6))
  }

  /// `running?` connects and closes again at once.
  @Test func lookingWhetherItRunsDisturbsNobody() throws {
    let daemon = try Daemon()
    for _ in 1...20 { try Connection(to: daemon.api.address).close() }
    #expect(try WireClient(daemon, as: Shape.self).call("GET", "/proxies").text == "{}")
    #expect(!daemon.log.contains("rror"), "\(daemon.log)")
  }

  @Test func aProxyGoesDownForABlock() throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon()
    let client = WireClient(daemon, as: Shape.self)
    let made = try create("mysql", upstream.address, over: client)
    #expect(made.status == 201)
    #expect(made.json["enabled"] == true)
    let listen = made.json["listen"].string
    let session = try connect(listen)
    #expect(try session.echo("x") == "x")

    #expect(try client.call("PATCH", "/proxies/mysql", #"{"enabled":false}"#).json["enabled"] == false)
    #expect([.end, .reset].contains(try session.receive()))
    #expect(throws: SocketError(call: "connect", code: ECONNREFUSED)) { try connect(listen) }
    let up = try client.call("PATCH", "/proxies/mysql", #"{"enabled":true}"#)
    #expect(up.json["listen"].string == listen)
    #expect(try connect(listen).echo("x") == "x")
  }

  @Test func toxicsLastForABlock() throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon()
    let client = WireClient(daemon, as: Shape.self)
    let listen = try create("mysql", upstream.address, over: client).json["listen"].string
    for stream in ["upstream", "downstream"] {
      let body =
        #"{"name":"latency_\#(stream)","type":"latency","stream":"\#(stream)","toxicity":1.0,"#
        + #""attributes":{"latency":100}}"#
      let saved = try client.call("POST", "/proxies/mysql/toxics", body)
      #expect(saved.status == 200)
      #expect(saved.json["attributes"] == ["latency": 100, "jitter": 0])
      #expect(saved.json["toxicity"] == 1)
    }
    #expect(try connect(listen).echoTime() >= .milliseconds(200))
    let names = try client.call("GET", "/proxies/mysql/toxics").json.array.map { $0["name"].string }
    #expect(names == ["latency_upstream", "latency_downstream"])
    for stream in ["upstream", "downstream"] {
      #expect(try client.call("DELETE", "/proxies/mysql/toxics/latency_\(stream)").status == 204)
    }
    #expect(try client.call("GET", "/proxies/mysql/toxics").json == [])
  }

  @Test func populateListensAnewWhereItIsTold() throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon()
    let client = WireClient(daemon, as: Shape.self)
    for _ in 1...2 {
      let port = try ListeningSocket.freePort()
      let body = #"[{"name":"redis","upstream":"\#(upstream.address)","listen":"localhost:\#(port)"}]"#
      let made = try client.call("POST", "/populate", body)
      #expect(made.status == 201)
      #expect(made.json["proxies"][0]["listen"].string == "127.0.0.1:\(port)")
      #expect(try connect(made.json["proxies"][0]["listen"].string).echo("x") == "x")
    }
    // `fetch("proxies", [])` gives its default for no key, and dies of null.
    #expect(try client.call("POST", "/populate", "[]").text == #"{"proxies":[]}"#)
  }

  @Test func resetAndDestroyAll() throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon()
    let client = WireClient(daemon, as: Shape.self)
    let listen = try create("test_a", upstream.address, over: client).json["listen"].string
    try client.call("PATCH", "/proxies/test_a", #"{"enabled":false}"#)
    try client.call(
      "POST", "/proxies/test_a/toxics",
      #"{"name":"latency_downstream","type":"latency","stream":"downstream","toxicity":1.0,"attributes":{"latency":9}}"#
    )
    #expect(try client.call("POST", "/reset").status == 204)
    #expect(try connect(listen).echo("x") == "x")
    #expect(try client.call("GET", "/proxies/test_a/toxics").json == [])
    #expect(try client.call("DELETE", "/proxies/test_a").status == 204)
    #expect(try client.call("GET", "/proxies").json == [:])
  }

  /// The status alone makes the exception: ProxyExists, NotFound, InvalidToxic.
  @Test func failuresHaveTheStatusOfTheirExceptions() throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon()
    let client = WireClient(daemon, as: Shape.self)
    #expect(try create("p", upstream.address, over: client).status == 201)
    #expect(try create("p", upstream.address, over: client).status == 409)
    #expect(try client.call("DELETE", "/proxies/nobody").status == 404)
    #expect(try client.call("DELETE", "/proxies/p/toxics/none").status == 404)
    func toxic(_ type: String, _ stream: String) throws -> Int {
      let body =
        #"{"name":"t","type":"\#(type)","stream":"\#(stream)","toxicity":1.0,"attributes":{"latency":123}}"#
      return try client.call("POST", "/proxies/p/toxics", body).status
    }
    #expect(try toxic("latency", "lolstream") == 400)
    #expect(try toxic("nonsense", "downstream") == 400)
    #expect(try toxic("latency", "downstream") == 200)
    #expect(try toxic("latency", "downstream") == 409)
  }

  /// It asks for the end of each connection, and waits for the body no longer than that.
  @Test func theServerEndsTheConnection() throws {
    let daemon = try Daemon()
    let connection = try Connection(to: daemon.api.address)
    let request = Shape.request("GET", "/proxies", nil, host: daemon.api.address.description)
    #expect(try connection.exchange(request).status == 200)
    #expect(try connection.receive() == .end)
  }
}
