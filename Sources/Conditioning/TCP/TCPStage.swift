/// A link's place on a path with modelled TCP: one direction of its session's connection. Its own deadline is nil while
/// nothing has arrived: the path's timer drives it.
///
/// As small as the reference: a link with no other stage has it in place.
package enum TCPStage: Toxic {
  case upstream(TCPConnection)
  case downstream(TCPConnection)

  /// Both links of a session (`owner`) get the same connection.
  init(_ path: NetworkPath, _ direction: Direction, owner: Int, isNewConnection: Bool, dice: SeededGenerator) {
    let connection = path.join(owner) ?? TCPConnection(owner: owner, path: path, isNew: isNewConnection, dice: dice)
    self = direction == .upstream ? .upstream(connection) : .downstream(connection)
  }

  private var connection: TCPConnection {
    switch self {
    case .upstream(let connection), .downstream(let connection): connection
    }
  }

  private var direction: Direction {
    switch self {
    case .upstream: .upstream
    case .downstream: .downstream
    }
  }

  package var modelledConnection: TCPConnection? { connection }

  package mutating func receive(_ segment: Segment, at now: Instant) {
    connection.path?.advance(to: now)
    connection.write(segment, direction, at: now)
  }

  package mutating func poll(at now: Instant) -> Segment? {
    connection.path?.advance(to: now)
    return connection.takeArrived(direction)
  }

  package var deadline: Instant? { connection.hasArrived(direction) ? .distantPast : nil }
  package var heldBytes: Int { connection.heldBytes(direction) }

  package func allowance(behind transit: Interval) -> Int { connection.room(direction) }

  package mutating func surrender() -> [Segment] { connection.surrender(direction) }
}

extension Link {
  /// The modelled TCP connection of its session; nil under a path without one.
  package var connection: TCPConnection? {
    for index in stages.indices {
      if let connection = stages[index].toxic.modelledConnection { return connection }
    }
    return nil
  }
}
