import Testing

/// Headwind's own calls.
@Suite(.blocking)
struct NativeAPITests {
  @Test func theGlobalProfileIsSwitchedWithoutABody() throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon(["p": upstream.address])
    let before = try daemon.api.get("/profile").json
    #expect(before.keys.isSuperset(of: ["name", "since", "reverts_at"]))
    #expect(before["name"] == "none")
    #expect(before["reverts_at"] == nil)
    let client = try daemon.connect()
    #expect(try client.echo("quick") == "quick")

    let put = try daemon.api.put("/profile/3g")
    #expect(put.status == 200)
    #expect(put.json["name"] == "3g")
    #expect(try daemon.api.get("/profile").json == put.json)
    #expect(try client.echoTime("slow") >= .milliseconds(50))
    #expect(try daemon.sessions.first?["profile"] == "3g")

    let cleared = try daemon.api.delete("/profile")
    #expect(cleared.status == 200)
    #expect(cleared.json["name"] == "none")
    #expect(try client.echo("quick again") == "quick again")
  }

  @Test func anAliasNamesItsProfile() throws {
    let daemon = try Daemon()
    #expect(try daemon.api.put("/profile/egprs").json["name"] == "edge")
    #expect(try daemon.api.get("/profiles/egprs").json["name"] == "edge")
  }

  @Test func aProxysOwnProfileComesBeforeTheGlobalOne() throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon(["a": upstream.address, "b": upstream.address])
    let (a, b) = (try daemon.connect("a"), try daemon.connect("b"))
    #expect(try a.echo("-") + b.echo("-") == "--")
    #expect(try daemon.api.put("/proxies/a/profile/edge").json["name"] == "edge")
    #expect(try a.echoTime("a") >= .milliseconds(300))
    #expect(try b.echoTime("b") < .milliseconds(300))
    try daemon.api.use("100-loss")
    #expect(try a.echo("still there") == "still there")
    try daemon.api.use("none")
    #expect(try daemon.api.delete("/proxies/a/profile").status == 200)
    #expect(try daemon.api.get("/proxies/a/profile").json["name"] == "none")
    #expect(try a.echoTime("a") < .milliseconds(300))
  }

  @Test(arguments: ["/profile", "/proxies/p/profile"])
  func aTemporaryProfileRevertsByItself(path: String) throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon(["p": upstream.address])
    try daemon.api.put("\(path)/lte")
    let start = ContinuousClock.now
    let put = try daemon.api.put("\(path)/edge?for=300ms")
    #expect(put.json["name"] == "edge")
    #expect(put.json["reverts_at"].string != nil)
    #expect(try eventually { try daemon.api.get(path).json["name"] == "lte" })
    #expect(ContinuousClock.now - start >= .milliseconds(300))
    #expect(try daemon.api.get(path).json["reverts_at"] == nil)
    let causes = try daemon.events("profile_switched").map { $0["cause"].string }
    #expect(causes == ["set", "set", "expired"])
  }

  @Test func theCatalogueHasEveryNumber() throws {
    let daemon = try Daemon()
    let answer = try daemon.api.get("/profiles").json
    let profiles = answer["profiles"].array
    let names = profiles.compactMap { $0["name"].string }
    #expect(names == names.sorted())
    #expect(Set(names).isSuperset(of: ["edge", "3g", "lte", "flaky", "offline", "none", "100-loss"]))
    for profile in profiles {
      #expect(profile.keys.isSuperset(of: ["name", "aliases", "summary", "source"]), "\(profile)")
    }
    let edge = try daemon.api.get("/profiles/edge").json
    #expect(profiles.contains(edge))
    #expect(
      edge["path"] == [
        "latency_ms": 400, "jitter_ms": 100, "dns_latency_ms": 0, "downstream_bytes_per_second": 30_000,
        "upstream_bytes_per_second": 30_000, "downstream_loss": 0, "upstream_loss": 0, "model": "tcp",
      ])
    let flaky = try daemon.api.get("/profiles/flaky").json["toxics"][0]
    #expect(flaky["type"] == "drop")
    #expect(flaky["attributes"]["probability"] == 0.3)
  }

  @Test func aProfileIsDefinedUsedAndRemoved() throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon(["p": upstream.address])
    let body = #"{"summary":"120 ms","source":"a test","path":{"latency_ms":120}}"#
    #expect(try daemon.api.put("/profiles/mine", body).status == 201)
    try daemon.api.use("mine")
    #expect(try daemon.api.delete("/profiles/mine").status == 409, "it is in force")
    let client = try daemon.connect()
    #expect(try client.echoTime("x") >= .milliseconds(120))
    #expect(
      try daemon.api.put("/profiles/mine", #"{"summary":"-","source":"-","path":{"latency_ms":0}}"#).status == 200)
    #expect(try client.echoTime("x") < .milliseconds(120), "redefined while in force")
    try daemon.api.delete("/profile")
    #expect(try daemon.api.delete("/profiles/mine").status == 204)
    #expect(try daemon.api.put("/profile/mine").status == 404)
  }

  @Test func sessionsShowBytesAsTheyGrow() throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon(["p": upstream.address])
    let client = try daemon.connect()
    for round in 1...3 {
      #expect(try client.echo("0123456789") == "0123456789")
      let sessions = try daemon.sessions
      try #require(sessions.count == 1)
      #expect(sessions[0]["upstream_bytes"].int == round * 10)
      #expect(sessions[0]["downstream_bytes"].int == round * 10)
    }
    let session = try daemon.sessions[0]
    let keys: Set<String> = [
      "id", "proxy", "client", "upstream", "profile", "opened_at", "upstream_bytes", "downstream_bytes",
      "buffered_bytes", "decisions",
    ]
    #expect(session.keys.isSuperset(of: keys))
    #expect(session["proxy"] == "p")
    #expect(session["profile"] == "none")
    #expect(session["upstream"].string == upstream.address.description)
    #expect(session["buffered_bytes"] == 0)
    #expect(session["decisions"] == [])
    client.close()
    #expect(try eventually { try daemon.sessions.isEmpty })
  }

  @Test func aSessionIsEndedByItsNumber() throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon(["p": upstream.address])
    let client = try daemon.connect()
    #expect(try client.echo("x") == "x")
    let id = try #require(daemon.sessions.first?["id"].int)
    #expect(try daemon.api.delete("/sessions/\(id)").status == 204)
    #expect(try client.outcome() == .reset)
    #expect(try daemon.api.delete("/sessions/\(id)").status == 404)
  }

  @Test func healthAndReadiness() throws {
    let daemon = try Daemon()
    #expect(try daemon.api.get("/healthz").status == 200)
    #expect(try daemon.api.get("/readyz").status == 200)
  }
}

