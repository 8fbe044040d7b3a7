import Testing

@testable import Proxying
@testable import Reactor

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

  @Test func theOldestAndTheirTimesAreKnownAsFarAsTheyAreKept() throws {
    #expect(EventLog().oldest == 1 && EventLog().time(of: 1) == nil)
    let log = log(capacity: 4, events: 9)
    #expect(log.oldest == 6)
    #expect(log.time(of: 5) == nil && log.time(of: 10) == nil)
    let times = try (6...9).map { try #require(log.time(of: $0)) }
    #expect(times == times.sorted() && times[0] >= log.beganAt)
  }

  @Test func aTimeIsAPlaceAmongTheEvents() throws {
    let log = log(capacity: 4, events: 9)
    let time = try #require(log.time(of: 8))
    // Events of the same nanosecond go together.
    let first = try #require((6...8).first { log.time(of: $0) == time })
    #expect(log.lastID(before: time) == first - 1)
    #expect(log.lastID(before: log.beganAt) == 5)
    #expect(log.lastID(before: try #require(log.time(of: 9)).advanced(nanoseconds: 1)) == 9)
    #expect(EventLog().lastID(before: .now) == 0)
  }

  /// There is a ring of ten thousand, and a decision may come with every exchange.
  @Test func frequentEventsAreSmall() {
    #expect(MemoryLayout<DecisionNote>.size <= 24 && MemoryLayout<SessionSum>.size <= 24)
    #expect(MemoryLayout<Event.Kind>.size <= 24)
    #expect(MemoryLayout<Event>.stride <= 72)
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
