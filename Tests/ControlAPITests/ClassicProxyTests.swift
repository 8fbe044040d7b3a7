import Settings
import Testing

@testable import ControlAPI
@testable import Proxying

/// The classic API's proxies: bodies and texts to the letter (contract, sections 4 to 9).
@Suite struct ClassicProxyTests {
  @Test(arguments: Way.allCases)
  func version(_ way: Way) throws {
    let reply = try Desk(way).call("GET", "/version")
    #expect(reply.status == 200)
    #expect(reply.text == #"{"version": "2.12.0", "headwind": "\#(Version.current)"}"# + "\n")
    #expect(reply.header("Content-Type") == "application/json;charset=utf-8")
  }

  @Test(arguments: Way.allCases)
  func createShowListDelete(_ way: Way) throws {
    let desk = try Desk(way)
    #expect(try desk.call("GET", "/proxies").text == "{}")
    let made = try desk.call("POST", "/proxies", #"{"Name":"b","LISTEN":"127.0.0.1:0","upstream":"x:1"}"#)
    let listen = try #require(try made.json()["listen"]?.stringValue)
    let b = #"{"name":"b","listen":"\#(listen)","upstream":"x:1","enabled":true,"toxics":[]}"#
    #expect(made.status == 201 && made.text == b)
    #expect(made.header("Content-Type") == "application/json")
    let off = #"{"name":"a<&>","listen":"","upstream":"google.com","enabled":false}"#
    let a = #"{"name":"a\u003c\u0026\u003e","listen":"","upstream":"google.com","enabled":false,"toxics":[]}"#
    #expect(try desk.call("POST", "/proxies", off).text == a)
    #expect(try desk.call("GET", "/proxies").text == #"{"a\u003c\u0026\u003e":\#(a),"b":\#(b)}"#)
    #expect(try desk.call("GET", "/proxies/b").text == b)
    let deleted = try desk.call("DELETE", "/proxies/b")
    #expect(deleted.status == 204 && deleted.text.isEmpty)
    #expect(deleted.header("Content-Type") == nil && deleted.header("Content-Length") == nil)
    #expect(try desk.refusal("GET", "/proxies/b") == "404 proxy not found")
  }

  @Test(arguments: Way.allCases)
  func refusalsOfCreateInTheirOrder(_ way: Way) throws {
    let desk = try Desk(way)
    let taken = try desk.makeProxy("taken")
    for (body, text) in [
      ("{}", "400 missing required field: name"), ("null", "400 missing required field: name"),
      (#"{"name":"","upstream":"x"}"#, "400 missing required field: name"),
      (#"{"name":"p"}"#, "400 missing required field: upstream"),
      (#"{"name":"taken","upstream":"x","listen":"nonsense"}"#, "409 proxy already exists"),
      (
        #"{"name":"p","upstream":"x","listen":"nonsense"}"#,
        "500 listen tcp: address nonsense: missing port in address"
      ),
      (
        #"{"name":"p","upstream":"x","listen":"\#(taken)"}"#,
        "500 listen tcp \(taken): bind: Address already in use"
      ),
    ] {
      #expect(try desk.refusal("POST", "/proxies", body) == text)
    }
    for body in ["", "{", "[]", "7", #"{"name":7}"#, #"{"name":"p","upstream":"x","enabled":"yes"}"#] {
      #expect(try desk.refusal("POST", "/proxies", body).hasPrefix("400 bad request body: "), "\(body)")
    }
    #expect(try desk.call("GET", "/proxies").json().objectValue?.members.map(\.key) == ["taken"])
  }

  @Test(arguments: Way.allCases)
  func toxicsOfTheBodyAllOrNothing(_ way: Way) throws {
    let desk = try Desk(way)
    let body = #"{"name":"p","listen":"127.0.0.1:0","upstream":"x:1","toxics":["#
    let bad = try desk.refusal("POST", "/proxies", body + #"{"type":"latency"},{"type":"lag"}]}"#)
    #expect(bad == "400 toxics[1]: invalid toxic type")
    #expect(try desk.call("GET", "/proxies").text == "{}")
    let made = try desk.call("POST", "/proxies", body + #"{"type":"latency","attributes":{"latency":7}}]}"#)
    let toxic =
      #"{"attributes":{"latency":7,"jitter":0},"name":"latency_downstream","type":"latency","stream":"downstream","toxicity":1}"#
    #expect(made.text.hasSuffix(#""enabled":true,"toxics":[\#(toxic)]}"#))
    for empty in ["null", "[]"] {
      try desk.call("DELETE", "/proxies/p")
      let text = #"{"name":"p","listen":"127.0.0.1:0","upstream":"x:1","toxics":\#(empty)}"#
      #expect(try desk.call("POST", "/proxies", text).status == 201)
    }
  }

  @Test(arguments: Way.allCases, ["POST", "PATCH"])
  func update(_ way: Way, _ method: String) throws {
    let desk = try Desk(way)
    let listen = try desk.makeProxy()
    func text(_ listen: String, _ upstream: String, _ enabled: Bool) -> String {
      #"{"name":"web","listen":"\#(listen)","upstream":"\#(upstream)","enabled":\#(enabled),"toxics":[]}"#
    }
    let rows = [
      ("{}", text(listen, "127.0.0.1:1", true)),
      (#"{"name":"other","upstream":"y:2","toxics":[{"type":"nonsense"}]}"#, text(listen, "y:2", true)),
      (#"{"listen":null,"upstream":null,"enabled":null}"#, text(listen, "y:2", true)),
      (#"{"enabled":false}"#, text(listen, "y:2", false)), (#"{"Enabled":true}"#, text(listen, "y:2", true)),
      (#"{"listen":"localhost:55555","enabled":false}"#, text("localhost:55555", "y:2", false)),
    ]
    for (body, expected) in rows {
      let reply = try desk.call(method, "/proxies/web", body)
      #expect(reply.status == 200 && reply.text == expected, "\(body)")
    }
    #expect(try desk.refusal(method, "/proxies/nobody", "{") == "404 proxy not found")
    #expect(try desk.refusal(method, "/proxies/web", "{").hasPrefix("400 bad request body: "))
    #expect(
      try desk.refusal(method, "/proxies/web", #"{"listen":"nonsense","enabled":true}"#).hasPrefix("500 listen tcp"))
  }

  @Test(arguments: Way.allCases)
  func populate(_ way: Way) throws {
    let desk = try Desk(way)
    for body in ["[]", "null"] {
      let reply = try desk.call("POST", "/populate", body)
      #expect(reply.status == 201 && reply.text == #"{"proxies":[]}"#)
    }
    let made = try desk.call(
      "POST", "/populate",
      #"[{"name":"b","listen":"127.0.0.1:0","upstream":"x:1"},{"name":"a","upstream":"y:2","enabled":false}]"#)
    #expect(made.status == 201)
    #expect(try made.json().objectValue?.members.map(\.key) == ["proxies"])
    #expect(try made.json()["proxies"]?.arrayValue?.map { $0["name"]?.stringValue } == ["b", "a"])
    #expect(made.text.hasSuffix(#"{"name":"a","listen":"","upstream":"y:2","enabled":false,"toxics":[]}]}"#))
  }

  @Test(arguments: Way.allCases)
  func refusalsOfPopulate(_ way: Way) throws {
    let desk = try Desk(way)
    let good = #"{"name":"a","upstream":"x:1"}"#
    for (body, error, status) in [
      ("[{}]", "missing required field: name at proxy 1", 400),
      ("[\(good),{\"name\":\"b\"}]", "missing required field: upstream at proxy 2", 400),
      (
        #"[\#(good),{"name":"b","upstream":"x","listen":"nonsense"}]"#,
        "listen tcp: address nonsense: missing port in address", 500
      ),
      (#"[\#(good),{"name":"b","upstream":"x","profile":"3gg"}]"#, #"unknown profile "3gg""#, 400),
    ] {
      let reply = try desk.call("POST", "/populate", body)
      #expect(reply.status == status)
      #expect(reply.header("Content-Type") == "application/json")
      #expect(try reply.json()["error"]?.stringValue?.hasPrefix(error) ?? false, "\(reply.text)")
      #expect(reply.text.hasSuffix(#","status":\#(status),"proxies":[]}"#), "no newline, and a list")
    }
    #expect(try desk.call("GET", "/proxies").text == "{}")
  }

  /// The same list at every start of an application.
  @Test(arguments: Way.allCases)
  func populateTwice(_ way: Way) throws {
    let desk = try Desk(way)
    let listen = try desk.makeProxy()
    try desk.call("POST", "/proxies/web/toxics", #"{"type":"noop"}"#)
    let port = try #require(listen.split(separator: ":").last)
    for text in ["127.0.0.1:0", "127.0.0.1:\(port)", "localhost:\(port)"] {
      let body = #"[{"name":"web","listen":"\#(text)","upstream":"127.0.0.1:1"}]"#
      let proxy = try desk.call("POST", "/populate", body).json()["proxies"]?.arrayValue?.first
      #expect(proxy?["listen"]?.stringValue == listen)
      #expect(proxy?["toxics"]?.arrayValue?.count == 1)
    }
  }

  @Test(arguments: Way.allCases)
  func reset(_ way: Way) throws {
    let desk = try Desk(way)
    try desk.makeProxy()
    try desk.call("POST", "/proxies/web/toxics", #"{"type":"noop"}"#)
    try desk.call("POST", "/proxies/web", #"{"enabled":false}"#)
    let reply = try desk.call("POST", "/reset", "garbage")
    #expect(reply.status == 204 && reply.text.isEmpty)
    let shown = try desk.call("GET", "/proxies/web").text
    #expect(shown.hasSuffix(#""enabled":true,"toxics":[]}"#))
    try desk.call("POST", "/proxies", #"{"name":"bad","upstream":"x","listen":"nonsense","enabled":false}"#)
    #expect(try desk.refusal("POST", "/reset") == "500 listen tcp: address nonsense: missing port in address")
  }

  @Test(arguments: Way.allCases)
  func unknownKeysWarn(_ way: Way) throws {
    let desk = try Desk(way)
    let body = #"{"name":"p","listen":"127.0.0.1:0","upstream":"x:1","upsteam":1,"a\"é":2,"Logger":{}}"#
    let warnings = try desk.call("POST", "/proxies", body).all("Warning")
    #expect(
      warnings == [
        #"299 headwind "unknown key 'upsteam' was ignored""#, #"299 headwind "unknown key 'a''?' was ignored""#,
      ])
    #expect(try desk.call("POST", "/proxies/p", #"{"listem":1}"#).all("Warning").count == 1)
    let toxic = try desk.call("POST", "/proxies/p/toxics", #"{"type":"latency","attributes":{"lag":1}}"#)
    #expect(toxic.all("Warning") == [#"299 headwind "unknown key 'lag' in attributes was ignored""#])
    #expect(try desk.call("GET", "/proxies").all("Warning").isEmpty)
  }

  @Test(arguments: Way.allCases)
  func aProfileOfItsOwnIsShown(_ way: Way) throws {
    let desk = try Desk(way)
    let body = #"{"name":"p","listen":"127.0.0.1:0","upstream":"x:1","profile":"3g"}"#
    #expect(try desk.call("POST", "/proxies", body).text.hasSuffix(#""enabled":true,"profile":"3g","toxics":[]}"#))
    let unknown = try desk.refusal("POST", "/proxies", #"{"name":"q","upstream":"x:1","profile":"3gg"}"#)
    #expect(unknown.hasPrefix(#"400 unknown profile "3gg"; did you mean "3g"? known: "#))
  }
}