/// What happened, told once and in order.
@Suite(.blocking)
struct EventTests {
  @Test func eventsAreNumberedAndReadFromAnyPointOn() throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon(["p": upstream.address])
    let client = try daemon.connect()
    #expect(try client.echo("x") == "x")
    client.close()
    try daemon.api.use("3g")
    #expect(try eventually { try !daemon.events("session_closed").isEmpty })
    let events = try daemon.api.get("/events").json["events"].array
    let identifiers = events.compactMap { $0["id"].int }
    #expect(identifiers == Array(1...events.count))
    #expect(events.allSatisfy { $0.keys.isSuperset(of: ["id", "at", "type"]) })
    let types = events.compactMap { $0["type"].string }
    #expect(types.filter { $0 == "session_opened" }.count == 1)
    let closed = try #require(events.first { $0["type"] == "session_closed" })
    #expect(closed["proxy"] == "p")
    #expect(closed["session"] == events.first { $0["type"] == "session_opened" }?["session"])
    let rest = try daemon.api.get("/events?since=\(events.count - 1)").json["events"].array
    #expect(rest == [events[events.count - 1]])
    #expect(try daemon.api.get("/events?since=\(events.count)").json["events"] == [])
    #expect(try daemon.api.get("/events?since=x").status == 400)
  }

  @Test func eventsStreamAsTheyHappen() throws {
    let daemon = try Daemon()
    let stream = try Connection(to: daemon.api.address)
    try stream.send("GET /events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
    var text = ""
    func arrives(_ wanted: String) throws -> Bool {
      try eventually {
        if case .bytes(let bytes) = try stream.receive(within: .milliseconds(20)) {
          text += String(decoding: bytes, as: UTF8.self)
        }
        return text.contains(wanted)
      }
    }
    // The comment with which the stream opens: from here on nothing is missed.
    #expect(try arrives(": headwind\n\n"))
    #expect(text.lowercased().contains("content-type: text/event-stream"))
    try daemon.api.use("edge")
    #expect(try arrives("event: profile_switched\n"))
    #expect(try arrives(#""to":"edge""#))
    try daemon.api.use("lte")
    #expect(try arrives(#""to":"lte""#))
    #expect(try daemon.api.get("/healthz").status == 200)
  }

  @Test func aStreamResumesBehindTheLastEventSeen() throws {
    let daemon = try Daemon()
    for profile in ["edge", "3g", "lte"] { try daemon.api.use(profile) }
    let events = try daemon.api.get("/events").json["events"].array
    let last = try #require(events.first { $0["to"] == "3g" }?["id"].int)
    let stream = try Connection(to: daemon.api.address)
    try stream.send(
      "GET /events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nLast-Event-ID: \(last)\r\n\r\n")
    var text = ""
    #expect(
      try eventually {
        if case .bytes(let bytes) = try stream.receive(within: .milliseconds(20)) {
          text += String(decoding: bytes, as: UTF8.self)
        }
        return text.contains(#""to":"lte""#)
      })
    #expect(!text.contains(#""to":"3g""#))
  }
}
