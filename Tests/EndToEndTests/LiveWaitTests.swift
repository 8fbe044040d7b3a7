import Testing

/// What a session waits for without bytes follows a change of the profile, too.
@Suite(.blocking)
struct LiveWaitTests {
  private func define(_ name: String, _ path: String, _ daemon: Daemon) throws {
    let answer = try daemon.api.put("/profiles/\(name)", #"{"path":{\#(path)}}"#)
    try #require(answer.status == 201, "\(answer.text)")
  }

  /// An RST would take five minutes to come back.
  private static let endless = #""latency_ms":600000,"downstream_bytes_per_second":1000000"#

  @Test func aRefusalOnItsWayBack() throws {
    let hole = try DialTests.BlackHole()
    let daemon = try Daemon(["p": hole.socket.address], ["--connect-timeout", "2s"])
    try define("near", #""latency_ms":4,"downstream_bytes_per_second":1000000"#, daemon)
    try define("endless", Self.endless, daemon)
    try daemon.api.use("near")
    let client = try daemon.connect()
    try #require(try eventually { try daemon.sessions.contains { $0["state"] == "dialling" } })
    try daemon.api.use("endless")
    try #require(try eventually { try !daemon.events("dial_failed").isEmpty })
    #expect(try daemon.sessions.count == 1)
    try daemon.api.use("none")
    #expect(try client.outcome() == .reset)
  }

  @Test(arguments: [#""dns_latency_ms":60000"#, #""latency_ms":60000,"model":"plain""#])
  func aLookupAndAHandshake(path: String) throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon([:], ["--http-proxy", "127.0.0.1:0"])
    try define("slow", path, daemon)
    try daemon.api.use("slow")
    let client = try daemon.connect("http-proxy")
    try client.send("CONNECT localhost:\(upstream.address.port) HTTP/1.1\r\nHost: localhost\r\n\r\n")
    try #require(try eventually { try !daemon.events("forwarded").isEmpty })
    #expect(try client.receive(upTo: 1, within: .milliseconds(300)) == .nothing)
    try daemon.api.use("none")
    let answer = try client.receive(exactly: 12)
    #expect(String(decoding: answer, as: UTF8.self) == "HTTP/1.1 200")
  }
}
