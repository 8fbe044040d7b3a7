import Conditioning
import Testing

@testable import Settings

private func path(_ text: String) throws -> PathSpec {
  try Profile(text: "{path: \(text)}".utf8, source: "x.json", expectedName: "x").path
}

private let rates = "downstream_bytes_per_second: 1000, upstream_bytes_per_second: 2000"

@Suite struct PathTests {
  @Test func everyFieldIsRead() throws {
    let read = try path(
      """
      { latency_ms: 100, jitter_ms: 8, jitter_distribution: "normal", dns_latency_ms: 30, \(rates),
        downstream_loss: { loss: 0.01, mean_burst_packets: 5 }, upstream_loss: { p: 0.002, r: 0.2, "1-h": 0.9 },
        queue_ms: 250.5, congestion_control: "bbr", model: "tcp" }
      """)
    let expected = PathSpec(
      latencyMilliseconds: 100, jitterMilliseconds: 8, dnsLatencyMilliseconds: 30, downstreamBytesPerSecond: 1000,
      upstreamBytesPerSecond: 2000, downstreamLoss: .bursts(loss: 0.01, meanBurstPackets: 5),
      upstreamLoss: .netem(goodToBad: 0.002, badToGood: 0.2, lossInBad: 0.9, lossInGood: 0),
      jitterDistribution: .normal, queue: .milliseconds(250.5), congestionControl: .bbr)
    #expect(read == expected)
    #expect(try path("{latency_ms: 1, \(rates), queue_bytes: 1500}").queue == .bytes(1500))
    #expect(try path("{latency_ms: 50, downstream_loss: 0.25}").downstreamLoss == .share(0.25))
  }

  @Test func aStepIsThePathWithWhatItSaysInstead() throws {
    let read = try path(
      """
      { latency_ms: 100, jitter_ms: 5, dns_latency_ms: 3, \(rates), queue_ms: 100, congestion_control: "bbr",
        timeline: { loop: true, steps: [
          { name: "open", for_ms: 8000 },
          { name: "tunnel", for_ms: 1500.5, path: { downstream_loss: 1, queue_bytes: 3000, latency_ms: 400 } } ] } }
      """)
    let timeline = try #require(read.timeline)
    var whole = read
    whole.timeline = nil
    var tunnel = whole
    (tunnel.downstreamLoss, tunnel.queue, tunnel.latencyMilliseconds) = (.share(1), .bytes(3000), 400)
    let steps = [
      TimelineSpec.Step(name: "open", durationMilliseconds: 8000, path: whole),
      TimelineSpec.Step(name: "tunnel", durationMilliseconds: 1500.5, path: tunnel),
    ]
    #expect(timeline == TimelineSpec(steps: steps, isLooped: true))
    #expect(try path("{\(rates), timeline: {steps: [{name: 'a', for_ms: 1}]}}").timeline?.isLooped == false)
  }

  @Test func aStepIsListedByWhatItChanges() throws {
    let read = try path(
      """
      { latency_ms: 100, \(rates), queue_ms: 50,
        timeline: { steps: [{ name: "a", for_ms: 20, path: { latency_ms: 200, upstream_loss: 0 } },
          { name: "b", for_ms: 1, path: { queue_bytes: 9000 } }] } }
      """)
    let steps = try #require(read.json["timeline"]?["steps"]?.arrayValue)
    #expect(steps.map { $0["path"]?.text } == [#"{"latency_ms":200}"#, #"{"queue_bytes":9000}"#])
  }

