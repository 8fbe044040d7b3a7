import Testing

@testable import Conditioning

@Suite struct QueueTests {
  @Test func fifoAgreesWithAnArray() {
    var generator = SeededGenerator(seed: 3)
    var fifo = Fifo<Int>()
    var model: [Int] = []
    for value in 0..<20_000 {
      // Phases of growth and of emptying.
      if generator.chance(value / 1_000 % 2 == 0 ? 0.7 : 0.3) {
        fifo.append(value)
        model.append(value)
      } else {
        #expect(fifo.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
      }
      #expect(fifo.count == model.count && fifo.first == model.first && fifo.last == model.last)
      if !model.isEmpty { #expect(fifo[model.count / 2] == model[model.count / 2]) }
    }
    #expect(fifo.takeAll() == model)
    #expect(fifo.isEmpty)
  }

  @Test func removingKeepsTheRestInOrder() {
    var fifo = Fifo<Int>()
    for value in 0..<10 { fifo.append(value) }
    _ = fifo.popFirst()
    fifo.removeAll { $0 % 3 == 0 }
    #expect(fifo.takeAll() == [1, 2, 4, 5, 7, 8])
  }

  @Test func piecesKeepTheMarkOfAnExchangeOnItsByte() {
    var queue = SegmentQueue()
    queue.append(.bytes(Extent(start: 100, count: 30, opensExchange: true)))
    queue.append(.bytes(Extent(start: 130, count: 5)))
    queue.append(.end)
    #expect(queue.byteCount == 35)
    #expect(queue.extentRemainder(at: 0) == 30 && queue.extentRemainder(at: 29) == 1)
    #expect(queue.extentRemainder(at: 30) == 5 && queue.extentRemainder(at: 35) == nil)
    #expect(queue.popFirst(atMost: 10) == .bytes(Extent(start: 100, count: 10, opensExchange: true)))
    #expect(queue.popFirst(atMost: 100) == .bytes(Extent(start: 110, count: 20)))
    #expect(queue.byteCount == 5)
    #expect(queue.takeAll() == [.bytes(Extent(start: 130, count: 5)), .end])
    #expect(queue.byteCount == 0 && queue.isEmpty)
  }

  @Test func dueTimesNeverDecrease() {
    var line = DelayLine()
    for (arrival, due) in [(0, 50), (1, 20), (60, 60)] {
      line.append(
        .end, arrival: Instant(nanoseconds: Int64(arrival)), deviation: 0, due: Instant(nanoseconds: Int64(due)))
    }
    #expect(line.popFirst(dueAt: Instant(nanoseconds: 49)) == nil)
    #expect(line.popFirst(dueAt: Instant(nanoseconds: 50)) != nil)
    #expect(line.deadline == Instant(nanoseconds: 50))
    line.reschedule { $0.arrival }
    #expect(line.deadline == Instant(nanoseconds: 1))
    #expect(line.takeAll().count == 2 && line.deadline == nil)
  }
}
