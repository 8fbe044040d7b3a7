import Testing

@testable import Reactor

@Suite struct BackOffTests {
  @Test func waitsDoubleUpToTheLimitAndStartAnew() {
    var backOff = BackOff(nanoseconds: 10...100)
    #expect((0..<6).map { _ in backOff.next() } == [10, 20, 40, 80, 100, 100])
    backOff.reset()
    #expect(backOff.next() == 10)
  }
}
