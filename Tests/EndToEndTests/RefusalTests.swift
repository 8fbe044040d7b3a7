import Testing

/// Every refusal is JSON with the status in it, and changes nothing.
@Suite(.blocking)
struct RefusalTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var method = "GET"
    var target = "/proxies"
    var body: String?
    var headers: [String: String] = [:]
    let status: Int
    /// A part of the message.
    var says = ""

    var testDescription: String { "\(method) \(target.prefix(40)) \(headers) \(body?.prefix(40) ?? "") → \(status)" }
  }

  static let cases = [
    Case(method: "POST", body: "{", status: 400, says: "bad request body"),
    Case(method: "POST", body: #"{"name":"x"}"#, status: 400, says: "missing required field: upstream"),
    Case(target: "/proxies/%zz", status: 400),
    Case(target: "/proxies", headers: ["Host": "attacker.example.com"], status: 403, says: "attacker.example.com"),
    Case(target: "/proxies", headers: ["Origin": "http://attacker.example.com"], status: 403, says: "origin"),
    Case(target: "/proxies", headers: ["Sec-Fetch-Site": "cross-site"], status: 403, says: "cross-site"),
    Case(target: "/proxies", headers: ["User-Agent": "Mozilla/5.0"], status: 403, says: "User agent not allowed"),
    Case(
      method: "POST", body: #"{"name":"x","upstream":"x:1"}"#, headers: ["Host": "attacker.example.com"], status: 403),
    Case(target: "/nothing/here", status: 404),
    Case(target: "/proxies/unknown", status: 404, says: "proxy not found"),
    Case(target: "/proxies/p/toxics/unknown", status: 404, says: "toxic not found"),
    Case(target: "/proxies/", status: 404),
    Case(method: "DELETE", target: "/proxies", status: 405),
    Case(method: "PATCH", target: "/profile/3g", body: "{}", status: 405),
    Case(method: "POST", body: #"{"name":"p","upstream":"x:1"}"#, status: 409, says: "proxy already exists"),
    Case(method: "POST", body: String(repeating: " ", count: 10_000_000), status: 413),
    Case(method: "BREW", target: "/proxies", status: 405),
    Case(method: "BREW", target: "/nothing", status: 404),
    Case(method: "PUT", target: "/profile/3gg", status: 404, says: "3g"),
    Case(method: "PUT", target: "/profile/edge?for=soon", status: 400, says: "soon"),
  ]

  @Test(arguments: cases)
  func isJSONAndChangesNothing(_ refused: Case) throws {
    let upstream = try Upstream.silent()
    let daemon = try Daemon(["p": upstream.address])
    let before = try daemon.api.get("/proxies").json
    let answer = try daemon.api.send(refused.method, refused.target, refused.body, headers: refused.headers)
    #expect(answer.status == refused.status)
    #expect(answer.json["status"].int == refused.status)
    #expect(!answer.error.isEmpty)
    #expect(answer.error.contains(refused.says), "\(answer.error)")
    #expect(answer.header("Content-Type") == "application/json")
    if refused.status == 405 { #expect(answer.header("Allow")?.isEmpty == false) }
    #expect(try daemon.api.get("/proxies").json == before)
    #expect(try daemon.api.get("/profile").json["name"] == "none")
  }

  @Test(arguments: ["localhost", "127.0.0.1:1", "[::1]", "headwind", "box.internal"])
  func ordinaryHostsAreServed(host: String) throws {
    let daemon = try Daemon()
    #expect(try daemon.api.send("GET", "/proxies", headers: ["Host": host]).status == 200)
  }

  @Test func theSameOriginAndAnAllowedHostAreServed() throws {
    let daemon = try Daemon([:], ["--allow-host", "box.example.com"])
    let headers = ["Host": "box.example.com:8474", "Origin": "http://box.example.com:8474"]
    #expect(try daemon.api.send("GET", "/proxies", headers: headers).status == 200)
  }
}