  @Test func theCoreGetsWhatWasRead() throws {
    let read = try path(
      """
      { latency_ms: 100, jitter_ms: 8, \(rates), queue_ms: 3000, upstream_loss: { loss: 0.5, mean_burst_packets: 2 },
        timeline: { steps: [{ name: "a", for_ms: 20 }, { name: "b", for_ms: 1, path: { queue_bytes: 9000 } }] } }
      """)
    let steps = read.coreTimeline.steps
    #expect(steps.map(\.duration) == [.milliseconds(20), .milliseconds(1)])
    #expect(steps.map(\.parameters.downstream.queueBytes) == [3000, 9000])
    #expect(steps.map(\.parameters.upstream.queueBytes) == [6000, 9000])
    #expect(steps[0].parameters.upstream.delay == .milliseconds(50))
    #expect(steps[0].parameters.upstream.jitter == .milliseconds(4))
    #expect(steps[0].parameters.downstream.loss == .none)
    #expect(steps[0].parameters.upstream.loss == .bursts(GilbertElliott(goodToBad: 0.5, badToGood: 0.5)))
  }

  @Test(
    arguments: [
      ("latency_ms: 100, downstream_bytes_per_second: 6250000", 625_000), ("downstream_bytes_per_second: 0", 65_536),
      ("latency_ms: 100, downstream_bytes_per_second: 200000", 65_536), ("latency_ms: 100", nil),
      ("downstream_bytes_per_second: 1000, upstream_bytes_per_second: 1, queue_ms: 1", 1_500),
      ("downstream_bytes_per_second: 1000000, upstream_bytes_per_second: 1, queue_ms: 2", 2_000),
      ("downstream_bytes_per_second: 1000, upstream_bytes_per_second: 1, queue_bytes: 1500", 1_500),
    ] as [(String, Int?)])
  func aQueueHasRoomForAPacketAndByDefaultForAWindow(_ fields: String, _ bytes: Int?) throws {
    #expect(try path("{ \(fields) }").coreTimeline.steps[0].parameters.downstream.queueBytes == bytes)
  }
}

// MARK: What is refused

extension PathTests {
  private static let lossForms =
    #"a number from 0 to 1, {"loss", "mean_burst_packets"}, or netem's {"p", "r", "1-h", "1-k"}"#
  private static let burstRule = "a number from 1 to 1000000, as no burst is shorter than one packet"

  @Test(arguments: [
    Row("{downstream_loss: 2}", "downstream_loss is 2; allowed: \(lossForms)"),
    Row("{upstream_loss: -0.1}", "upstream_loss is -0.1; allowed: \(lossForms)"),
    Row("{downstream_loss: '1%'}", "downstream_loss is \"1%\"; allowed: \(lossForms)"),
    Row("{downstream_loss: {}}", "downstream_loss is {}; allowed: \(lossForms)"),
    Row("{downstream_loss: {p: null}}", "downstream_loss.loss is missing; allowed: a number from 0 to below 1"),
    Row(
      "{downstream_loss: {los: 1}}",
      "downstream_loss.los is not a known key; did you mean \"loss\"? known: loss, mean_burst_packets, p, r, 1-h, 1-k"),
    Row(
      "{downstream_loss: {loss: 0.1, mean_burst_packets: 0.5}}",
      "downstream_loss.mean_burst_packets is 0.5; allowed: \(burstRule)"),
    Row("{downstream_loss: {loss: 0.1}}", "downstream_loss.mean_burst_packets is missing; allowed: \(burstRule)"),
    Row(
      "{downstream_loss: {loss: 1, mean_burst_packets: 5}}",
      "downstream_loss.loss is 1; allowed: a number from 0 to below 1"),
    Row(
      "{downstream_loss: {loss: 0.75, mean_burst_packets: 2}}",
      "downstream_loss.mean_burst_packets is 2; allowed: at least 3, as shorter bursts don't come to a loss of 0.75"),
    Row(
      "{downstream_loss: {loss: 0.1, p: 0.5}}",
      "downstream_loss.loss is 0.1; allowed: none beside p, as they say the same in two ways"),
    Row("{downstream_loss: {p: 0.5}}", "downstream_loss.r is missing; allowed: a number from 0 to 1"),
    Row("{downstream_loss: {r: 0.5}}", "downstream_loss.p is missing; allowed: a number from 0 to 1"),
    Row("{downstream_loss: {p: 0, r: 1, '1-k': 3}}", "downstream_loss.1-k is 3; allowed: a number from 0 to 1"),
    Row(
      "{downstream_loss: {p: 0.1, r: 0}}",
      "downstream_loss.r is 0; allowed: above 0 as long as p is, as a burst would never end"),
    Row("{\(rates), queue_ms: 0}", "queue_ms is 0; allowed: a number above 0, at most 600000"),
    Row("{\(rates), queue_ms: 600001}", "queue_ms is 600001; allowed: a number above 0, at most 600000"),
    Row("{\(rates), queue_ms: []}", "queue_ms is []; allowed: a number above 0, at most 600000"),
    Row("{\(rates), queue_bytes: 1499}", "queue_bytes is 1499; allowed: a whole number from 1500 to 1000000000"),
    Row("{\(rates), queue_bytes: 2000.5}", "queue_bytes is 2000.5; allowed: a whole number from 1500 to 1000000000"),
    Row(
      "{\(rates), queue_ms: 1, queue_bytes: 1500}",
      "queue_bytes is 1500; allowed: none beside queue_ms, as a queue has one size"),
    Row("{jitter_distribution: 'pareto'}", "jitter_distribution is \"pareto\"; allowed: \"uniform\", \"normal\""),
    Row("{congestion_control: 'reno'}", "congestion_control is \"reno\"; allowed: \"cubic\", \"bbr\""),
    Row("{model: 'udp'}", "model is \"udp\"; allowed: \"tcp\", \"plain\""),
    Row("{model_note: 5}", "model_note is 5; allowed: a string"),
  ]) func refusesOneField(_ row: Row) {
    #expect(message { _ = try path(row.input) } == "x.json: path.\(row.expected)")
  }

