import Testing

@testable import Reactor

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite struct DialScheduleTests {
  private static func addresses(_ hosts: String) throws -> [SocketAddress] {
    try hosts.split(separator: " ").map { try #require(SocketAddress(literal: String($0), port: 9)) }
  }

  @Test(arguments: [
    ("::1", "::1"),
    ("::1 ::2 1.1.1.1 2.2.2.2", "::1 1.1.1.1 ::2 2.2.2.2"),
    ("1.1.1.1 2.2.2.2 ::1", "1.1.1.1 ::1 2.2.2.2"),
    ("1.1.1.1 ::1 ::2 ::3", "1.1.1.1 ::1 ::2 ::3"),
    ("1.1.1.1 2.2.2.2", "1.1.1.1 2.2.2.2"),
  ])
  func familiesAlternate(resolved: String, order: String) throws {
    let result = DialSchedule.interleave(try Self.addresses(resolved))
    #expect(result.map(\.host).joined(separator: " ") == order)
  }

  @Test func theFirstToConnectWins() throws {
    let list = try Self.addresses("::1 1.1.1.1 ::2")
    var schedule = DialSchedule(resolved: list, deadline: 10_000)
    #expect(schedule.start(at: 0) == [.wake(at: 10_000), .connect(attempt: 0, to: list[0])])
    #expect(schedule.attemptConnected(0) == [.succeed(attempt: 0)])
    #expect(schedule.attemptConnected(1) == [])
    #expect(schedule.attemptFailed(0, code: 1, at: 1) == [])
    #expect(schedule.timePassed(at: 20_000) == [])
  }

  @Test func aSlowAttemptIsJoinedByTheNextAfter250Milliseconds() throws {
    let list = try Self.addresses("::1 1.1.1.1")
    let second: Int64 = 1_000_000_000
    var schedule = DialSchedule(resolved: list, deadline: second)
    #expect(schedule.start(at: 0) == [.wake(at: 250_000_000), .connect(attempt: 0, to: list[0])])
    #expect(schedule.timePassed(at: 249_999_999) == [.wake(at: 250_000_000)])
    #expect(schedule.timePassed(at: 250_000_000) == [.wake(at: second), .connect(attempt: 1, to: list[1])])
    // The slow one may still win.
    #expect(schedule.attemptConnected(0) == [.succeed(attempt: 0)])
  }

  @Test func aFailureStartsTheNextAtOnce() throws {
    let list = try Self.addresses("::1 1.1.1.1 ::2")
    let second: Int64 = 1_000_000_000
    var schedule = DialSchedule(resolved: list, deadline: second)
    _ = schedule.start(at: 0)
    #expect(
      schedule.attemptFailed(0, code: ECONNREFUSED, at: 7)
        == [.wake(at: 250_000_007), .connect(attempt: 1, to: list[1])])
    #expect(
      schedule.attemptFailed(1, code: ECONNREFUSED, at: 8)
        == [.wake(at: second), .connect(attempt: 2, to: list[2])])
    #expect(schedule.attemptFailed(2, code: EHOSTUNREACH, at: 9) == [.fail(.refused(list[2], EHOSTUNREACH))])
  }

  @Test func allOpenAttemptsMustFail() throws {
    let list = try Self.addresses("::1 1.1.1.1")
    var schedule = DialSchedule(resolved: list, deadline: 1_000_000_000)
    _ = schedule.start(at: 0)
    _ = schedule.timePassed(at: 250_000_000)
    #expect(schedule.attemptFailed(1, code: ECONNREFUSED, at: 250_000_001) == [])
    #expect(schedule.attemptFailed(0, code: ETIMEDOUT, at: 250_000_002) == [.fail(.refused(list[0], ETIMEDOUT))])
  }

  @Test func theDeadlineEndsIt() throws {
    let list = try Self.addresses("::1 1.1.1.1")
    var schedule = DialSchedule(resolved: list, deadline: 100)
    #expect(schedule.start(at: 0) == [.wake(at: 100), .connect(attempt: 0, to: list[0])])
    #expect(schedule.timePassed(at: 100) == [.fail(.timedOut)])
    #expect(schedule.attemptConnected(0) == [])
    var late = DialSchedule(resolved: list, deadline: 100)
    #expect(late.start(at: 100) == [.fail(.timedOut)])
  }
}
