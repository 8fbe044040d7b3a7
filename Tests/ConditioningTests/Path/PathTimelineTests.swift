import Testing

@testable import Conditioning

@Suite struct PathTimelineTests {
  private func timeline(_ seconds: [Double], isLooped: Bool) -> PathTimeline {
    PathTimeline(
      steps: seconds.map { PathTimeline.Step(duration: .seconds($0), parameters: PathParameters()) },
      isLooped: isLooped)
  }

  @Test func stepsFollowEachOther() {
    let timeline = timeline([1, 2, 3], isLooped: true)
    let expected: [(Double, step: Int, round: Int, begins: Double, ends: Double)] = [
      (0, 0, 0, 0, 1), (0.999999999, 0, 0, 0, 1), (1, 1, 0, 1, 3), (5.5, 2, 0, 3, 6), (6, 0, 1, 6, 7),
      (6_000_003, 2, 1_000_000, 6_000_003, 6_000_006),
    ]
    for (elapsed, step, round, begins, ends) in expected {
      let position = PathTimeline.Position(step: step, round: round, begins: .seconds(begins), ends: .seconds(ends))
      #expect(timeline.position(after: .seconds(elapsed)) == position)
    }
  }

  @Test func theLastStays() {
    let last = PathTimeline.Position(step: 1, round: 0, begins: .seconds(1), ends: nil)
    #expect(timeline([1, 2], isLooped: false).position(after: .seconds(1)) == last)
    #expect(timeline([1, 2], isLooped: false).position(after: .seconds(1e6)) == last)
    let only = PathTimeline(PathParameters()).position(after: .seconds(1e6))
    #expect(only == PathTimeline.Position(step: 0, round: 0, begins: .zero, ends: nil))
  }
}