  private static let noRate =
    "only with downstream_bytes_per_second, upstream_bytes_per_second or a trace, as without a rate nothing waits"
  private static func tooFast(_ need: String, _ more: String = "") -> String {
    "a whole number from 0 to 125000000\(more), as TCP, which \(need) needs, is modelled only up to that"
  }
  private static let orLatency = ", or else a latency_ms of at least 24"

  @Test(arguments: [
    Row("{latency_ms: 50, queue_ms: 100}", "queue_ms is 100; allowed: \(noRate)"),
    Row("{latency_ms: 50, queue_bytes: 5000}", "queue_bytes is 5000; allowed: \(noRate)"),
    Row(
      "{model: 'plain', \(rates), queue_ms: 1}",
      "model is \"plain\"; allowed: \"tcp\" with queue_ms, as \"plain\" shows delay and rate only"),
    Row(
      "{model: 'plain', \(rates), upstream_loss: {p: 0, r: 0, '1-k': 0.1}}",
      "model is \"plain\"; allowed: \"tcp\" with upstream_loss, as \"plain\" shows delay and rate only"),
    Row(
      "{model: 'plain', \(rates), congestion_control: 'bbr'}",
      "model is \"plain\"; allowed: \"tcp\" with congestion_control \"bbr\", as \"plain\" shows delay and rate only"),
    Row(
      "{model: 'plain', \(rates), latency_ms: 5, jitter_ms: 5, jitter_distribution: 'normal'}",
      "model is \"plain\"; allowed: \"tcp\" with jitter_distribution \"normal\", as \"plain\" shows delay and rate "
        + "only"),
    Row(
      "{model: 'plain', \(rates), timeline: {steps: [{name: 'a', for_ms: 1}]}}",
      "model is \"plain\"; allowed: \"tcp\" with timeline, as \"plain\" shows delay and rate only"),
    Row(
      "{model: 'plain', latency_ms: 50, trace: {downstream_ms: [1]}}",
      "model is \"plain\"; allowed: \"tcp\" with trace, as \"plain\" shows delay and rate only"),
    Row(
      "{downstream_loss: 0.1}",
      "downstream_bytes_per_second is missing; allowed: \(tooFast("downstream_loss", orLatency))"),
    Row(
      "{latency_ms: 23.9, downstream_bytes_per_second: 5, upstream_loss: 0.1}",
      "upstream_bytes_per_second is missing; allowed: \(tooFast("upstream_loss", orLatency))"),
    Row(
      "{latency_ms: 500, downstream_bytes_per_second: 125000001, queue_ms: 5}",
      "downstream_bytes_per_second is 125000001; allowed: \(tooFast("queue_ms"))"),
    Row(
      "{latency_ms: 5, upstream_bytes_per_second: 1, trace: {downstream_ms: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2]}}",
      "(no error)"),
    Row(
      "{upstream_bytes_per_second: 1, trace: {downstream_ms: [\(String(repeating: "1, ", count: 84))]}}",
      "trace delivers 126000000 bytes per second downstream; allowed: at most 125000000, as TCP, which trace needs, is "
        + "modelled only up to that"),
    Row(
      "{latency_ms: 50, downstream_bytes_per_second: 7, trace: {downstream_ms: [1]}}",
      "downstream_bytes_per_second is 7; allowed: none beside a trace of that direction, which says what passes"),
    Row(
      "{latency_ms: 50, trace: {downstream_ms: [1]}, timeline: {steps: [{name: 'a', for_ms: 1}]}}",
      "timeline is an object; allowed: none beside a trace, as both say what changes when"),
  ]) func refusesFieldsBesideOthers(_ row: Row) {
    let prefix = row.expected == "(no error)" ? "" : "x.json: path."
    #expect(message { _ = try path(row.input) } == prefix + row.expected)
  }

