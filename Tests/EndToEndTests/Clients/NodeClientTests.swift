#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

import Testing

/// The npm package toxiproxy-node-client (4.0), which calls through axios.
@Suite(.blocking)
struct NodeClientTests {
  /// An agent that keeps its connection; POST for every change; a reset that claims to be a form.
  private enum Shape: ClientShape {
    static let keepsConnection = true

    static func request(_ method: String, _ path: String, _ body: String?, host: String) -> [String] {
      let kind =
        switch (method, body) {
        case (_, .some): ["Content-Type: application/json"]
        case ("POST", nil): ["Content-Type: application/x-www-form-urlencoded"]
        default: [String]()
        }
      let length = body.map { ["Content-Length: \($0.utf8.count)"] } ?? []
      let fields =
        ["Accept: application/json, text/plain, */*"] + kind + ["User-Agent: axios/1.2.1"] + length
        + ["Accept-Encoding: gzip, compress, deflate, br", "Host: \(host)", "Connection: keep-alive"]
        + (method == "POST" && body == nil ? ["Content-Length: 0"] : [])
      return [head(method, path, fields) + (body ?? "")]
    }
  }

  private struct Proxy: Decodable, Equatable {
    let name, listen, upstream: String
    let enabled: Bool
  }

  /// What the library hands on as it came: every field is there, or callers find `undefined`.
  private struct Toxic: Decodable, Equatable {
    let name, type, stream: String
    let toxicity: Double
    let attributes: [String: Int]
  }

  private let upstream: Upstream
  private let daemon: Daemon
  private let client: WireClient<Shape>

  init() throws {
    upstream = try Upstream.echo()
    daemon = try Daemon()
    client = WireClient(daemon, as: Shape.self)
  }

  @discardableResult
  private func create() throws -> Proxy {
    let made = try client.call(
      "POST", "/proxies", #"{"listen":"localhost:0","name":"p","upstream":"\#(upstream.address)"}"#)
    #expect(made.status == 201)
    return try made.decoded(as: Proxy.self)
  }

  @Test func populateAndAll() throws {
    struct Populated: Decodable { let proxies: [Proxy] }
    let port = try ListeningSocket.freePort()
    let body = #"""
      [{"name":"ihsw_example_redis_master","listen":"localhost:\#(port)","upstream":"\#(upstream.address)"},
      """# + #"{"name":"other","listen":"localhost:0","upstream":"\#(upstream.address)","enabled":false}]"#
    let made = try client.call("POST", "/populate", body)
    #expect(made.status == 201)
    let proxies = try made.decoded(as: Populated.self).proxies
    #expect(proxies.map(\.name) == ["ihsw_example_redis_master", "other"])
    #expect(proxies.map(\.enabled) == [true, false])
    #expect(daemon.isEchoing("ihsw_example_redis_master"))
    #expect(try client.call("GET", "/proxies").decoded(as: [String: Proxy].self).count == 2)
    // It loops over what comes, so an empty list must be one.
    #expect(try client.call("POST", "/populate", "[]").decoded(as: Populated.self).proxies.isEmpty)
  }

  @Test func aProxyIsUpdatedWithAllThreeFields() throws {
    let other = try Upstream { try $0.send("other") }
    let made = try create()
    #expect(daemon.isEchoing())
    func update(_ enabled: Bool, _ listen: String, _ upstream: Address) throws -> Proxy {
      let body = #"{"enabled":\#(enabled),"listen":"\#(listen)","upstream":"\#(upstream)"}"#
      return try client.call("POST", "/proxies/p", body).decoded(as: Proxy.self)
    }
    let off = try update(false, made.listen, upstream.address)
    #expect(off == Proxy(name: "p", listen: made.listen, upstream: made.upstream, enabled: false))
    #expect(throws: SocketError(call: "connect", code: ECONNREFUSED)) { try Connection(to: Address(made.listen)) }
    let on = try update(true, made.listen, other.address)
    #expect(on.listen == made.listen)
    #expect(try daemon.connect().receive(exactly: 5) == Array("other".utf8))
    // Its own tests disable a proxy with the address that it was made with.
    #expect(try !update(false, "localhost:0", upstream.address).enabled)
    #expect(try client.call("GET", "/proxies/p").decoded(as: Proxy.self).upstream == made.upstream)
    #expect(try client.call("DELETE", "/proxies/p").status == 204)
  }

  @Test func aToxicIsMadeReadUpdatedAndRemoved() throws {
    try create()
    let made = try client.call(
      "POST", "/proxies/p/toxics", #"{"attributes":{"latency":100,"jitter":0},"type":"latency"}"#)
    let expected = Toxic(
      name: "latency_downstream", type: "latency", stream: "downstream", toxicity: 1,
      attributes: ["latency": 100, "jitter": 0])
    #expect(try made.decoded(as: Toxic.self) == expected)
    #expect(try daemon.connect().echoTime() >= .milliseconds(100))
    let path = "/proxies/p/toxics/latency_downstream"
    let updated = try client.call("POST", path, #"{"attributes":{"latency":200}}"#).decoded(as: Toxic.self)
    #expect(updated.attributes == ["latency": 200, "jitter": 0])
    #expect(try client.call("GET", path).decoded(as: Toxic.self) == updated)
    #expect(try daemon.connect().echoTime() >= .milliseconds(200))
    #expect(try client.call("DELETE", path).status == 204)
    #expect(try client.call("GET", path).status == 404)
  }

  @Test(arguments: ToxicSample.all)
  func everyKindIsMade(sample: ToxicSample) throws {
    try create()
    let body = #"{"attributes":\#(sample.json),"type":"\#(sample.type)"}"#
    let toxic = try client.call("POST", "/proxies/p/toxics", body).decoded(as: Toxic.self)
    for (name, value) in sample.attributes { #expect(toxic.attributes[name] == value) }
    #expect(try client.call("DELETE", "/proxies/p/toxics/\(toxic.name)").status == 204)
  }

  @Test func resetHasALengthAndAFormType() throws {
    try create()
    try client.call("POST", "/proxies/p/toxics", #"{"attributes":{"latency":9000},"type":"latency"}"#)
    #expect(try client.call("POST", "/reset").status == 204)
    #expect(try daemon.connect().echoTime() < .seconds(9))
  }

  /// Its error has the status in its message and no more of the answer.
  @Test func failuresHaveTheStatusOfTheMessage() throws {
    try create()
    let again = #"{"listen":"localhost:0","name":"p","upstream":"\#(upstream.address)"}"#
    #expect(try client.call("POST", "/proxies", again).status == 409)
    #expect(try client.call("GET", "/proxies/nobody").status == 404)
    #expect(try client.call("POST", "/proxies/p/toxics", #"{"attributes":{},"type":"nonsense"}"#).status == 400)
    #expect(try client.call("DELETE", "/proxies/nobody").status == 404)
  }
}
