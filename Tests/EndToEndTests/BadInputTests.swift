import Testing

/// Requests that are wrong in every way: a clear refusal, and the daemon goes on as if nothing had been.
@Suite(.blocking)
struct BadInputTests {
  struct Input: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var method = "POST"
    var target = "/proxies"
    var body: String
    var status = 400
    /// Parts of the message.
    var says: [String] = []
  }

  private static func toxic(_ name: String, _ attributes: String) -> Input {
    Input(
      testDescription: name, target: "/proxies/p/toxics",
      body: #"{"name":"t","type":"\#(name.prefix { $0 != " " })","attributes":\#(attributes)}"#)
  }

  static let inputs = [
    Input(testDescription: "malformed JSON", body: #"{"name":"x","#, says: ["bad request body"]),
    Input(testDescription: "words", body: "hello", says: ["bad request body"]),
    Input(testDescription: "binary", body: "\u{0}\u{1}\u{FFFD}", says: ["bad request body"]),
    Input(testDescription: "an empty body", body: "", says: ["bad request body"]),
    Input(testDescription: "an array for an object", body: "[]"),
    Input(testDescription: "a number for a name", body: #"{"name":1,"upstream":"x:1"}"#),
    Input(testDescription: "a text for a switch", body: #"{"name":"x","upstream":"x:1","enabled":"no"}"#),
    Input(testDescription: "no name", body: #"{"upstream":"x:1"}"#, says: ["missing required field: name"]),
    Input(
      testDescription: "an unlistenable address", body: #"{"name":"x","upstream":"x:1","listen":"nonsense"}"#,
      status: 500),
    Input(
      testDescription: "an unresolvable listen name",
      body: #"{"name":"x","upstream":"x:1","listen":"nowhere.invalid:0"}"#, status: 500, says: ["nowhere.invalid"]),
    Input(
      testDescription: "a huge port", body: #"{"name":"x","upstream":"x:1","listen":"127.0.0.1:99999"}"#, status: 500),
    Input(
      testDescription: "an unknown profile", method: "PUT", target: "/profile/ltee", body: "", status: 404,
      says: ["ltee", #"did you mean "lte""#, "3g", "edge", "flaky", "offline"]),
    Input(
      testDescription: "an unknown profile for one proxy", method: "PUT", target: "/proxies/p/profile/edgy", body: "",
      status: 404, says: ["edge"]),
    Input(testDescription: "populate with an object", target: "/populate", body: #"{"name":"x"}"#),
    Input(testDescription: "populate with a hole", target: "/populate", body: #"[{"name":"x","upstream":"x:1"},{}]"#),
    Input(testDescription: "1,000 nested arrays", body: String(repeating: "[", count: 1000)),
    Input(
      testDescription: "1,000 nested objects",
      body: String(repeating: #"{"a":"#, count: 1000) + "1" + String(repeating: "}", count: 1000)),
    Input(
      testDescription: "1,000 nested arrays as attributes", target: "/proxies/p/toxics",
      body: #"{"type":"latency","attributes":"# + String(repeating: "[", count: 1000)
        + String(repeating: "]", count: 1000) + "}"),
    Input(
      testDescription: "a body of 10 MB", body: #"{"name":""# + String(repeating: "x", count: 10_000_000) + #""}"#,
      status: 413),
    toxic("latency NaN", #"{"latency":NaN}"#),
    toxic("latency Infinity", #"{"latency":Infinity}"#),
    toxic("latency 1e400", #"{"latency":1e400}"#),
    toxic("latency beyond 64 bits", #"{"latency":9223372036854775808}"#),
    toxic("latency with a fraction", #"{"latency":1.5}"#),
    toxic("latency as text", #"{"latency":"100"}"#),
    toxic("latency with a huge jitter", #"{"latency":1,"jitter":9000000000000000000}"#),
    toxic("bandwidth negative", #"{"rate":-1}"#),
    toxic("bandwidth huge", #"{"rate":90000000000000001}"#),
    toxic("nonsense", "{}"),
    Input(
      testDescription: "a toxicity beyond a float", target: "/proxies/p/toxics",
      body: #"{"type":"latency","toxicity":1e40}"#),
    Input(testDescription: "a wrong stream", target: "/proxies/p/toxics", body: #"{"type":"latency","stream":"up"}"#),
    Input(
      testDescription: "a profile with an unknown key", method: "PUT", target: "/profiles/new",
      body: #"{"summary":"-","source":"-","path":{"latency":1}}"#, says: ["latency", "latency_ms"]),
    Input(
      testDescription: "a profile with a negative rate", method: "PUT", target: "/profiles/new",
      body: #"{"summary":"-","source":"-","path":{"downstream_bytes_per_second":-5}}"#,
      says: ["downstream_bytes_per_second", "-5"]),
    Input(
      testDescription: "a profile with a probability above 1", method: "PUT", target: "/profiles/new",
      body:
        #"{"summary":"-","source":"-","toxics":[{"type":"drop","attributes":{"probability":1.1,"per":"exchange"}}]}"#,
      says: ["probability", "1.1"]),
  ]

  /// Nothing of a refused request may be left, and the proxy goes on.
  private func expectUntouched(_ daemon: Daemon, since before: JSONValue) throws {
    #expect(try daemon.api.get("/proxies").json == before)
    #expect(try daemon.api.get("/profile").json["name"] == "none")
    #expect(daemon.isEchoing())
    #expect(daemon.program.ended() == nil)
  }

  @Test(arguments: inputs)
  func isRefusedAndChangesNothing(input: Input) throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon(["p": upstream.address])
    let (before, profiles) = (try daemon.api.get("/proxies").json, try daemon.api.get("/profiles").json)
    let answer = try daemon.api.send(input.method, input.target, input.body)
    #expect(answer.status == input.status)
    #expect(answer.json["status"].int == input.status)
    #expect(!answer.error.isEmpty)
    for part in input.says { #expect(answer.error.contains(part), "\(answer.error)") }
    try expectUntouched(daemon, since: before)
    #expect(try daemon.api.get("/profiles").json == profiles)
  }

  @Test func aPortInUseLeavesNothing() throws {
    let taken = try ListeningSocket()
    let upstream = try Upstream.echo()
    let daemon = try Daemon(["p": upstream.address])
    let before = try daemon.api.get("/proxies").json
    let body = #"{"name":"x","upstream":"\#(upstream.address)","listen":"\#(taken.address)"}"#
    let answer = try daemon.api.post("/proxies", body)
    #expect(answer.status == 500)
    #expect(answer.error.contains("\(taken.address)") && answer.error.contains("in use"), "\(answer.error)")
    try expectUntouched(daemon, since: before)
    taken.close()
    #expect(try daemon.api.post("/proxies", body).status == 201)
  }

  struct Noise: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let text: String
  }

  private static func post(_ fields: String, _ body: String = "") -> String {
    "POST /reset HTTP/1.1\r\nHost: x\r\n\(fields)\r\n\r\n\(body)"
  }

  static let noises = [
    Noise(testDescription: "empty lines", text: "\r\n\r\n"),
    Noise(testDescription: "a method alone", text: "GET\r\n\r\n"),
    Noise(testDescription: "HTTP/9.9", text: "GET / HTTP/9.9\r\n\r\n"),
    Noise(testDescription: "no Host", text: "GET /proxies HTTP/1.1\r\n\r\n"),
    Noise(testDescription: "TLS", text: "\u{16}\u{3}\u{1}\u{0}\u{5}hello\r\n\r\n"),
    Noise(testDescription: "a negative length", text: post("Content-Length: -1")),
    Noise(testDescription: "a huge length", text: post("Content-Length: 99999999999999999999")),
    Noise(testDescription: "a chunk of no size", text: post("Transfer-Encoding: chunked", "zz\r\n")),
    Noise(testDescription: "two lengths", text: post("Transfer-Encoding: chunked\r\nContent-Length: 5", "0\r\n\r\n")),
    Noise(
      testDescription: "a long path", text: "GET /\(String(repeating: "a", count: 100_000)) HTTP/1.1\r\nHost: x\r\n\r\n"
    ),
    Noise(testDescription: "a long field", text: post("X-Long: " + String(repeating: "b", count: 100_000))),
    Noise(testDescription: "many fields", text: post(String(repeating: "X-Many: x\r\n", count: 10_000) + "X: x")),
  ]

  @Test(arguments: noises)
  func whatIsNoRequestIsRefused(noise: Noise) throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon(["p": upstream.address])
    let before = try daemon.api.get("/proxies").json
    let connection = try Connection(to: daemon.api.address)
    try? connection.send(noise.text)
    connection.finish()
    let answer = try connection.receiveToEnd()
    // No answer at all is fine for what doesn't speak HTTP.
    if !answer.isEmpty {
      let response = try API.parse(answer)
      #expect((400...599).contains(response.status))
      #expect(response.json["status"].int == response.status)
    }
    try expectUntouched(daemon, since: before)
  }

  @Test func requestsThatNeverEndAreCutOffAndHoldUpNobody() throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon(["p": upstream.address])
    let before = try daemon.api.get("/proxies").json
    let heads = [
      "", "P", "POST /proxies HT", "POST /proxies HTTP/1.1\r\nHost: x\r\n",
      "POST /proxies HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{\"name\":",
      "POST /proxies HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{",
    ]
    let stuck = try heads.map { head in
      let connection = try Connection(to: daemon.api.address)
      try connection.send(head)
      return connection
    }
    let dripping = try Connection(to: daemon.api.address)
    let start = ContinuousClock.now
    let drip = Worker {
      // A byte now and then doesn't win more time than silence.
      try dripping.send("GET /proxies HTTP/1.1\r\nHost: x\r\nX-Drip: ")
      return try eventually(within: .seconds(25)) {
        do { try dripping.send("x") } catch { return true }
        return try dripping.receive(within: .milliseconds(200)) != .nothing
      }
    }
    for _ in 1...20 {
      #expect(try daemon.api.get("/proxies").json == before)
      #expect(daemon.isEchoing())
    }
    // 15 s for a request; the empty one has sent none and may stay longer.
    for connection in stuck.dropFirst() {
      let answer = try connection.receiveToEnd(within: .seconds(20))
      #expect(try API.parse(answer).status == 408)
    }
    #expect(try drip.value())
    #expect(ContinuousClock.now - start > .seconds(10))
    #expect(try stuck[0].receive(within: .zero) == .nothing)
    try expectUntouched(daemon, since: before)
  }
}
