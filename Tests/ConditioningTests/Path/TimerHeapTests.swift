import Testing

@testable import Conditioning

@Suite struct TimerHeapTests {
  @Test(arguments: 0..<20 as Range<UInt64>) func isAsATable(seed: UInt64) {
    var random = SeededGenerator(seed: seed, "timers")
    var heap = TimerHeap()
    var table: [Int32: Instant] = [:]
    for _ in 0..<2_000 {
      let seat = PathSeat.test(Int32.random(in: 0..<40, using: &random))
      switch Int.random(in: 0..<4, using: &random) {
      case 0, 1:
        let due = Instant(nanoseconds: Int64.random(in: 0..<1_000, using: &random))
        heap.set(seat, at: due)
        table[seat.number] = min(table[seat.number] ?? .distantFuture, due)
      case 2:
        heap.remove(seat)
        table[seat.number] = nil
      default:
        let now = Instant(nanoseconds: Int64.random(in: 0..<300, using: &random))
        let first = table.values.min() ?? .distantFuture
        let popped = heap.popFirst(dueAt: now)
        #expect((popped != nil) == (first <= now))
        if let popped { #expect(table.removeValue(forKey: popped.number) == first) }
      }
      #expect(heap.due == table.values.min() ?? .distantFuture)
      #expect(heap.due(of: seat) == table[seat.number])
    }
  }

  @Test func holdsNothingWhenEmpty() {
    var heap = TimerHeap()
    for number in 0..<100 { heap.set(.test(Int32(number)), at: .milliseconds(Double(number))) }
    for number in 0..<50 { heap.remove(.test(Int32(number))) }
    #expect(heap.due == .milliseconds(50))
    while heap.popFirst(dueAt: .seconds(1)) != nil {}
    #expect(heap.due == .distantFuture && heap.holdsNothing)
  }
}
