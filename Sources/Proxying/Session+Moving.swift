import Conditioning
import Reactor

// From one loop to another, both of which are held: nothing happens meanwhile.
extension Session {
  /// What is under way stays so: sockets, bytes and times go along.
  ///
  /// The old loop must have forgotten already that this session asked for a turn.
  func move(to table: SessionTable) {
    let deadline = timer?.armedFor
    dropTimer()
    let isToDialAgain = dial.map { !$0.move(to: table.loop, table.resolver) } ?? false
    if isToDialAgain { dial = nil }
    belongs(to: table)
    for direction in Direction.allCases {
      withPipe(direction) { $0.queue.move(to: table.loop.pool) }
    }
    do throws(LoopError) {
      for socket in [clientSocket, upstreamSocket].compactMap({ $0 }) { try socket.move(to: table.loop) }
    } catch {
      return reset(reason: .outOfResources)
    }
    if let deadline { arm(at: Instant(nanoseconds: deadline)) }
    if isToDialAgain { dialUpstream() }
    driveLater()
  }
}
