import Testing

@testable import ControlAPI
@testable import Settings

/// Who is asked for the token, and what is said without it.
@Suite struct TokenTests {
  private static let text = "correct-horse-battery-staple"

  private func desk(_ way: Way) throws -> Desk {
    let desk = try Desk(way)
    desk.api.token = try AccessToken(text: Self.text.utf8)
    return desk
  }

  private func status(
    _ desk: Desk, _ authorization: [String], _ method: String = "GET", _ target: String = "/proxies"
  ) throws -> Int {
    try desk.call(method, target, headers: authorization.map { ("Authorization", $0) }).status
  }

  @Test(arguments: Way.allCases)
  func onlyTheTokenIsTheToken(_ way: Way) throws {
    let (desk, text) = (try desk(way), Self.text)
    for value in ["Bearer \(text)", "bearer \(text)", "BEARER  \(text)"] {
      #expect(try status(desk, [value]) == 200, "\(value)")
    }
    let wrong =
      ["", "Bearer", "Bearer ", text, "Basic \(text)", "Bearer \(text)x", "Bearer x\(text)", "Bearer \(text) \(text)"]
      + ["Bearer \(text.uppercased())", "Bearer \(text.dropLast())", "Bearer \(text)\(text)", "Bearer \"\(text)\""]
      + (0..<text.count).map { "Bearer \(text.prefix($0))" }
      + text.indices.map { place in
        var changed = text
        changed.replaceSubrange(place...place, with: text[place] == "x" ? "y" : "x")
        return "Bearer \(changed)"
      }
    for value in wrong { #expect(try status(desk, [value]) == 401, "\(value)") }
    // Which of two counts must not matter.
    #expect(try status(desk, ["Bearer \(text)", "Bearer wrong"]) == 401)
    #expect(try status(desk, ["Bearer wrong", "Bearer \(text)"]) == 401)
  }

  @Test(arguments: Way.allCases)
  func theRefusalSaysHowAndNothingElse(_ way: Way) throws {
    let desk = try desk(way)
    for (headers, challenge) in [
      ([], "Bearer"), ([("Authorization", "Bearer wrong-wrong-wrong")], #"Bearer error="invalid_token""#),
    ] as [([(String, String)], String)] {
      let reply = try desk.call("GET", "/proxies", headers: headers)
      #expect(reply.status == 401)
      #expect(reply.all("WWW-Authenticate") == [challenge])
      #expect(try reply.json()["status"] == .integer(401))
      #expect(!reply.text.contains(Self.text) && !reply.text.contains("wrong-wrong"))
    }
    // Not even which paths there are.
    #expect(try desk.call("GET", "/nowhere").status == 401)
    #expect(try desk.call("GET", "//nowhere").status == 401)
    #expect(try desk.call("OPTIONS", "/proxies").status == 401)
  }

  /// Each call that there is, by the router's own table: one that is added is asked for the token, too.
  @Test func everyCallAsksForItButProbesAndThePACFile() throws {
    let desk = try desk(.pure)
    var open: Set<String> = []
    for route in desk.api.router.routes {
      let methods = Set(route.handlers.keys).union(["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"])
      for method in methods {
        let path = route.path.replacing("{}", with: "x")
        if try desk.call(method, path).status != 401 { open.insert("\(method) \(path)") }
      }
    }
    let expected = ["/healthz", "/readyz", "/proxy.pac"].flatMap { ["GET \($0)", "HEAD \($0)"] }
    #expect(open == Set(expected))
  }

  /// Another spelling of an open path opens nothing.
  @Test func openPathsAreTakenLiterally() throws {
    let desk = try desk(.pure)
    for target in [
      "/healthz/", "/%68ealthz", "/healthz/../proxies", "//healthz", "/HEALTHZ", "/healthz%00", "/healthz/x",
    ] {
      #expect(try desk.call("GET", target).status == 401, "\(target)")
    }
    for target in ["/healthz", "/healthz?x", "http://127.0.0.1:8474/healthz"] {
      #expect(try desk.call("GET", target).status < 300, "\(target)")
    }
  }

  /// Browsers have no way to send a token: they learn where the proxies are, and no names of hosts.
  @Test func thePACFileKeepsTheRulesToItself() throws {
    let desk = try desk(.pure)
    let mine = [("Authorization", "Bearer \(Self.text)")]
    let rules = #"{"rules":[{"host":"secret-host.example","use":"direct"}]}"#
    #expect(try desk.call("PUT", "/rules", rules, headers: mine).status == 200)
    let proxy = #"{"name":"h","listen":"127.0.0.1:0","mode":"http"}"#
    #expect(try desk.call("POST", "/proxies", proxy, headers: mine).status == 201)
    let known = try desk.call("GET", "/proxy.pac", headers: mine).text
    let unknown = try desk.call("GET", "/proxy.pac").text
    #expect(known.contains("secret-host") && unknown.contains("PROXY 127.0.0.1:"))
    #expect(!unknown.contains("secret-host"))
    #expect(try desk.call("GET", "/proxy.pac", headers: [("Authorization", "Bearer wrong")]).status == 401)
  }

  /// The rules about web pages come first, whoever knows the token.
  @Test func theTokenOpensNothingToWebPages() throws {
    let desk = try desk(.pure)
    let mine = ("Authorization", "Bearer \(Self.text)")
    for header in [("Host", "evil.example"), ("Origin", "http://evil.example"), ("Sec-Fetch-Site", "cross-site")] {
      #expect(try desk.call("POST", "/reset", headers: [mine, header]).status == 403)
    }
  }

  @Test func aNewTokenHoldsAtOnce() throws {
    let desk = try desk(.live)
    #expect(try status(desk, ["Bearer \(Self.text)"]) == 200)
    desk.api.token = try AccessToken(text: "another-token-for-all".utf8)
    #expect(try status(desk, ["Bearer \(Self.text)"]) == 401)
    #expect(try status(desk, ["Bearer another-token-for-all"]) == 200)
    desk.api.token = nil
    #expect(try status(desk, []) == 200)
  }
}
