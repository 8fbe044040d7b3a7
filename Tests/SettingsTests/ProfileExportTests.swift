import Conditioning
import Testing

@testable import Settings

private let proxy = ExportedProxy(listen: "127.0.0.1:0", upstream: "example.com:80")

private func exported(_ profile: Profile, _ format: ExportFormat) -> ProfileExport {
  profile.exported(as: format, proxy: proxy)
}

private func exported(_ path: PathSpec, _ format: ExportFormat) -> ProfileExport {
  exported(Profile(name: "x", path: path), format)
}

extension ProfileExport {
  fileprivate var commands: [String] {
    if case .commands(let commands, _) = body { commands } else { [] }
  }

  fileprivate var document: JSON {
    if case .document(let document) = body { document } else { .null }
  }

  fileprivate func says(_ words: String) -> Bool { notes.contains { $0.contains(words) } }
}

@Suite struct ProfileExportTests {
  private static let whole = PathSpec(
    latencyMilliseconds: 115, jitterMilliseconds: 20, dnsLatencyMilliseconds: 30, downstreamBytesPerSecond: 6_250_000,
    upstreamBytesPerSecond: 1601, downstreamLoss: .share(0.01), upstreamLoss: .bursts(loss: 0.02, meanBurstPackets: 5),
    queue: .bytes(150_000), congestionControl: .bbr)

  // MARK: dnctl

