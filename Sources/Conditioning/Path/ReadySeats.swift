/// Whose sessions are to be driven, in the order of asking. A path has one, so it keeps its room, other than a ``Fifo``:
/// it is filled and emptied at each wake-up.
struct ReadySeats {
  private var seats: [PathSeat] = []
  private var taken = 0

  var isEmpty: Bool { seats.isEmpty }

  mutating func append(_ seat: PathSeat) { seats.append(seat) }

  mutating func popFirst() -> PathSeat? {
    guard taken < seats.count else { return nil }
    let seat = seats[taken]
    taken += 1
    if taken == seats.count {
      seats.removeAll(keepingCapacity: true)
      taken = 0
    }
    return seat
  }
}
