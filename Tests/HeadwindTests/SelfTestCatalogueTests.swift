import Conditioning
import Settings
import Testing

@testable import headwind

/// Profiles that come with Headwind can be tested, the slow and unlucky ones too, in a time that nobody minds.
struct SelfTestCatalogueTests {
  private static let names = [
    "edge", "very-bad-network", "gprs", "android-gsm", "dial-up", "elevator", "train", "none", "100-loss", "offline",
    "flaky", "high-latency-dns",
  ]

  @Test(arguments: names)
  func eachHasAPlanOfAMinuteAtMost(name: String) throws {
    let profile = try ProfileCatalogue().profile(named: name)
    let sections = SelfTestPlanner(profile: profile, seconds: 5, seed: 1, stepsMax: 1).sections()
    #expect(!sections.isEmpty && sections.allSatisfy { !$0.rows.isEmpty })
    for row in sections.flatMap(\.rows) {
      #expect(row.allowed.contains(row.promised), "\(name): \(row)")
      #expect(row.allowed.lowerBound <= row.band.lowerBound && row.allowed.upperBound >= row.band.upperBound)
    }
    let seconds = sections.flatMap(\.tasks).reduce(0) { $0 + $1.expected.seconds }
    #expect(seconds < (profile.path.timeline == nil ? 60 : 90), "\(name): \(seconds) s")
  }
}
