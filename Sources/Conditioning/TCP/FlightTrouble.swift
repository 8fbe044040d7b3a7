/// What a flight needs once something in it has arrived beyond a gap, was lost or was sent again. Most flights do without:
/// while all goes well the order of sending is that of the numbers, and nobody has to look for losses.
final class FlightTrouble {
  /// One transmission. Behind the back of a record its segment may have arrived or been sent again.
  struct Record {
    let number: Int64
    let sentAt: Instant
    let transmission: Int64

    init(_ segment: SentSegment, number: Int64) {
      self.number = number
      sentAt = segment.sentAt
      transmission = segment.transmission
    }
  }

  /// In the order of sending.
  var log = Fifo<Record>()
  /// Segments beyond a gap at the receiver, and lost.
  var arrivedBeyond = 0
  var lost = 0
  /// No segment before it is lost.
  var lostFrom: Int64 = 0
  var knownBlocks = SelectiveBlocks()
  var recoveryEnd: Int64 = 0
  var timeoutsInARow = 0
  var mistake = SpuriousTimeout()

  func knownBlock(with number: Int64) -> Range<Int64>? {
    for index in 0..<SelectiveBlocks.limit where knownBlocks[index].contains(number) { return knownBlocks[index] }
    return nil
  }
}
