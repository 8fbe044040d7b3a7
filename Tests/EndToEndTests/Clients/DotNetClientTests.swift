#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

import Testing

/// Toxiproxy.Net: keys in Pascal case, streams as its enum spells them, a new connection for each call.
@Suite(.blocking)
struct DotNetClientTests {
  /// HttpClient: proxies go out in chunks, the last of which comes later; toxics and bodiless calls have a length.
  private enum Shape: ClientShape {
    static let keepsConnection = false

    static func request(_ method: String, _ path: String, _ body: String?, host: String) -> [String] {
      let json = "Content-Type: application/json; charset=utf-8"
      switch body {
      case .some(let body) where path.contains("/toxics"):
        return [head(method, path, [json, "Content-Length: \(body.utf8.count)", "Host: \(host)"]) + body]
      case .some(let body):
        let size = String(body.utf8.count, radix: 16, uppercase: true)
        return [
          head(method, path, ["Transfer-Encoding: chunked", json, "Host: \(host)"]) + "\(size)\r\n\(body)\r\n",
          "0\r\n\r\n",
        ]
      case nil:
        return [head(method, path, (method == "GET" ? [] : ["Content-Length: 0"]) + ["Host: \(host)"])]
      }
    }
  }

  private let daemon: Daemon
  private let client: WireClient<Shape>

  init() throws {
    daemon = try Daemon()
    client = WireClient(daemon, as: Shape.self)
  }

  private static func proxy(_ listen: Any, _ upstream: Any, enabled: Bool = true, name: String = "testingProxy")
    -> String
  {
    #"{"Name":"\#(name)","Listen":"\#(listen)","Upstream":"\#(upstream)","Enabled":\#(enabled)}"#
  }

  /// Its reader is chosen by the content type; keys are matched in any case.
  private func expectJSON(_ response: API.Response, _ status: Int) {
    #expect(response.status == status, "\(response.error)")
    #expect(response.header("Content-Type") == "application/json")
  }

  private func make() throws {
    // An upstream without a port is taken as it is.
    let made = try client.call("POST", "/proxies", Self.proxy("127.0.0.1:0", "google.com"))
    expectJSON(made, 201)
    #expect(made.json["name"] == "testingProxy" && made.json["upstream"] == "google.com")
  }