  @Test(arguments: [
    Row("5", " is 5; allowed: an object"),
    Row("{}", ".steps is missing; allowed: an array of 1 to 1000 steps"),
    Row("{steps: []}", ".steps is []; allowed: an array of 1 to 1000 steps"),
    Row("{steps: {}}", ".steps is {}; allowed: an array of steps"),
    Row("{stops: []}", ".stops is not a known key; did you mean \"steps\"? known: loop, steps"),
    Row("{loop: 1, steps: [{name: 'a', for_ms: 1}]}", ".loop is 1; allowed: true or false"),
    Row("{steps: ['a']}", ".steps[0] is \"a\"; allowed: an object"),
    Row("{steps: [{for_ms: 1}]}", ".steps[0].name is missing; allowed: 1 to 64 characters"),
    Row("{steps: [{name: '', for_ms: 1}]}", ".steps[0].name is \"\"; allowed: 1 to 64 characters"),
    Row("{steps: [{name: 'a'}]}", ".steps[0].for_ms is missing; allowed: a number from 1 to 86400000"),
    Row("{steps: [{name: 'a', for_ms: 0}]}", ".steps[0].for_ms is 0; allowed: a number from 1 to 86400000"),
    Row(
      "{steps: [{name: 'a', for_ms: 1}, {name: 'b', for: 1}]}",
      ".steps[1].for is not a known key; known: name, for_ms, path"),
    Row(
      "{steps: [{name: 'a', for_ms: 1, path: {dns_latency_ms: 5}}]}",
      ".steps[0].path.dns_latency_ms is 5; allowed: only in the profile's path, not in a step of its timeline"),
    Row(
      "{steps: [{name: 'a', for_ms: 1, path: {timeline: {}}}]}",
      ".steps[0].path.timeline is {}; allowed: only in the profile's path, not in a step of its timeline"),
    Row(
      "{steps: [{name: 'a', for_ms: 1, path: {latencyms: 5}}]}",
      ".steps[0].path.latencyms is not a known key; did you mean \"latency_ms\"? known: "
        + PathSpec.changeableKeys.joined(separator: ", ")),
    Row(
      "{steps: [{name: 'a', for_ms: 1, path: {jitter_ms: 51}}]}",
      ".steps[0].path.jitter_ms is 51; allowed: a number from 0 to latency_ms (50)"),
    Row(
      "{steps: [{name: 'a', for_ms: 1, path: {latency_ms: 1}}]}",
      ".steps[0].path.latency_ms is 1; allowed: at least the path's jitter_ms (2)"),
    Row(
      "{steps: [{name: 'a', for_ms: 1, path: {latency_ms: 2}}]}",
      ".steps[0].path.downstream_bytes_per_second is missing; allowed: \(tooFast("a timeline", orLatency))"),
    Row(
      "{steps: [{name: 'a', for_ms: 1, path: {upstream_bytes_per_second: 1000000000}}]}",
      ".steps[0].path.upstream_bytes_per_second is 1000000000; allowed: \(tooFast("a timeline"))"),
    Row("{steps: [{name: 'a', for_ms: 1, path: {queue_ms: 1}}]}", ".steps[0].path.queue_ms is 1; allowed: \(noRate)"),
  ]) func refusesTimelines(_ row: Row) {
    let text = "{latency_ms: 50, jitter_ms: 2, timeline: \(row.input)}"
    #expect(message { _ = try path(text) } == "x.json: path.timeline\(row.expected)")
  }

