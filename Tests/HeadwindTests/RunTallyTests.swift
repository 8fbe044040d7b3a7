import Settings
import Testing

@testable import headwind

/// What else came in force under a run's lease.
@Suite struct RunTallyTests {
  private func otherProfile(_ event: String, proxies: [String] = []) throws -> String? {
    var tally = RunTally(events: ["events": []], counters: [:], expected: ("edge", proxies))
    let text = "{\"events\":[{\"id\":1,\"type\":\"profile_switched\",\(event)}]}"
    tally.take(events: try JSONReader.read(Array(text.utf8), dialect: .lenient))
    return tally.otherProfile
  }

  @Test func anotherProfileIsNoticed() throws {
    #expect(try otherProfile(#""to":"none""#) == "none")
    #expect(try otherProfile(#""to":"3g","proxy":"api""#) == "3g")
    #expect(try otherProfile(#""to":"3g","proxy":"api""#, proxies: ["api"]) == "3g")
  }

  @Test func itsOwnAndWhatDoesNotConcernItAreNot() throws {
    #expect(try otherProfile(#""to":"edge""#) == nil)
    #expect(try otherProfile(#""to":"3g","below_lease":"x-1""#) == nil)
    #expect(try otherProfile(#""to":"3g","proxy":"web""#, proxies: ["api"]) == nil)
  }
}
