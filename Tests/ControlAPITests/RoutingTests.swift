import Settings
import Testing

@testable import ControlAPI
@testable import Proxying

@Suite struct RoutingTests {
  @Test(arguments: Way.allCases)
  func unknownPathsAre404(_ way: Way) throws {
    let desk = try Desk(way)
    for path in [
      "/", "/proxies/", "/Proxies", "/prox", "/proxies/a/b", "/proxies/a/toxics/b/c", "/version/", "/..",
      "/a/../proxies",
      "/profile/", "/events/1",
    ] {
      for method in ["GET", "POST", "PUT", "DELETE"] {
        let refusal = try desk.refusal(method, path)
        #expect(refusal.hasPrefix("404 "), "\(method) \(path)")
      }
    }
    #expect(try desk.call("GET", "/nowhere").header("X-Toxiproxy-Request-Id") == nil)
  }

  @Test(arguments: Way.allCases)
  func wrongMethodsAre405WithAllow(_ way: Way) throws {
    let desk = try Desk(way)
    for (method, path, allow) in [
      ("DELETE", "/proxies", "GET, POST"), ("POST", "/version", "GET"), ("GET", "/populate", "POST"),
      ("GET", "/reset", "POST"), ("PUT", "/proxies/p", "DELETE, GET, PATCH, POST"),
      ("PATCH", "/proxies/p/toxics", "GET, POST"), ("PUT", "/proxies/p/toxics/t", "DELETE, GET, PATCH, POST"),
      ("GET", "/profile/3g", "PUT"), ("POST", "/profile", "DELETE, GET"), ("POST", "/events", "GET"),
      ("GET", "/sessions/1", "DELETE"), ("TRACE", "/proxies", "GET, POST"),
    ] {
      let reply = try desk.call(method, path)
      #expect(reply.header("Allow") == allow, "\(method) \(path)")
      #expect(try desk.refusal(method, path).hasPrefix("405 method not allowed"))
    }
    #expect(
      try desk.refusal("PUT", "/profile", #"{"name":"3g"}"#)
        == "405 method not allowed; allowed: DELETE, GET; PUT is for /profile/NAME")
    #expect(try desk.refusal("POST", "/events") == "405 method not allowed; allowed: GET")
  }

  @Test(arguments: [
    ("/", ""), ("/nowhere", ""), ("/proxies/p/toxics/t/u", ""),
    ("/proxie/p/toxic", ""), ("/profil/3g", #"; did you mean "/profile/3g"?"#),
    ("/proxies/", #"; did you mean "/proxies"?"#),
    ("/porxies/web/toxics", #"; did you mean "/proxies/web/toxics"?"#),
  ]) func whatIsNotThereIsToldWithWhatIsNear(path: String, hint: String) throws {
    let desk = try Desk(.pure)
    #expect(try desk.refusal("GET", path) == "404 not found; GET /openapi.json describes every call\(hint)")
  }

  @Test(arguments: Way.allCases)
  func optionsAndHead(_ way: Way) throws {
    let desk = try Desk(way)
    let options = try desk.call("OPTIONS", "/proxies")
    #expect(options.status == 204 && options.text.isEmpty)
    #expect(options.header("Allow") == "GET, POST")
    #expect(options.header("Access-Control-Allow-Origin") == nil)
    #expect(try desk.call("HEAD", "/proxies").status == 200)
    #expect(try desk.call("HEAD", "/proxies/nobody").status == 404)
    #expect(try desk.call("HEAD", "/reset").status == 405)
    let events = try desk.call("HEAD", "/events", headers: [("Accept", "text/event-stream")])
    #expect(events.status == 200)
    if way == .live { #expect(events.text.isEmpty) }
  }

  @Test(arguments: Way.allCases)
  func doubledSlashesAreRedirected(_ way: Way) throws {
    let desk = try Desk(way)
    for (path, location) in [
      ("//proxies", "/proxies"), ("/proxies//a", "/proxies/a"), ("///", "/"), ("//evil.example/x", "/evil.example/x"),
      ("//profile?a=b//c", "/profile?a=b//c"),
    ] {
      let reply = try desk.call("GET", path)
      #expect(reply.status == 301 && reply.header("Location") == location, "\(path)")
    }
  }

  @Test(arguments: Way.allCases)
  func brokenEscapesAre400(_ way: Way) throws {
    let desk = try Desk(way)
    for path in ["/proxies/%", "/proxies/%2", "/proxies/%zz", "/proxies/a%G0", "/%+1"] {
      #expect(try desk.refusal("GET", path).hasPrefix("400 the path holds a broken percent escape"), "\(path)")
    }
  }

  /// RFC 9112 §3.2.2: a server takes the form that is meant for proxies, too.
  @Test(arguments: Way.allCases)
  func absoluteTargetsCountAsTheirPath(_ way: Way) throws {
    let desk = try Desk(way)
    for target in ["http://localhost/version", "HTTP://127.0.0.1:8474/version", "http://localhost/version?x=/y"] {
      #expect(try desk.call("GET", target).status == 200, "\(target)")
    }
    #expect(try desk.call("GET", "http://localhost").status == 404)
  }

  /// The reference can't reach some of these.
  @Test(arguments: Way.allCases)
  func everyNameIsReachable(_ way: Way) throws {
    let desk = try Desk(way)
    for (name, path) in [
      ("a/b", "a%2Fb"), ("a/b", "a%2fb"), (".", "."), (".", "%2E"), ("..", ".."), ("two words", "two%20words"),
      ("?#&", "%3F%23%26"), ("100%", "100%25"), ("é", "%C3%A9"), ("+", "+"), ("/", "%2F"), ("toxics", "toxics"),
      ("proxies", "proxies"),
    ] {
      try desk.makeProxy(name, upstream: "x:1")
      let shown = try desk.call("GET", "/proxies/\(path)")
      #expect(shown.status == 200, "\(path)")
      #expect(try shown.json()["name"]?.stringValue == name)
      try desk.call("POST", "/proxies/\(path)/toxics", #"{"type":"noop","name":"x/y"}"#)
      #expect(try desk.call("GET", "/proxies/\(path)/toxics/x%2Fy").status == 200, "\(path)")
      #expect(try desk.call("DELETE", "/proxies/\(path)").status == 204, "\(path)")
    }
    #expect(try desk.call("GET", "/proxies").text == "{}")
  }

  @Test(arguments: Way.allCases)
  func queriesOfClassicCallsAreIgnored(_ way: Way) throws {
    #expect(try Desk(way).call("GET", "/proxies?a=b%").text == "{}")
  }
}

@Suite struct LifetimeTests {
  /// The routes are closures that the API itself holds.
  @Test func anAPIGoesWithItsOwner() throws {
    weak var api: API?
    try {
      let desk = try Desk(.pure)
      _ = try desk.call("GET", "/version")
      api = desk.api
      #expect(api != nil)
    }()
    #expect(api == nil)
  }
}
