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
      "very-bad-network": path(1000, 0, 125_000), "flaky": PathSpec(), "offline": PathSpec(), "none": PathSpec(),
      "100-loss": PathSpec(),
    ]
    for (name, path) in paths { #expect(catalogue[name]?.path == path, "\(name)") }
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

  @Test func eachSaysHowItsNumbersAreRead() {
    for file in EmbeddedProfiles.files where file.text.contains("latency_ms") {
      #expect(file.text.contains("round trip (half of it is added in each direction)"), "\(file.name)")
      #expect(file.text.contains("that of each"), "\(file.name)")
    }
  }
}
