#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

import Testing

/// toxiproxy-java (2.1), alone and as Testcontainers uses it.
@Suite(.blocking)
struct JavaClientTests {
  /// HttpURLConnection: JSON that is called a form, in a segment behind its head; POST for every change; a POST and a DELETE
  /// without a body and without a length; one connection, as long as each answer is read to its end.
  private enum Shape: ClientShape {
    static let keepsConnection = true

    static func request(_ method: String, _ path: String, _ body: String?, host: String) -> [String] {
      let about = body.map {
        ["Content-type: application/x-www-form-urlencoded", "Content-Length: \($0.utf8.count)"]
      }
      let fields =
        [
          "User-Agent: Java/17.0.15", "Host: \(host)", "Accept: text/html, image/gif, image/jpeg, */*; q=0.2",
          "Connection: keep-alive",
        ] + (about ?? [])
      return [head(method, path, fields)] + (body.map { [$0] } ?? [])
    }
  }

  /// Every field is read without a look whether it is there.
  private struct Proxy: Decodable {
    let name, listen, upstream: String
    let enabled: Bool
  }

  private struct Toxic: Decodable {
    let name, type, stream: String
    let toxicity: Float
    let attributes: [String: Int64]
  }

  /// The kinds that its enum has; another one in a list ends in an exception.
  private static let types: Set = [
    "LATENCY", "BANDWIDTH", "SLOW_CLOSE", "TIMEOUT", "SLICER", "LIMIT_DATA", "RESET_PEER",
  ]

  private let upstream: Upstream
  private let daemon: Daemon
  private let client: WireClient<Shape>

  init() throws {
    upstream = try Upstream.echo()
    daemon = try Daemon()
    client = WireClient(daemon, as: Shape.self)
  }

