/// A connection's place on a path: what packets and timers know it by.
struct PathSeat: Equatable {
  let number: Int32
  /// No other connection ever has the same, so that what is meant for one that has left isn't taken for its successor's.
  let identity: UInt32

  /// Nobody's.
  static let none = PathSeat(number: -1, identity: 0)
}

/// Who is on a path. It keeps nobody alive.
struct PathSeats {
  private struct Place {
    unowned var connection: TCPConnection?
    var identity: UInt32
  }

  private var places: [Place] = []
  private var free: [Int32] = []
  /// Of sessions whose second link hasn't come yet.
  private var owners: [Int: PathSeat] = [:]
  private var lastIdentity: UInt32 = 0

  var isEmpty: Bool { places.isEmpty }

  /// Nil: it has left.
  subscript(seat: PathSeat) -> TCPConnection? {
    guard places.indices.contains(Int(seat.number)) else { return nil }
    let place = places[Int(seat.number)]
    return place.identity == seat.identity ? place.connection : nil
  }

  /// For the session's second link. The connection that came last, if there are several; once, so that nothing is kept for
  /// sessions that just stay.
  mutating func claim(_ owner: Int) -> PathSeat? { owners.removeValue(forKey: owner) }

  /// All that are there, by number.
  ///
  /// By index, and not place by place: Swift 6.3 without optimisation takes an optional place that holds a nil `unowned`
  /// reference for nil itself, so that an iteration ends there.
  var connections: [TCPConnection] { places.indices.compactMap { places[$0].connection } }

  /// - Parameter owner: the session, if a second link is going to ask for it.
  mutating func take(_ connection: TCPConnection, owner: Int?) -> PathSeat {
    lastIdentity &+= 1
    let seat: PathSeat
    let place = Place(connection: connection, identity: lastIdentity)
    if let number = free.popLast() {
      seat = PathSeat(number: number, identity: lastIdentity)
      places[Int(number)] = place
    } else {
      seat = PathSeat(number: Int32(places.count), identity: lastIdentity)
      places.append(place)
    }
    if let owner { owners[owner] = seat }
    return seat
  }

  mutating func leave(_ seat: PathSeat, owner: Int) {
    guard places.indices.contains(Int(seat.number)), places[Int(seat.number)].identity == seat.identity else { return }
    places[Int(seat.number)] = Place(connection: nil, identity: 0)
    free.append(seat.number)
    if owners[owner] == seat { owners[owner] = nil }
    if free.count == places.count { (places, free, owners) = ([], [], [:]) }
  }
}