  @Test func dummynetGetsAPipeForEachDirection() {
    let export = exported(Self.whole, .dnctl)
    #expect(
      export.commands.prefix(2) == [
        "dnctl pipe 1 config bw 50000Kbit/s delay 58 plr 0.01 queue 147KBytes",
        "dnctl pipe 2 config bw 12808bit/s delay 57 plr 0.02 queue 147KBytes",
      ])
    #expect(export.commands.count == 5)
    for words in ["jitter_ms 20", "upstream_loss: its mean", "dns_latency_ms 30", "congestion_control bbr"] {
      #expect(export.says(words), "\(words)")
    }
    #expect(!export.says("downstream_loss"))
  }

  /// All packets are lost only where nobody ever gets an answer.
  @Test func aToxicThatHangsSomeIsNoLossOfAll() {
    func loses(_ toxicity: Float, _ trigger: TriggerSpec, _ format: ExportFormat) -> Bool {
      let toxic = ToxicSpec(
        .drop(DropSpec(probability: 1, how: .hang)), name: nil, streamText: "", toxicity: toxicity, trigger: trigger)
      return exported(Profile(name: "x", toxics: [toxic]), format).commands.joined().contains(
        format == .tc ? "loss 100%" : "plr 1")
    }
    var everySecond = TriggerSpec()
    everySecond.every = 2
    for format in [ExportFormat.tc, .dnctl] {
      #expect(loses(1, TriggerSpec(), format) && !loses(0.5, TriggerSpec(), format))
      #expect(!loses(1, everySecond, format))
    }
  }

  @Test func dummynetsLimitsAreKept() {
    let slow = exported(PathSpec(downstreamBytesPerSecond: 0), .dnctl)
    #expect(slow.commands[0] == "dnctl pipe 1 config plr 1", "a bandwidth of 0 would be none")
    #expect(slow.commands[1] == "dnctl pipe 2 config")
    #expect(slow.says("downstream_bytes_per_second 0: everything is lost"))
    let deep = exported(PathSpec(downstreamBytesPerSecond: 1_000_000, queue: .bytes(5_000_000)), .dnctl)
    #expect(deep.commands[0] == "dnctl pipe 1 config bw 8000Kbit/s queue 1024KBytes")
    #expect(deep.says("cut to 1 MB"))
    let uneven = exported(PathSpec(latencyMilliseconds: 117.5), .dnctl)
    #expect(uneven.commands[0] == "dnctl pipe 1 config delay 59")
    #expect(uneven.says("latency_ms 117.5: rounded"))
  }

  // MARK: tc

  @Test func netemGetsEachDirection() {
    let export = exported(Self.whole, .tc)
    #expect(
      export.commands.first
        == "tc qdisc add dev ${dev:-eth0} root netem limit 101 delay 57.5ms 10ms loss gemodel 0.40816327% 20% 100% 0% rate 12808bit"
    )
    // 150,000 bytes that wait, and what 57.5 ms and twice the jitter hold at 6.25 MB/s.
    #expect(
      export.commands.last == "tc qdisc add dev ifb0 root netem limit 423 delay 57.5ms 10ms loss 1% rate 50000kbit")
    #expect(export.says("overtake"))
  }

  @Test func netemsOtherWords() {
    let normal = PathSpec(latencyMilliseconds: 50, jitterMilliseconds: 10, jitterDistribution: .normal)
    let export = exported(normal, .tc)
    #expect(export.commands.first?.hasSuffix("netem limit 100000 delay 25ms 5ms distribution normal") == true)
    let held = exported(PathSpec(upstreamBytesPerSecond: 0), .tc)
    #expect(held.commands == ["tc qdisc add dev ${dev:-eth0} root netem limit 100000 loss 100%"])
    let netem = PathSpec(
      latencyMilliseconds: 20,
      downstreamLoss: .netem(goodToBad: 0.001, badToGood: 0.25, lossInBad: 0.9, lossInGood: 0.0001))
    #expect(exported(netem, .tc).commands.last?.hasSuffix("delay 10ms loss gemodel 0.1% 25% 90% 0.01%") == true)
  }

  // MARK: DevTools

  @Test func devToolsGetsOneMessage() {
    let export = exported(Self.whole, .devtools)
    let expected: JSON = [
      "method": "Network.emulateNetworkConditions",
      "params": [
        "offline": false, "latency": .number(115), "downloadThroughput": 6_250_000, "uploadThroughput": 1601,
      ],
    ]
    #expect(export.document == expected)
    for words in ["download 50000 kbit/s, upload 12.808 kbit/s, latency 115 ms", "WebRTC", "jitter_ms", "queue"] {
      #expect(export.says(words), "\(words)")
    }
    let open = exported(PathSpec(upstreamBytesPerSecond: 0), .devtools).document["params"]
    #expect(open?["downloadThroughput"] == -1)
    #expect(open?["uploadThroughput"] == 1, "0 would be no limit")
  }

  // MARK: toxiproxy

  @Test func toxiproxyGetsAProxyWithToxics() throws {
    let export = exported(Self.whole, .toxiproxy)
    let read = try ProxySpec.classicPopulate(body: export.document.bytes)
    #expect(read.warnings.isEmpty)
    let toxics = try #require(read.value.first?.toxics)
    #expect(
      toxics.map(\.attributes) == [
        .latency(milliseconds: 57, jitterMilliseconds: 10), .latency(milliseconds: 58, jitterMilliseconds: 10),
        .bandwidth(kilobytesPerSecond: 2), .bandwidth(kilobytesPerSecond: 6250),
      ])
    #expect(toxics.map(\.stream) == [.upstream, .downstream, .upstream, .downstream])
    #expect(read.value[0].upstream == "example.com:80")
    for words in ["upstream_bytes_per_second 1601: 2 kB/s", "downstream_loss", "populate ignores toxics", "handshake"] {
      #expect(export.says(words), "\(words)")
    }
    let slow = exported(PathSpec(downstreamBytesPerSecond: 3, upstreamBytesPerSecond: 0), .toxiproxy).document
    let rates = try ProxySpec.classicPopulate(body: slow.bytes).value[0].toxics?.map(\.attributes)
    #expect(
      rates == [.bandwidth(kilobytesPerSecond: 0), .bandwidth(kilobytesPerSecond: 1)], "0 only where 0 is asked for")
  }

  static let drops: [(drop: DropSpec, toxic: ToxicAttributes?, note: String?)] = [
    (DropSpec(probability: 0.25, how: .reset), .resetPeer(milliseconds: 0), nil),
    (DropSpec(probability: 0.25, how: .hang), .timeout(milliseconds: 0), nil),
    (DropSpec(probability: 0.25, how: .close), .limitData(bytes: 0), "closes when"),
    (DropSpec(probability: 0.25, per: .exchange), nil, "nothing like it"),
    (DropSpec(probability: 1, how: .refuse), nil, "disabled"),
  ]

  @Test(arguments: drops)
  func dropsBecomeWhatIsNearest(_ drop: DropSpec, _ toxic: ToxicAttributes?, _ note: String?) throws {
    let export = exported(Profile(name: "x", toxics: [ToxicSpec(.drop(drop), name: "d", stream: nil)]), .toxiproxy)
    let found = try ProxySpec.classicPopulate(body: export.document.bytes).value[0]
    #expect(found.toxics?.map(\.attributes) == toxic.map { [$0] })
    #expect(found.toxics?.map(\.toxicity) == toxic.map { _ in [0.25] })
    #expect(found.enabled == (drop.how != .refuse))
    if let note { #expect(export.says(note), "\(export.notes)") }
    #expect(export.says("toxic \"d\"") == (note != nil))
  }

  @Test func toxicsOfBothStreamsAreTwo() throws {
    let toxics = [
      ToxicSpec(.slowClose(milliseconds: 5), stream: nil),
      ToxicSpec(.noop, name: "n", stream: .upstream, toxicity: 0.5),
      ToxicSpec(.latency(milliseconds: 1, jitterMilliseconds: 0), stream: .upstream),
      ToxicSpec(.stall(milliseconds: 3), stream: nil),
    ]
    let export = exported(Profile(name: "x", path: PathSpec(latencyMilliseconds: 10), toxics: toxics), .toxiproxy)
    let found = try #require(try ProxySpec.classicPopulate(body: export.document.bytes).value[0].toxics)
    #expect(
      found.map(\.name) == [
        "latency_upstream", "latency_downstream", "slow_close_upstream", "slow_close_downstream", "n",
        "latency_upstream_2",
      ])
    #expect(export.says("toxic \"stall\": left out"))
  }

  // MARK: All of them

  /// Scripts that root runs: what anybody can name must not get out of its line.
  @Test(arguments: [ExportFormat.dnctl, .tc]) func namesStayInTheirNotes(_ format: ExportFormat) {
    let toxic = ToxicSpec(.noop, name: "a\nrm -rf /\u{2028}$(reboot)", stream: nil)
    let export = exported(Profile(name: "x", path: PathSpec(latencyMilliseconds: 10), toxics: [toxic]), format)
    #expect(export.says("rm -rf"))
    #expect(export.notes.allSatisfy { !$0.contains(where: \.isNewline) })
    #expect(export.commands.allSatisfy { !$0.contains("reboot") })
  }

  @Test(arguments: ExportFormat.allCases) func whatChangesWithTimeIsToldToBeLeftOut(_ format: ExportFormat) throws {
    let tunnel = try ProfileCatalogue().profile(named: "tunnel")
    #expect(exported(tunnel, format).says("timeline: left out (4 steps)"))
    let trace = Profile(name: "x", path: PathSpec(latencyMilliseconds: 9, trace: TraceSpec(upstream: [1, 2, 3])))
    #expect(exported(trace, format).says("trace: left out; upstream"))
  }

  @Test func nobodyThereIsSaidInEachTool() throws {
    let catalogue = try ProfileCatalogue()
    let (offline, silent) = (try catalogue.profile(named: "offline"), try catalogue.profile(named: "100-loss"))
    for profile in [offline, silent] {
      #expect(exported(profile, .dnctl).commands.first == "dnctl pipe 1 config plr 1")
      #expect(exported(profile, .tc).commands.last == "tc qdisc add dev ifb0 root netem limit 100000 loss 100%")
    }
    #expect(exported(offline, .tc).says("hang where they would be refused"))
    #expect(!exported(silent, .tc).says("toxic"))
    #expect(exported(offline, .devtools).document["params"]?["offline"] == true)
    #expect(exported(silent, .devtools).document["params"]?["offline"] == false)
    for format in [ExportFormat.dnctl, .tc] {
      let none = exported(try catalogue.profile(named: "none"), format)
      #expect(none.commands.isEmpty && none.says("nothing is left to do"))
    }
  }

  @Test(arguments: ExportFormat.allCases) func eachProfileIsExported(_ format: ExportFormat) throws {
    for profile in try ProfileCatalogue().profiles {
      let export = exported(profile, format)
      let json = export.json(of: profile, as: format)
      #expect(json["profile"]?.stringValue == profile.name)
      #expect(try JSONReader.read(json.bytes, dialect: .lenient)["format"]?.stringValue == format.rawValue)
      if format == .toxiproxy {
        #expect(try ProxySpec.classicPopulate(body: export.document.bytes).warnings.isEmpty, "\(profile.name)")
      }
    }
  }
}
