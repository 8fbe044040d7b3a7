#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

import Testing

/// toxiproxy's calls, as its clients make them.
@Suite(.blocking)
struct ClassicAPITests {
  @Test func aProxyIsMadeListedShownAndDeleted() throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon()
    let made = try daemon.api.post(
      "/proxies", #"{"name":"web","listen":"127.0.0.1:0","upstream":"\#(upstream.address)"}"#)
    #expect(made.status == 201)
    let listen = try #require(made.json["listen"].string)
    let expected: JSONValue = [
      "name": "web", "listen": .string(listen), "upstream": .string(upstream.address.description), "enabled": true,
      "toxics": [],
    ]
    #expect(made.json == expected)
    #expect(try Address(listen).port > 0)
    #expect(try daemon.api.get("/proxies").json == ["web": expected])
    #expect(try daemon.api.get("/proxies/web").json == expected)
    #expect(try Connection(to: Address(listen)).echo("hello") == "hello")
    let deleted = try daemon.api.delete("/proxies/web")
    #expect(deleted.status == 204)
    #expect(deleted.body.isEmpty)
    #expect(try daemon.api.get("/proxies").json == [:])
    #expect(throws: SocketError(call: "connect", code: ECONNREFUSED)) { try Connection(to: Address(listen)) }
  }

  @Test(arguments: ["POST", "PATCH"])
  func anUpdateSwapsTheUpstream(method: String) throws {
    let first = try Upstream { try $0.send("first") }
    let second = try Upstream { try $0.send("second") }
    let daemon = try Daemon(["p": first.address])
    #expect(try daemon.connect().receive(exactly: 5) == Array("first".utf8))
    let update = try daemon.api.send(method, "/proxies/p", #"{"upstream":"\#(second.address)"}"#)
    #expect(update.status == 200)
    #expect(update.json["upstream"].string == second.address.description)
    #expect(try daemon.connect().receive(exactly: 6) == Array("second".utf8))
  }

  @Test func anUpdateThatChangesNothingKeepsConnections() throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon(["p": upstream.address])
    let client = try daemon.connect()
    #expect(try client.echo("before") == "before")
    let same = #"{"listen":"\#(try daemon.listen())","upstream":"\#(upstream.address)","enabled":true}"#
    #expect(try daemon.api.post("/proxies/p", same).status == 200)
    #expect(try client.echo("after") == "after")
  }

