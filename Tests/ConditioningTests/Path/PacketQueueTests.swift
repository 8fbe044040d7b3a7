import Testing

@testable import Conditioning

@Suite struct PacketQueueTests {
  /// What it knows of visible and marked packets, against a look at all of them.
  @Test(arguments: 0..<20 as Range<UInt64>) func knowsWhatALookAtAllWouldTell(seed: UInt64) {
    var random = SeededGenerator(seed: seed, "packets")
    var queue = PacketQueue()
    var list: [(packet: Packet, isMarked: Bool)] = []
    for step in 0..<500 {
      switch Int.random(in: 0..<9, using: &random) {
      case 0..<4:
        var packet = Packet.test(of: .test(Int32(step % 5)), size: 100, isVisible: Bool.random(using: &random))
        packet.due = .milliseconds(Double(step))
        queue.append(packet)
        list.append((packet, false))
      case 4..<7:
        #expect(queue.popFirst()?.due == list.first?.packet.due)
        list = Array(list.dropFirst())
      case 7 where random.chance(0.1):
        queue.removeAll { list[$0].packet.seat == .test(3) }
        list.removeAll { $0.packet.seat == .test(3) }
        // Marks go with that.
        for index in list.indices { list[index].isMarked = false }
      default:
        queue.mark()
        for index in list.indices { list[index].isMarked = true }
      }
      let visible = list.first { $0.packet.isVisible }
      #expect(queue.due == list.first?.packet.due ?? .distantFuture)
      #expect(queue.visibleDue == visible?.packet.due ?? .distantFuture)
      #expect(queue.isVisibleNext == (list.first?.packet.isVisible ?? false))
      if let visible { #expect(queue.isVisibleMarked == visible.isMarked) }
      #expect(queue.count == list.count && queue.isEmpty == list.isEmpty)
    }
  }
}
