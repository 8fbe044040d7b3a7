import Foundation
import Testing

/// What a peer doesn't read is held within bounds, and nothing of it is lost.
@Suite(.heavy)
struct BackpressureTests {
  struct Setting: Sendable, CustomTestStringConvertible {
    let toxic: String?
    var testDescription: String { toxic ?? "no toxic" }
  }

  static let settings = [
    Setting(toxic: nil),
    Setting(toxic: #"{"type":"latency","attributes":{"latency":100}}"#),
    Setting(toxic: #"{"type":"bandwidth","attributes":{"rate":50000}}"#),
  ]

  private static let cap = 2_000_000

  /// What the system holds at most between the upstream's write and our read: it lets a receive buffer grow with the speed at
  /// which it is read (tcp(7), tcp_rmem and tcp_wmem).
  private static let kernelBytes: Int = {
    let most = ["rmem", "wmem"].map { name in
      let text = (try? String(contentsOfFile: "/proc/sys/net/ipv4/tcp_\(name)", encoding: .utf8)) ?? ""
      return text.split(whereSeparator: \.isWhitespace).last.flatMap { Int($0) } ?? 8_000_000
    }
    return max(16_000_000, most.reduce(0, +))
  }()

  private func daemon(_ upstream: Upstream, _ setting: Setting) throws -> Daemon {
    let directory = try TemporaryDirectory()
    let config = try directory.write(#"{"max_link_buffer_bytes": \#(Self.cap)}"#, to: "config.json")
    let daemon = try Daemon(["p": upstream.address], ["--config", config])
    if let toxic = setting.toxic { try #require(daemon.api.post("/proxies/p/toxics", toxic).status == 200) }
    return daemon
  }

  /// True when the sender gets nothing away any more.
  private func hasStopped(_ sent: Counter) -> Bool {
    eventually(within: .seconds(20)) {
      let before = sent.value
      pause(.milliseconds(300))
      return sent.value == before && before > 0
    }
  }

  @Test(arguments: settings)
  func aReaderThatStopsStopsTheSender(setting: Setting) throws {
    let sent = Counter()
    let upstream = try Upstream { try NumberedStream.flood($0, counting: sent) }
    let daemon = try daemon(upstream, setting)
    let client = try daemon.connect()
    #expect(hasStopped(sent))
    let held = try #require(daemon.sessions.first?["buffered_bytes"].int)
    #expect(held <= Self.cap)
    if setting.toxic != nil { #expect(held > 0) }
    let (stoppedAt, delivered) = (sent.value, try #require(daemon.sessions.first?["downstream_bytes"].int))
    #expect(stoppedAt - delivered < Self.cap + Self.kernelBytes, "the rest lies in the kernel")

    var checker = NumberedStream.Checker()
    try checker.read(client, to: stoppedAt + 5_000_000)
    #expect(sent.value > stoppedAt)
  }

  @Test func anUpstreamThatStopsStopsTheClient() throws {
    let upstream = try Upstream.silent()
    let daemon = try daemon(upstream, Self.settings[0])
    let body = #"{"type":"latency","stream":"upstream","attributes":{"latency":100}}"#
    try #require(daemon.api.post("/proxies/p/toxics", body).status == 200)
    let client = try daemon.connect()
    let sent = Counter()
    let flood = Worker { try? NumberedStream.flood(client, counting: sent) }
    #expect(hasStopped(sent))
    let held = try #require(daemon.sessions.first?["buffered_bytes"].int)
    #expect((1...Self.cap).contains(held))
    let server = try upstream.accepted()
    let stoppedAt = sent.value
    var checker = NumberedStream.Checker()
    try checker.read(server, to: stoppedAt + 1_000_000)
    client.interrupt()
    try flood.value()
  }

  @Test func oneReaderThatStopsDoesNotStopAnother() throws {
    let upstream = try Upstream.flood()
    let daemon = try daemon(upstream, Self.settings[1])
    let stopped = try daemon.connect()
    #expect(try eventually { try (daemon.sessions.first?["buffered_bytes"].int ?? 0) > 0 })
    var checker = NumberedStream.Checker()
    let reading = try daemon.connect()
    try checker.read(reading, to: 10_000_000)
    stopped.close()
  }
}