  @Test func aFailedUpdateLeavesTheProxyServing() throws {
    let upstream = try Upstream.echo()
    let taken = try ListeningSocket()
    let daemon = try Daemon(["p": upstream.address])
    let client = try daemon.connect()
    #expect(try client.echo("before") == "before")
    let before = try daemon.api.get("/proxies/p").json
    let update = try daemon.api.post("/proxies/p", #"{"listen":"\#(taken.address)"}"#)
    #expect(update.status == 500)
    #expect(update.error.contains("in use"), "\(update.error)")
    #expect(try daemon.api.get("/proxies/p").json == before)
    #expect(try client.echo("after") == "after")
    #expect(daemon.isEchoing())
  }

  @Test func aNewListenAddressMovesTheProxy() throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon(["p": upstream.address])
    let old = try daemon.listen()
    let port = try ListeningSocket.freePort()
    let update = try daemon.api.post("/proxies/p", #"{"listen":"127.0.0.1:\#(port)"}"#)
    #expect(update.json["listen"].string == "127.0.0.1:\(port)")
    #expect(try Connection(to: Address(host: "127.0.0.1", port: port)).echo("moved") == "moved")
    #expect(throws: SocketError(call: "connect", code: ECONNREFUSED)) { try Connection(to: old) }
  }

  @Test func latencyIsAddedUpdatedAndRemovedLive() throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon(["p": upstream.address])
    let client = try daemon.connect()
    func exchangeTime() throws -> Duration { try client.echoTime() }
    _ = try exchangeTime()
    let added = try daemon.api.post("/proxies/p/toxics", #"{"type":"latency","attributes":{"latency":200}}"#)
    #expect(added.status == 200)
    let shape: JSONValue = [
      "name": "latency_downstream", "type": "latency", "stream": "downstream", "toxicity": 1,
      "attributes": ["latency": 200, "jitter": 0],
    ]
    #expect(added.json == shape)
    #expect(try daemon.api.get("/proxies/p/toxics").json == [shape])
    #expect(try daemon.api.get("/proxies/p/toxics/latency_downstream").json == shape)
    #expect(try exchangeTime() >= .milliseconds(200))

    let updated = try daemon.api.patch("/proxies/p/toxics/latency_downstream", #"{"attributes":{"latency":400}}"#)
    #expect(updated.json["attributes"] == ["latency": 400, "jitter": 0])
    #expect(try exchangeTime() >= .milliseconds(400))

    #expect(try daemon.api.delete("/proxies/p/toxics/latency_downstream").status == 204)
    #expect(try exchangeTime() < .milliseconds(400))
    #expect(try daemon.api.get("/proxies/p/toxics").json == [])
  }

  struct Change: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let make: @Sendable (API) throws -> Void
  }

  static let changes = [
    Change(testDescription: "a toxic before it is added") {
      try $0.addToxic("latency", #"{"latency":0}"#, name: "other")
    },
    Change(testDescription: "a toxic beside it is removed") { try $0.delete("/proxies/p/toxics/first") },
    Change(testDescription: "it is updated to the same") {
      try $0.patch("/proxies/p/toxics/t", #"{"attributes":{"latency":700}}"#)
    },
    Change(testDescription: "another profile is put in force") { try $0.use("lte") },
    Change(testDescription: "the profile is lifted") { try $0.delete("/profile") },
    Change(testDescription: "the proxy is updated to the same") { try $0.post("/proxies/p", #"{"enabled":true}"#) },
  ]

  @Test(arguments: changes)
  func nothingThatIsHeldGoesEarlyWhen(change: Change) throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon(["p": upstream.address])
    try daemon.api.addToxic("bandwidth", #"{"rate":1000}"#, name: "first")
    try daemon.api.addToxic("latency", #"{"latency":700}"#)
    let client = try daemon.connect()
    let start = ContinuousClock.now
    try client.send("held")
    #expect(try eventually { try daemon.sessions.first?["buffered_bytes"] == 4 })
    try change.make(daemon.api)
    #expect(try client.receive(exactly: 4) == Array("held".utf8))
    #expect(ContinuousClock.now - start >= .milliseconds(700))
  }

  @Test func whatARemovedToxicHoldsGoesAtOnceAndInOrder() throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon(["p": upstream.address])
    try daemon.api.addToxic("latency", #"{"latency":60000}"#)
    let client = try daemon.connect()
    for (count, text) in ["one", "two", "six"].enumerated() {
      try client.send(text)
      #expect(try eventually { try daemon.sessions.first?["buffered_bytes"].int == 3 * (count + 1) })
    }
    try daemon.api.delete("/proxies/p/toxics/t")
    #expect(try client.receive(exactly: 9) == Array("onetwosix".utf8))
  }

  @Test func bandwidthIsAddedUpdatedAndRemovedLive() throws {
    let size = 100_000
    let upstream = try Upstream.answering(size)
    let daemon = try Daemon(["p": upstream.address])
    let client = try daemon.connect()
    func answerTime() throws -> Duration {
      try elapsed {
        try client.send("?")
        expectSame(try client.receive(exactly: size), NumberedStream.bytes(0..<size))
      }
    }
    try daemon.api.addToxic("bandwidth", #"{"rate":200}"#)
    let slow = try answerTime()
    #expect(slow > .milliseconds(450), "100 kB at 200 kB/s")
    #expect(slow < .seconds(3))
    #expect(try daemon.api.post("/proxies/p/toxics/t", #"{"attributes":{"rate":1000}}"#).status == 200)
    let faster = try answerTime()
    #expect(faster > .milliseconds(85), "100 kB at 1 MB/s")
    #expect(faster < .milliseconds(450))
    #expect(try daemon.api.delete("/proxies/p/toxics/t").status == 204)
    #expect(try answerTime() < .milliseconds(450))
  }

  @Test func anUpstreamToxicDelaysWhatTheClientSends() throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon(["p": upstream.address])
    let body = #"{"name":"up","type":"latency","stream":"upstream","attributes":{"latency":150}}"#
    #expect(try daemon.api.post("/proxies/p/toxics", body).status == 200)
    try daemon.api.addToxic("latency", #"{"latency":150}"#, name: "down")
    let client = try daemon.connect()
    #expect(try client.echoTime("ping") >= .milliseconds(300))
    let names = try daemon.api.get("/proxies/p").json["toxics"].array.map { $0["name"].string }
    #expect(names == ["up", "down"])
  }

  @Test func populateTwiceKeepsConnectionsAndToxics() throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon()
    let body = #"""
      [{"name":"a","listen":"127.0.0.1:0","upstream":"\#(upstream.address)"},
       {"name":"b","listen":"127.0.0.1:0","upstream":"\#(upstream.address)","enabled":false}]
      """#
    let first = try daemon.api.post("/populate", body)
    #expect(first.status == 201)
    #expect(first.json.keys == ["proxies"])
    #expect(first.json["proxies"].array.map { $0["name"].string } == ["a", "b"])
    #expect(first.json["proxies"].array.map { $0["enabled"] } == [true, false])
    try daemon.api.addToxic("latency", #"{"latency":1}"#, to: "a")
    let client = try daemon.connect("a")
    #expect(try client.echo("one") == "one")
    let second = try daemon.api.post("/populate", body)
    #expect(second.status == 201)
    #expect(second.json["proxies"][0]["listen"] == first.json["proxies"][0]["listen"])
    #expect(second.json["proxies"][0]["toxics"].array.count == 1)
    #expect(try client.echo("two") == "two")
  }

  @Test func populateIsAllOrNothing() throws {
    let upstream = try Upstream.echo()
    let taken = try ListeningSocket()
    let daemon = try Daemon(["p": upstream.address])
    let before = try daemon.api.get("/proxies").json
    let answer = try daemon.api.post(
      "/populate",
      #"""
      [{"name":"a","listen":"127.0.0.1:0","upstream":"\#(upstream.address)"},
       {"name":"b","listen":"\#(taken.address)","upstream":"\#(upstream.address)"}]
      """#)
    #expect(answer.status == 500)
    #expect(answer.json["proxies"] == [])
    #expect(try daemon.api.get("/proxies").json == before)
  }

  @Test func resetEnablesAllAndRemovesToxics() throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon(["a": upstream.address, "b": upstream.address])
    try daemon.api.addToxic("latency", #"{"latency":5000}"#, to: "a")
    try daemon.api.post("/proxies/b", #"{"enabled":false}"#)
    #expect(!daemon.isEchoing("b"))
    #expect(try daemon.api.post("/reset").status == 204)
    #expect(try daemon.connect("a").echoTime() < .seconds(5))
    #expect(daemon.isEchoing("b"))
    #expect(try daemon.api.get("/proxies/a/toxics").json == [])
  }

  @Test func theVersionIsOneThatClientsCompareWith() throws {
    let daemon = try Daemon()
    let version = try #require(daemon.api.get("/version").json["version"].string)
    let parts = version.split(separator: ".").compactMap { Int($0) }
    #expect(parts.count == 3 && (parts[0], parts[1]) >= (2, 6), "\(version)")
  }
}
