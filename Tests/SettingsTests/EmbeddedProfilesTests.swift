import Testing

@testable import Settings

@Suite struct EmbeddedProfilesTests {
  @Test func theyAreTheFilesOfTheDirectory() throws {
    let names = try SettingsFile.list("\(repository)/Profiles").filter { $0.hasSuffix(".json") }
    #expect(EmbeddedProfiles.files.map(\.name) == names, "run scripts/embed-profiles")
    for file in EmbeddedProfiles.files {
      let text = try SettingsFile.read("\(repository)/Profiles/\(file.name)")
      #expect(Array(file.text.utf8) == text, "\(file.name) is stale: run scripts/embed-profiles")
    }
  }

  @Test(arguments: EmbeddedProfiles.files.map(\.name)) func eachComesBackTheSame(_ name: String) throws {
    let file = try #require(EmbeddedProfiles.files.first { $0.name == name })
    let profile = try ProfileFile(name: file.name, text: file.text).profile()
    #expect(try Profile(text: profile.json.text.utf8, source: "again") == profile)
    #expect(!profile.summary.isEmpty)
    #expect(!profile.source.isEmpty)
  }

  /// The numbers that the requirements fix.
  @Test func theFixedOnesAreExact() throws {
    let catalogue = try ProfileCatalogue()
    func path(_ latency: Double, _ jitter: Double, _ rate: Int64) -> PathSpec {
      PathSpec(
        latencyMilliseconds: latency, jitterMilliseconds: jitter, downstreamBytesPerSecond: rate,
        upstreamBytesPerSecond: rate)
    }
    let paths = [
      "edge": path(400, 100, 30_000), "3g": path(100, 50, 200_000), "lte": path(50, 0, 6_250_000),
      "flaky": PathSpec(), "offline": PathSpec(), "none": PathSpec(), "100-loss": PathSpec(),
    ]
    for (name, path) in paths { #expect(catalogue[name]?.path == path, "\(name)") }
    for name in ["edge", "3g", "lte"] { #expect(catalogue[name]?.path.modelInForce == .tcp, "\(name)") }
    let drops = [
      "flaky": DropSpec(probability: 0.3, per: .exchange, how: .reset),
      "offline": DropSpec(probability: 1, per: .connection, how: .refuse),
      "100-loss": DropSpec(probability: 1, per: .connection, how: .hang),
    ]
    for name in paths.keys {
      let toxics = drops[name].map { [ToxicSpec(.drop($0), stream: nil)] } ?? []
      #expect(catalogue[name]?.toxics == toxics, "\(name)")
    }
  }

  /// Tools mean a way, a round trip or a request by the word.
  @Test func eachSaysHowItsLatencyIsRead() {
    for file in EmbeddedProfiles.files where file.text.contains("\n    \"latency_ms\"") {
      let comment = file.text.split(separator: "\n").prefix { $0.hasPrefix("//") }.joined(separator: " ")
      #expect(comment.contains("// Latency: "), "\(file.name)")
      #expect(comment.replacing("// ", with: "").contains("round trip"), "\(file.name)")
    }
  }

  @Test func eachIsListedInTheDocs() throws {
    let page = String(decoding: try SettingsFile.read("\(repository)/docs/profiles.md"), as: UTF8.self)
    for profile in try ProfileCatalogue().profiles {
      #expect(page.contains("\n| `\(profile.name)` | "), "run scripts/profiles-doc")
      #expect(page.contains("\n- **\(profile.name)**: "), "run scripts/profiles-doc")
      for alias in profile.aliases { #expect(page.contains("`\(alias)`"), "run scripts/profiles-doc") }
    }
  }

  // MARK: The numbers of other tools: rates in kbit/s of 1000 bits, round trip and jitter in ms, loss in percent

  struct Published: Sendable, CustomTestStringConvertible {
    let name: String
    let down: Double?
    let up: Double?
    let roundTrip: Double
    var jitter = 0.0
    var loss = (down: 0.0, up: 0.0)

    var testDescription: String { name }

    init(
      _ name: String, _ down: Double?, _ up: Double?, _ roundTrip: Double, _ jitter: Double = 0,
      loss: (down: Double, up: Double) = (0, 0)
    ) {
      (self.name, self.down, self.up, self.roundTrip) = (name, down, up, roundTrip)
      (self.jitter, self.loss) = (jitter, loss)
    }
  }

  /// The presets that people know, and where their figures differ the copies of each tool's.
  static let published = [
    Published("very-bad-network", 1000, 1000, 1000, loss: (10, 10)), Published("high-latency-dns", nil, nil, 0),
    Published("dial-up", 49, 30, 120), Published("gprs", 51.2, 20.48, 500), Published("2g", 280, 256, 800),
    Published("slow-3g", 400, 400, 400), Published("fast-3g", 1600, 750, 150), Published("4g", 9000, 9000, 170),
    Published("fast-4g", 9000, 1500, 60), Published("dsl", 1500, 384, 50), Published("cable", 5000, 1000, 28),
    Published("wifi", 40000, 33000, 2), Published("satellite", 47790, 3000, 683), Published("fiber", 20000, 5000, 4),
    Published("starlink", 104710, 14840, 45, 10),

    Published("nlc-3g", 780, 330, 100 + 100), Published("nlc-edge", 240, 200, 400 + 440),
    Published("nlc-lte", 50000, 10000, 50 + 65), Published("nlc-dsl", 2000, 256, 5 + 5),
    Published("nlc-wifi", 40000, 33000, 1 + 1), Published("nlc-very-bad-network", 1000, 1000, 1000, loss: (10, 10)),
    Published("nlc-3g-good", 850, 420, 90 + 100), Published("nlc-3g-lossy", 780, 330, 200, loss: (1, 0)),
    Published("nlc-cable-modem", 6000, 1000, 4), Published("nlc-edge-good", 250, 200, 350 + 370),
    Published("nlc-edge-lossy", 240, 200, 840, loss: (1, 0)), Published("nlc-wifi-good", 45000, 40000, 2),

    Published("wpt-cable", 5000, 1000, 28), Published("wpt-dsl", 1500, 384, 50), Published("wpt-fios", 20000, 5000, 4),
    Published("wpt-dial", 49, 30, 120), Published("wpt-edge", 240, 200, 840), Published("wpt-2g", 280, 256, 800),
    Published("wpt-3g-slow", 400, 400, 400), Published("wpt-3g-em", 400, 400, 400), Published("wpt-3g", 1600, 768, 300),
    Published("wpt-3g-fast", 1600, 768, 150), Published("wpt-4g", 9000, 9000, 170),
    Published("wpt-lte", 12000, 12000, 70),
    Published("wpt-native", nil, nil, 0),

    Published("devtools-3g", 500 * 0.8, 500 * 0.8, 400), Published("devtools-slow-4g", 1600 * 0.9, 750 * 0.9, 150),
    Published("devtools-fast-4g", 9000 * 0.9, 1500 * 0.9, 60), Published("devtools-gprs", 50 * 1.024, 20 * 1.024, 500),
    Published("devtools-regular-2g", 250 * 1.024, 50 * 1.024, 300),
    Published("devtools-good-2g", 450 * 1.024, 150 * 1.024, 150),
    Published("devtools-regular-3g", 750 * 1.024, 250 * 1.024, 100),
    Published("devtools-good-3g", 1536 * 1.024, 750 * 1.024, 40),
    Published("devtools-regular-4g", 4096 * 1.024, 3072 * 1.024, 20),
    Published("devtools-dsl", 2048 * 1.024, 1024 * 1.024, 5),
    Published("devtools-wifi", 30720 * 1.024, 15360 * 1.024, 2),

    Published("android-gsm", 14.4, 14.4, 350, 200), Published("android-hscsd", 57.6, 14.4, 240, 160),
    Published("android-gprs", 57.6, 28.8, 117.5, 82.5), Published("android-umts", 384, 384, 117.5, 82.5),
    Published("android-edge", 473.6, 473.6, 240, 160), Published("android-hsdpa", 13980, 5760, 0),
    Published("android-lte", 173_000, 58000, 0), Published("android-evdo", 280_000, 75000, 0),
    Published("android-5g", nil, nil, 0), Published("android-legacy-gsm", 14.4, 14.4, 0),
    Published("android-legacy-hscsd", 43.2, 14.4, 0), Published("android-legacy-gprs", 80, 40, 350, 200),
    Published("android-legacy-edge", 236.8, 118.4, 240, 160), Published("android-legacy-umts", 1920, 128, 117.5, 82.5),
    Published("android-legacy-hsdpa", 14400, 348, 0),
  ]

  /// Read once: there are many rows.
  private static let catalogue = Result { try ProfileCatalogue() }

  @Test(arguments: published) func theNumbersAreThePublishedOnes(_ published: Published) throws {
    let path = try #require(try Self.catalogue.get()[published.name]).path
    func bytes(_ kilobits: Double?) -> Int64? { kilobits.map { Int64(($0 * 125).rounded()) } }
    #expect(path.downstreamBytesPerSecond == bytes(published.down))
    #expect(path.upstreamBytesPerSecond == bytes(published.up))
    #expect(path.latencyMilliseconds == published.roundTrip)
    #expect(path.jitterMilliseconds == published.jitter)
    #expect(path.downstreamLoss == .share(published.loss.down / 100))
    #expect(path.upstreamLoss == .share(published.loss.up / 100))
  }

  @Test func eachToolsSetIsWhole() throws {
    let names = try ProfileCatalogue().names
    for prefix in ["nlc-", "wpt-", "devtools-", "android-"] {
      let known = Self.published.map(\.name) + ["nlc-100-loss", "nlc-high-latency-dns", "devtools-offline"]
      let copies = names.filter { $0.hasPrefix(prefix) }
      #expect(Set(copies).isSubset(of: known), "a copy whose numbers no test knows")
    }
    #expect(try ProfileCatalogue()["nlc-high-latency-dns"]?.path == PathSpec(dnsLatencyMilliseconds: 3000))
    #expect(try ProfileCatalogue()["high-latency-dns"]?.path == PathSpec(dnsLatencyMilliseconds: 3000))
  }

  @Test(arguments: ["tunnel", "elevator", "train", "handover", "starlink"])
  func whatChangesWithTimeComesBackToWhereItBegan(_ name: String) throws {
    let path = try #require(try ProfileCatalogue()[name]).path
    let timeline = try #require(path.timeline)
    #expect(timeline.isLooped)
    #expect(timeline.steps.count > 1)
    var first = path
    first.timeline = nil
    #expect(timeline.steps[0].path == first, "the path's own numbers are those that it begins with")
    #expect(path.modelInForce == .tcp)
    let stands = timeline.steps.contains {
      $0.path.downstreamBytesPerSecond == 0 && $0.path.upstreamBytesPerSecond == 0
    }
    #expect(stands == (name != "elevator"))
  }
}
