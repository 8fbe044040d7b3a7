import Settings
import Testing

@testable import headwind

private func profile(_ text: String) throws -> Profile {
  try Profile(text: "{name: 'x', summary: 'sum', source: 'src', \(text)}".utf8, source: "x.json")
}

private func whole(_ path: String) throws -> [String] {
  ProfileText.whole(try profile("path: \(path)").json).split(separator: "\n", omittingEmptySubsequences: false).map {
    String($0)
  }
}

@Suite struct ProfileTextTests {
  private static let rates = "downstream_bytes_per_second: 200000, upstream_bytes_per_second: 0"

  @Test func aProfileIsToldLineByLine() throws {
    let text = try whole(
      """
      { latency_ms: 100, jitter_ms: 8, jitter_distribution: 'normal', dns_latency_ms: 30, \(Self.rates), queue_ms: 250,
        downstream_loss: { loss: 0.01, mean_burst_packets: 5 }, upstream_loss: { p: 0.1, r: 0.5 },
        timeline: { loop: true, steps: [
          { name: "open\\u001b", for_ms: 8000 }, { name: "b", for_ms: 0.5e1, path: { downstream_loss: { p: 0, r: 1 } } } ] } }
      """)
    #expect(
      text == [
        "x: sum", "source      src",
        "round trip  100 ± 8 ms (standard deviation), half in each direction", "lookup      30 ms",
        "downstream  200 kB/s, loses 1 % in bursts of 5 packets",
        "upstream    holds everything, loses in bursts, p=0.1 r=0.5 1-h=1 1-k=0",
        "queue       250 ms of each rate", "model       tcp, cubic", "timeline    2 steps in 8.005 s, over and over",
        "",
        "STEP         FOR  CHANGES", #"open\u{1B}   8 s  -"#,
        "b           5 ms  downstream_loss=(p=0 r=1 1-h=1 1-k=0)", "",
      ])
  }

  @Test func whatGoesWithoutSayingIsLeftOut() throws {
    #expect(try whole("{}") == ["x: sum", "source  src", ""])
    #expect(
      try whole("{latency_ms: 50.5, model: 'plain'}") == [
        "x: sum", "source      src", "round trip  50.5 ms, half in each direction",
        "model       plain: delay and rate only", "",
      ])
  }

  @Test func whyItIsPlainIsSaid() throws {
    let text = try whole("{latency_ms: 5}").joined(separator: "\n")
    #expect(
      text.contains("model       plain: delay and rate only, as TCP is modelled up to 125000000 bytes per second"))
    let list = ProfileText.list([try profile("path: {latency_ms: 5}").json])
    #expect(list.contains("x: delay and rate only, as TCP"))
  }

  @Test func queuesAndTracesAreTold() throws {
    let queued = try whole("{\(Self.rates), queue_bytes: 64000, congestion_control: 'bbr'}")
    #expect(queued.contains("queue       64 kB in each direction"))
    #expect(queued.contains("model       tcp, bbr"))
    #expect(try whole("{\(Self.rates)}").contains { $0.hasPrefix("queue       as much as a round trip") })
    let traced = try whole("{latency_ms: 50, upstream_loss: 0.00001, trace: {downstream_ms: [0, 1, 2, 1500]}}")
    #expect(traced.contains("downstream  trace of 4 packets in 1.5 s, 4 kB/s on the average"))
    #expect(traced.contains("upstream    loses 0.00001"))
  }

  @Test(arguments: [
    ("{}", ["-", "-", "-", "-", "-", "-"]),
    (
      "{latency_ms: 100, jitter_ms: 5, downstream_loss: 0.01, upstream_loss: 0.01}",
      ["100 ± 5 ms", "-", "-", "1 %", "-", "tcp"]
    ),
    (
      "{\(rates), queue_ms: 1.5, downstream_loss: {loss: 0.02, mean_burst_packets: 2}}",
      ["-", "200000", "0", "2 % bursts / -", "1.5 ms", "tcp"]
    ),
    (
      "{latency_ms: 50, queue_bytes: 3000, upstream_loss: {p: 0.1, r: 1}, trace: {downstream_ms: [1]}}",
      ["50 ms", "trace", "-", "- / bursts", "3 kB", "tcp"]
    ),
    (
      "{\(rates), congestion_control: 'bbr', timeline: {steps: [{name: 'a', for_ms: 1}]}}",
      ["-", "200000", "0", "-", "-", "tcp bbr, 1 step"]
    ),
    ("{latency_ms: 1}", ["1 ms", "-", "-", "-", "-", "plain"]),
  ]) func columns(_ text: String, _ expected: [String]) throws {
    let path = PathText(try profile("path: \(text)").json.objectValue?["path"])
    let columns = [path.roundTrip, path.rate("downstream"), path.rate("upstream"), path.loss, path.queue, path.model]
    #expect(columns == expected)
  }

  @Test func anotherVersionsProfileCanBeShown() {
    let strange: JSON = ["name": "x", "path": ["latency_ms": "much", "timeline": 7, "model": "quic"], "toxics": 5]
    #expect(
      ProfileText.whole(strange)
        == "x\nmodel     quic: delay and rate only\ntimeline  0 steps in 0 ms, then the last one stays\n")
    #expect(ProfileText.whole(5) == "\n")
    #expect(ProfileText.list([5, strange]).split(separator: "\n").count == 3)
  }
}

/// What `demo` says to expect, against the times that real TCP needs over such links.
@Suite struct ExpectationTests {
  private static let lte = "downstream_bytes_per_second: 6250000, upstream_bytes_per_second: 6250000"

  @Test(arguments: [
    ("{latency_ms: 50, \(lte)}", 14_000, 100.0, 102.4), ("{latency_ms: 50, \(lte)}", 102_400, 100, 250.24),
    ("{latency_ms: 50}", 102_400, 100, 250),
    ("{latency_ms: 400, downstream_bytes_per_second: 30000}", 102_400, 800, 4350),
    ("{latency_ms: 50, model: 'plain', \(lte)}", 6_250_000, 50, 1050), ("{latency_ms: 5}", 100_000, 5, 5),
    ("{latency_ms: 100, trace: {downstream_ms: [10, 20]}}", 1448, 200, 210),
  ]) func times(_ path: String, _ bytes: Int, _ first: Double, _ total: Double) throws {
    let profile = try profile("path: \(path)")
    let found = try #require(profile.expectedTotalMilliseconds(bytes))
    #expect(profile.expectedFirstByteMilliseconds == first)
    #expect((found - total).magnitude < 0.01, "\(found)")
    #expect(profile.patience(bytes) > Int64(found * 1e6))
  }

  @Test func textsSayWhatCannotBeForetold() throws {
    let lossy = try profile("path: {latency_ms: 100, jitter_ms: 10, upstream_loss: 0.1}")
    #expect(lossy.expectedFirstByteText == "≥ 200 ± 20.0")
    let varying = try profile("path: {latency_ms: 100, timeline: {steps: [{name: 'a', for_ms: 1}]}}")
    #expect(varying.expectedTotalText(1000) == "varies")
    #expect(try profile("path: {downstream_bytes_per_second: 0, latency_ms: 5}").expectedTotalMilliseconds(1) == nil)
  }
}
