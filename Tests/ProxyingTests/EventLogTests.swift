import Testing

@testable import Proxying

@Suite struct EventLogTests {
  private func log(capacity: Int, events: Int) -> EventLog {
    let log = EventLog(capacity: capacity)
    for number in 0..<events { log.record("event_\(number + 1)") }
    return log
  }

  @Test(
    arguments: [
      // events recorded, asked since, identifiers expected
      (0, 0, []), (1, 0, [1]), (3, 0, [1, 2, 3]), (3, 2, [3]), (3, 3, []), (3, 99, []), (3, -5, [1, 2, 3]),
      (4, 0, [1, 2, 3, 4]), (5, 0, [2, 3, 4, 5]), (9, 0, [6, 7, 8, 9]), (9, 7, [8, 9]), (9, 2, [6, 7, 8, 9]),
    ] as [(Int, Int, [Int])])
  func keepsTheLastFour(_ recorded: Int, _ since: Int, _ expected: [Int]) {
    let events = log(capacity: 4, events: recorded).events(since: since)
    #expect(events.map(\.id) == expected)
    #expect(events.map(\.type) == expected.map { "event_\($0)" })
  }

  @Test func numbersFromOne() {
    #expect(EventLog().newest == 0)
    #expect(log(capacity: 2, events: 7).newest == 7)
    #expect(EventLog().capacity == 10_000)
  }

  @Test func subscribersHearWhatComesUntilTheyLeave() {
    let log = log(capacity: 2, events: 1)
    var first: [Int] = []
    var second: [Int] = []
    let token = log.subscribe { first.append($0.id) }
    _ = log.subscribe { second.append($0.id) }
    log.record("two")
    log.unsubscribe(token)
    log.record("three")
    #expect(first == [2])
    #expect(second == [2, 3])
  }

  @Test func aSubscriberMayLeaveWhileItIsTold() {
    let log = EventLog()
    var heard = 0
    var token: Int?
    token = log.subscribe { [unowned log] _ in
      heard += 1
      if let token { log.unsubscribe(token) }
    }
    log.record("one")
    log.record("two")
    #expect(heard == 1)
  }
}