  @Test func aRateOfThePathThatIsTooFastIsNamedWhereItStands() {
    let text = "{downstream_bytes_per_second: 1000000000, timeline: {steps: [{name: 'a', for_ms: 1}]}}"
    #expect(
      message { _ = try path(text) }
        == "x.json: path.downstream_bytes_per_second is 1000000000; allowed: \(Self.tooFast("a timeline"))")
  }

  @Test func aTimelineHasAtMostAThousandSteps() throws {
    func text(_ count: Int) -> String {
      let steps = Array(repeating: "{name: 'a', for_ms: 86400000}", count: count)
      return "{latency_ms: 50, timeline: {loop: true, steps: [\(steps.joined(separator: ","))]}}"
    }
    #expect(try path(text(1000)).timeline?.steps.count == 1000)
    #expect(
      message { _ = try path(text(1001)) } == "x.json: path.timeline.steps has 1001 elements; allowed: at most 1000")
  }
}

// MARK: The model

extension PathTests {
  @Test(
    arguments: [
      ("{}", nil, nil), ("{dns_latency_ms: 5}", nil, nil), ("{model: 'plain'}", nil, nil), ("{model: 'tcp'}", nil, nil),
      ("{latency_ms: 24}", "tcp", nil), ("{latency_ms: 24, model: 'tcp'}", "tcp", nil),
      ("{latency_ms: 24, model: 'plain'}", "plain", nil),
      (
        "{latency_ms: 23}", "plain",
        "delay and rate only, as TCP is modelled up to 125000000 bytes per second and there is no "
          + "downstream_bytes_per_second to keep it from more at 23 ms"
      ),
      (
        "{latency_ms: 100, upstream_bytes_per_second: 125000001, model: 'tcp'}", "plain",
        "delay and rate only, as TCP is modelled up to 125000000 bytes per second and upstream_bytes_per_second is "
          + "125000001"
      ),
      ("{latency_ms: 100, upstream_bytes_per_second: 125000000}", "tcp", nil),
      ("{\(rates)}", "tcp", nil),
    ] as [(String, String?, String?)])
  func theModelInForceIsWritten(_ text: String, _ model: String?, _ note: String?) throws {
    let read = try path(text)
    #expect(read.json["model"]?.stringValue == model)
    #expect(read.json["model_note"]?.stringValue == note)
    #expect(read.modelInForce == (model == "tcp" ? .tcp : .plain))
    #expect(try path(read.json.text) == read, "what is written is read as what it was")
  }

  @Test func onlyWhatDoesNothingPassesThrough() throws {
    #expect(try path("{}").isPassThrough)
    #expect(try path("{model: 'plain', congestion_control: 'cubic', downstream_loss: 0}").isPassThrough)
    #expect(try !path("{latency_ms: 24, model: 'plain'}").isPassThrough)
  }
}