  @Test func aProxyIsAddedFoundUpdatedAndDeleted() throws {
    let upstream = try Upstream.echo()
    let port = try ListeningSocket.freePort()
    let made = try client.call("POST", "/proxies", Self.proxy("127.0.0.1:\(port)", upstream.address))
    expectJSON(made, 201)
    #expect(made.json["listen"].string == "127.0.0.1:\(port)" && made.json["enabled"] == true)
    #expect(daemon.isEchoing("testingProxy"))
    expectJSON(try client.call("GET", "/proxies/testingProxy"), 200)
    expectJSON(try client.call("GET", "/proxies"), 200)

    // While it is disabled an address is kept as it was given.
    let off = try client.call(
      "POST", "/proxies/testingProxy", Self.proxy("localhost:55555", "google.com", enabled: false))
    expectJSON(off, 200)
    #expect(off.json["listen"] == "localhost:55555" && off.json["enabled"] == false)
    #expect(throws: SocketError(call: "connect", code: ECONNREFUSED)) {
      try Connection(to: Address(host: "127.0.0.1", port: port))
    }
    let on = try client.call("POST", "/proxies/testingProxy", Self.proxy("127.0.0.1:\(port)", upstream.address))
    #expect(on.json["enabled"] == true)
    #expect(daemon.isEchoing("testingProxy"))
    #expect(try client.call("DELETE", "/proxies/testingProxy").status == 204)
    #expect(try client.call("GET", "/proxies").json == [:])
  }

  @Test func aToxicIsEchoedAsItWasSpelled() throws {
    try make()
    let body =
      #"{"Attributes":{"Latency":5,"Jitter":10},"Type":"latency","Name":"LatencyToxicTest","Stream":"UpStream","#
      + #""Toxicity":80.0}"#
    let made = try client.call("POST", "/proxies/testingProxy/toxics", body)
    expectJSON(made, 200)
    #expect(made.json["name"] == "LatencyToxicTest" && made.json["stream"] == "UpStream")
    #expect(made.json["toxicity"] == 80)
    #expect(made.json["attributes"] == ["latency": 5, "jitter": 10])
    let list = try client.call("GET", "/proxies/testingProxy/toxics")
    expectJSON(list, 200)
    #expect(list.json == [made.json])
    #expect(try client.call("DELETE", "/proxies/testingProxy/toxics/LatencyToxicTest").status == 204)
  }

  /// What is not set in an object of its is left out when a toxic is made, and null when one is changed.
  @Test func whatIsNotSetIsAbsentOrNull() throws {
    try make()
    let made = try client.call(
      "POST", "/proxies/testingProxy/toxics", #"{"Attributes":{"Rate":1000},"Type":"bandwidth"}"#)
    #expect(made.json["name"] == "bandwidth_downstream" && made.json["toxicity"] == 1)
    let changed = try client.call(
      "POST", "/proxies/testingProxy/toxics/bandwidth_downstream",
      #"{"Attributes":{"Rate":2000},"Type":"bandwidth","Name":null,"Stream":null,"Toxicity":null}"#)
    expectJSON(changed, 200)
    #expect(changed.json["attributes"]["rate"] == 2000 && changed.json["toxicity"] == 1)
  }

  @Test func nameAndStreamOfAToxicDoNotChange() throws {
    try make()
    func toxic(_ name: String, _ stream: String, _ latency: Int) -> String {
      #"{"Attributes":{"Latency":\#(latency),"Jitter":0},"Type":"latency","Name":"\#(name)","Stream":"\#(stream)"}"#
    }
    try client.call("POST", "/proxies/testingProxy/toxics", toxic("Old", "UpStream", 5))
    try client.call("POST", "/proxies/testingProxy/toxics/Old", toxic("New", "DownStream", 20))
    let now = try client.call("GET", "/proxies/testingProxy/toxics/Old")
    #expect(now.json["name"] == "Old" && now.json["stream"] == "UpStream")
    #expect(now.json["attributes"]["latency"] == 20)
  }

  /// Attributes of two words are named as the API has them, the others in Pascal case.
  @Test(arguments: ToxicSample.all)
  func everyKindIsMade(sample: ToxicSample) throws {
    try make()
    let attributes = sample.attributes.map { name, value in
      #""\#(name.contains("_") ? name : name.prefix(1).uppercased() + name.dropFirst())":\#(value)"#
    }
    let body =
      #"{"Attributes":{\#(attributes.joined(separator: ","))},"Type":"\#(sample.type)","Name":"T","Stream":"DownStream"}"#
    let made = try client.call("POST", "/proxies/testingProxy/toxics", body)
    expectJSON(made, 200)
    for (name, value) in sample.attributes { #expect(made.json["attributes"][name].int == value) }
  }

  @Test func resetWhenAConnectionIsDisposed() throws {
    try make()
    try client.call("POST", "/proxies/testingProxy", Self.proxy("127.0.0.1:0", "google.com", enabled: false))
    #expect(try client.call("POST", "/reset").status == 204)
    #expect(try client.call("GET", "/proxies/testingProxy").json["enabled"] == true)
  }

  /// 404 and 409 are told by status; of anything else it reads the body, which must be JSON.
  @Test func failuresCanBeRead() throws {
    try make()
    #expect(try client.call("GET", "/proxies/DOESNOTEXIST").status == 404)
    #expect(try client.call("DELETE", "/proxies/DOESNOTEXIST").status == 404)
    #expect(try client.call("POST", "/proxies", Self.proxy("127.0.0.1:0", "google.com")).status == 409)
    let nameless = try client.call("POST", "/proxies", Self.proxy("127.0.0.1:0", "google.com", name: ""))
    #expect(nameless.status == 400 && nameless.json["status"] == 400)
  }

  /// .NET Framework asks before it sends a body, and keeps the connection.
  @Test func aBodyThatWaitsToBeAskedFor() throws {
    let connection = try Connection(to: daemon.api.address)
    let body = Self.proxy("127.0.0.1:0", "google.com")
    let fields = [
      "Content-Type: application/json; charset=utf-8", "Host: \(daemon.api.address)",
      "Content-Length: \(body.utf8.count)", "Expect: 100-continue", "Connection: Keep-Alive",
    ]
    #expect(try connection.exchange([Shape.head("POST", "/proxies", fields)]).status == 100)
    #expect(try connection.exchange([body]).status == 201)
    #expect(try connection.exchange(Shape.request("GET", "/proxies", nil, host: "localhost")).status == 200)
    // One that has no patience sends it anyway.
    let again = try connection.exchange([Shape.head("POST", "/proxies", fields) + body])
    #expect(try (again.status == 100 ? connection.receiveResponse() : again).status == 409)
  }
}