  private func create(_ name: String, listen: String = "localhost:0") throws -> Proxy {
    let made = try client.call(
      "POST", "/proxies", #"{"name":"\#(name)","listen":"\#(listen)","upstream":"\#(upstream.address)"}"#)
    #expect(made.status == 201)
    return try made.decoded(as: Proxy.self)
  }

  private func add(_ name: String, _ stream: String, _ type: String, _ attributes: String, to proxy: String) throws
    -> Toxic
  {
    let body =
      #"{"name":"\#(name)","stream":"\#(stream)","toxicity":1.0,"type":"\#(type)","attributes":\#(attributes)}"#
    return try client.call("POST", "/proxies/\(proxy)/toxics", body).decoded(as: Toxic.self)
  }

  @Test func aProxyIsChangedFieldByField() throws {
    _ = try create("mysql", listen: "localhost:\(try ListeningSocket.freePort())")
    #expect(daemon.isEchoing("mysql"))
    let port = try ListeningSocket.freePort()
    func update(_ body: String) throws -> Proxy {
      try client.call("POST", "/proxies/mysql", body).decoded(as: Proxy.self)
    }
    #expect(try update(#"{"listen":"localhost:\#(port)"}"#).listen == "127.0.0.1:\(port)")
    #expect(daemon.isEchoing("mysql"))
    #expect(try !update(#"{"enabled":false}"#).enabled)
    #expect(!daemon.isEchoing("mysql"))
    let other = try Upstream { try $0.send("other") }
    #expect(try update(#"{"upstream":"\#(other.address)"}"#).upstream == other.address.description)
    let on = try update(#"{"enabled":true}"#)
    #expect(on.enabled && on.listen == "127.0.0.1:\(port)")
    #expect(try daemon.connect("mysql").receive(exactly: 5) == Array("other".utf8))
    #expect(try client.call("DELETE", "/proxies/mysql").status == 204)
    #expect(try client.call("GET", "/proxies").text == "{}")
  }

  /// It keeps the order of the object that it reads, and its tests index the list.
  @Test func proxiesAreListedByName() throws {
    for name in ["b", "a", "Z", "a1", "10", "2"] { _ = try create(name) }
    let list = try client.call("GET", "/proxies").text
    let names = list.matches(of: /"([^"]*)":\{"name"/).map { String($0.1) }
    #expect(names == ["10", "2", "Z", "a", "a1", "b"])
  }

  @Test func aToxicIsMadeReadChangedAndRemoved() throws {
    _ = try create("mysql")
    #expect(
      try add("my-latency-toxic", "downstream", "latency", #"{"latency":100,"jitter":0}"#, to: "mysql").toxicity == 1)
    let path = "/proxies/mysql/toxics/my-latency-toxic"
    let jitter = try client.call("POST", path, #"{"attributes":{"jitter":15}}"#).decoded(as: Toxic.self)
    #expect(jitter.attributes == ["latency": 100, "jitter": 15])
    #expect(try client.call("POST", path, #"{"toxicity":0.1}"#).decoded(as: Toxic.self).toxicity == 0.1)
    _ = try add("cut", "upstream", "bandwidth", #"{"rate":0}"#, to: "mysql")
    let list = try client.call("GET", "/proxies/mysql/toxics").decoded(as: [Toxic].self)
    #expect(list.map(\.name) == ["cut", "my-latency-toxic"])
    #expect(list.allSatisfy { Self.types.contains($0.type.uppercased()) })
    #expect(list.map { $0.stream.uppercased() } == ["UPSTREAM", "DOWNSTREAM"])
    #expect(try client.call("GET", path).decoded(as: Toxic.self).attributes == ["latency": 100, "jitter": 15])
    #expect(try client.call("DELETE", path).status == 204)
    #expect(try client.call("GET", "/proxies/mysql/toxics").decoded(as: [Toxic].self).map(\.name) == ["cut"])
  }

  @Test(arguments: ToxicSample.all)
  func everyKindIsMadeAndChanged(sample: ToxicSample) throws {
    _ = try create("p")
    let made = try add("t", "upstream", sample.type, sample.json, to: "p")
    #expect(Self.types.contains(made.type.uppercased()))
    for (name, value) in sample.attributes {
      #expect(made.attributes[name] == Int64(value))
      let changed = try client.call("POST", "/proxies/p/toxics/t", #"{"attributes":{"\#(name)":\#(value / 2)}}"#)
      let attributes = try changed.decoded(as: Toxic.self).attributes
      #expect(attributes[name] == Int64(value / 2))
      #expect(attributes.count == sample.attributes.count)
    }
  }

  /// Our own kinds are none of its enum, and have no stream: those of a config file are listed only when all are asked for.
  @Test func kindsOfOurOwnAreNotListed() throws {
    let daemon = try Daemon.withToxicsOfItsOwn(upstream.address)
    let client = WireClient(daemon, as: Shape.self)
    #expect(try client.call("GET", "/proxies/p/toxics").decoded(as: [Toxic].self).map(\.name) == ["known"])
    #expect(try daemon.api.get("/proxies/p/toxics?all=true").json.array.count == 3)
  }

  /// Testcontainers cuts a connection with a rate of 0 both ways, fetches the toxics by name and removes them.
  @Test func aCutConnectionHeals() throws {
    #expect(try client.call("GET", "/version").status == 200)
    _ = try create("redis", listen: "0.0.0.0:0")
    let session = try Connection(to: Address(host: "127.0.0.1", port: try daemon.listen("redis").port))
    #expect(try session.echo("before") == "before")
    let cuts = ["CUT_CONNECTION_DOWNSTREAM": "downstream", "CUT_CONNECTION_UPSTREAM": "upstream"]
    for (name, stream) in cuts { _ = try add(name, stream, "bandwidth", #"{"rate":0}"#, to: "redis") }
    try session.send("during")
    #expect(try session.receive(within: .milliseconds(200)) == .nothing)
    for name in cuts.keys {
      #expect(try client.call("GET", "/proxies/redis/toxics/\(name)").decoded(as: Toxic.self).name == name)
      #expect(try client.call("DELETE", "/proxies/redis/toxics/\(name)").status == 204)
    }
    #expect(try session.receive(exactly: 6) == Array("during".utf8))
  }

  /// A POST without a body and without a length, with the next call behind it on the same connection.
  @Test func resetHasNeitherBodyNorLength() throws {
    _ = try create("p")
    _ = try add("slow", "downstream", "latency", #"{"latency":9000,"jitter":0}"#, to: "p")
    try client.call("POST", "/proxies/p", #"{"enabled":false}"#)
    #expect(try client.call("POST", "/reset").status == 204)
    #expect(try client.call("GET", "/proxies/p").decoded(as: Proxy.self).enabled)
    #expect(try client.call("GET", "/proxies/p/toxics").text == "[]")
    #expect(try daemon.connect().echoTime() < .seconds(9))
  }

  /// The message of its exception is made of status and `error`, which must be there and a text.
  @Test func failuresMakeItsMessages() throws {
    _ = try create("p")
    func message(_ method: String, _ path: String, _ body: String? = nil) throws -> String {
      let response = try client.call(method, path, body)
      return "[\(response.status)] \(try #require(response.json["error"].string))"
    }
    let again = #"{"name":"p","listen":"localhost:0","upstream":"localhost:6379"}"#
    #expect(try message("POST", "/proxies", again) == "[409] proxy already exists")
    #expect(try message("GET", "/proxies/invalid-proxy") == "[404] proxy not found")
    #expect(try message("GET", "/proxies/p/toxics/none") == "[404] toxic not found")
    let empty = #"{"name":"x","listen":"","upstream":""}"#
    #expect(try message("POST", "/proxies", empty) == "[400] missing required field: upstream")
    #expect(try message("DELETE", "/proxies/nobody") == "[404] proxy not found")
  }
}
