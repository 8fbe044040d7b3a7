import Testing

/// Paths with modelled TCP, as programs see them.
@Suite
struct PathTests {
  /// 100 ms of round trip at 2 MB/s, with what `more` says.
  private func define(_ name: String, _ daemon: Daemon, latency: Int = 100, _ more: String = "") throws {
    let rates = #""downstream_bytes_per_second":2000000,"upstream_bytes_per_second":2000000"#
    let answer = try daemon.api.put("/profiles/\(name)", #"{"path":{"latency_ms":\#(latency),\#(rates)\#(more)}}"#)
    try #require(answer.status == 201, "\(answer.text)")
  }

  @Test(.blocking) func aNewConnectionPaysItsHandshakeAndAnOpenOneDoesNot() throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon(["p": upstream.address])
    try define("far", daemon)
    try daemon.api.use("far")
    let start = ContinuousClock.now
    let client = try daemon.connect()
    #expect(try client.echo("x") == "x")
    #expect(ContinuousClock.now - start >= .milliseconds(200))
    let time = try client.echoTime("y")
    #expect(time >= .milliseconds(100))
  }

  @Test(.heavy) func aLossyPathDeliversEveryByte() throws {
    let size = 3_000_000
    let upstream = try Upstream.answering(size)
    let daemon = try Daemon(["p": upstream.address])
    try define("lossy", daemon, latency: 5, #","downstream_loss":0.03,"upstream_loss":0.03"#)
    try daemon.api.use("lossy")
    let client = try daemon.connect()
    try client.send("?")
    expectSame(try client.receive(exactly: size), NumberedStream.bytes(0..<size))
    let lost = try metric(#"headwind_path_lost_packets_total{direction="downstream",profile="lossy"}"#, daemon)
    // 3 % of some 2,100 packets.
    #expect(lost > 20)
  }

  private func metric(_ series: String, _ daemon: Daemon) throws -> Int {
    let line = try daemon.api.get("/metrics").text.split(separator: "\n").first { $0.hasPrefix(series + " ") }
    return try #require(line.flatMap { Int($0.dropFirst(series.count + 1)) }, "\(series)")
  }

  @Test(.heavy) func theSameSeedLosesTheSamePackets() throws {
    func losses(seed: Int) throws -> [Int] {
      let upstream = try Upstream.answering(60_000)
      let daemon = try Daemon(["p": upstream.address], ["--seed", "\(seed)"])
      try define("lossy", daemon, latency: 5, #","downstream_loss":0.1"#)
      try daemon.api.use("lossy")
      return try (0..<4).map { _ in
        let client = try daemon.connect()
        try client.send("?")
        _ = try client.receive(exactly: 60_000)
        client.abort()
        _ = eventually { (try? daemon.sessions.isEmpty) ?? false }
        return try metric(#"headwind_path_lost_packets_total{direction="downstream",profile="lossy"}"#, daemon)
      }
    }
    let first = try losses(seed: 3)
    #expect(first[0] > 0)
    #expect(try losses(seed: 3)[0] == first[0])
    #expect(try losses(seed: 4) != first)
  }

  @Test(.blocking) func aTimelineIsShownAndToldStepByStep() throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon(["p": upstream.address])
    let steps = #"{"name":"open","for_ms":200},{"name":"tunnel","for_ms":200,"path":{"latency_ms":300}}"#
    try define("line-7", daemon, #","timeline":{"loop":true,"steps":[\#(steps)]}"#)
    let put = try daemon.api.put("/profile/line-7").json["step"]
    #expect(put["name"] == "open" && put["index"] == 0 && put["round"] == 0)
    #expect(try eventually { try daemon.api.get("/profile").json["step"]["name"] == "tunnel" })
    let shown = try Program.run(["status", "--control", daemon.url])
    #expect(shown.output.contains("profile: line-7\nstep: ") && shown.output.contains(", round "), "\(shown.output)")
    func told() throws -> [JSONValue] {
      try daemon.api.get("/events").json["events"].array.filter { $0["type"] == "path_step" }
    }
    #expect(try eventually { try told().count >= 4 })
    let first = try told().prefix(4)
    #expect(first.map { $0["name"] } == ["open", "tunnel", "open", "tunnel"])
    #expect(first.map { $0["round"] } == [0, 0, 1, 1] && first.allSatisfy { $0["profile"] == "line-7" })
  }
}
