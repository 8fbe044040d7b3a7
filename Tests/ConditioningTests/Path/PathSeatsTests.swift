import Testing

@testable import Conditioning

@Suite struct PathSeatsTests {
  private let path = NetworkPath(PathTimeline(PathParameters()), seed: 1, name: "test", at: .zero)

  private func connection(of owner: Int) -> TCPConnection {
    TCPConnection(owner: owner, path: path, isNew: true, dice: SeededGenerator(seed: 1))
  }

  /// The session has a new connection before the old one has left.
  @Test func whoLeavesTakesNobodyElseAlong() {
    var seats = PathSeats()
    let (first, second) = (connection(of: 7), connection(of: 7))
    let seat = seats.take(first, owner: 7)
    let next = seats.take(second, owner: 7)
    seats.leave(seat, owner: 7)
    #expect(seats[next] === second && seats[seat] == nil)
    // Again, which is nothing.
    seats.leave(seat, owner: 7)
    let claimed = seats.claim(7)
    #expect(claimed == next && seats.connections.count == 1)
    // It has two links now, and a third is a new connection's.
    let again = seats.claim(7)
    #expect(again == nil && seats[next] === second)
  }

  @Test func aSuccessorGetsNothingOfWhoWasThereBefore() {
    var seats = PathSeats()
    let (first, second, third) = (connection(of: 1), connection(of: 2), connection(of: 3))
    _ = seats.take(first, owner: 1)
    let old = seats.take(second, owner: 2)
    seats.leave(old, owner: 2)
    let new = seats.take(third, owner: 3)
    #expect(new.number == old.number && seats[old] == nil && seats[new] === third)
  }

  @Test func allThatAreThereAreFoundAmongFreeSeats() {
    var seats = PathSeats()
    let connections = (0..<6).map { connection(of: $0) }
    let taken = connections.map { seats.take($0, owner: $0.owner) }
    for number in [0, 2, 3] { seats.leave(taken[number], owner: number) }
    #expect(seats.connections.map(\.owner) == [1, 4, 5])
  }

  @Test func holdsNothingWhenAllHaveLeft() {
    var seats = PathSeats()
    let connections = (0..<10).map { connection(of: $0) }
    let taken = connections.map { seats.take($0, owner: $0.owner) }
    for (seat, connection) in zip(taken, connections) {
      #expect(!seats.isEmpty)
      seats.leave(seat, owner: connection.owner)
    }
    #expect(seats.isEmpty)
  }
}
