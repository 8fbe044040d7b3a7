import Conditioning
import Reactor
import Settings

// One direction of a session: reading, timing, writing.
extension Session {
  /// Reads, times and writes once; true when another round may move more.
  func advance(_ direction: Direction, _ now: Instant) -> Bool {
    let didRead = pull(direction, now)
    guard phase != .closed else { return false }
    // One look tells of most links that there is nothing more to do.
    var (mayRelease, cutsWrites, mayPush) = (false, false, false)
    withPipe(direction) { (mayRelease, cutsWrites, mayPush) = ($0.mayRelease, $0.cutsWrites, $0.mayPush) }
    var pieces = Pieces.none
    if mayRelease {
      if cutsWrites { pieces = writePieces(direction, now) }
      guard pieces != .unfinished else { return false }
      release(direction, now, onlyOne: false)
      guard phase != .closed, phase != .lingering else { return false }
    }
    let didWrite = (mayRelease || mayPush) && push(direction, now)
    return (didRead || didWrite || pieces == .written) && phase == .open
  }

  private enum Pieces {
    case none, written
    /// The session is over, or the rest has to wait its turn.
    case unfinished
  }

  /// Where a toxic cuts the stream into pieces each is a write of its own, as long as the socket takes them.
  private func writePieces(_ direction: Direction, _ now: Instant) -> Pieces {
    for number in 0..<Session.piecesInARow {
      var hasMore = false
      withPipe(direction) { pipe in
        guard pipe.cutsWrites else { return }
        hasMore = pipe.link.deadline.map { $0 <= now } ?? false
      }
      guard hasMore else { return number == 0 ? .none : .written }
      release(direction, now, onlyOne: true)
      guard phase != .closed, phase != .lingering else { return .unfinished }
      _ = push(direction, now)
      guard phase != .closed, phase != .lingering else { return .unfinished }
    }
    driveLater()
    return .unfinished
  }

  /// Takes from the link what is due.
  private func release(_ direction: Direction, _ now: Instant, onlyOne: Bool) {
    var outcome = Pipe.Outcome.nothing
    withPipe(direction) { pipe in
      if pipe.sink != .gone, !pipe.link.isTransparent { outcome = pipe.release(at: now, onlyOne: onlyOne) }
    }
    switch outcome {
    case .nothing: break
    case .ended: withPipe(direction) { $0.sink = .endDue }
    case .closed: linkClosed(direction, now)
    case .reset: linkReset(direction, now)
    }
  }

  private func pull(_ direction: Direction, _ now: Instant) -> Bool {
    // Nothing is read before the upstream is there: the client feels the wait as it would without a proxy.
    guard phase == .open, let source = socket(from: direction), source.isReadable else { return false }
    if let forward, !mayRead(direction, forward) { return false }
    var room = roomToRead(direction)
    if let forward { room = min(room, pieceToRead(direction, forward)) }
    guard room > 0 else { return false }
    // While others wait for their turn, one's own is to be short.
    let isStream = room > ReadBuffer.capacity && !loop.turns.hasWaiting
    switch isStream ? source.readStream(upTo: room) : source.read(upTo: room) {
    case .bytes(let count):
      hasReadMuch = hasReadMuch || count > ReadBuffer.capacity
      take(count, direction, now)
      return true
    case .wouldBlock:
      guard isWritingBack(direction) else {
        sourceFailed(direction, now)
        return true
      }
      return false
    case .end:
      sourceEnded(direction, now)
      return true
    case .failed:
      sourceFailed(direction, now)
      return true
    }
  }

  func roomToRead(_ direction: Direction) -> Int {
    let isShort = sessions.isMemoryShort
    let bounds = sessions.pipeBounds
    let room =
      direction == .upstream
      ? upstream.room(bounds, isMemoryShort: isShort) : downstream.room(bounds, isMemoryShort: isShort)
    if isShort, room == 0 { sessions.waitForMemory(self) }
    if room == 0, !isShort { noteFullLink(direction) }
    return room
  }

  private func noteFullLink(_ direction: Direction) {
    let most = sessions.pipeBounds.linkBytes
    let held = direction == .upstream ? upstream.buffered : downstream.buffered
    // As ``Pipe/room(_:isMemoryShort:)`` sees it: no room for a packet.
    if most - held < 1448 { sessions.met(.linkBufferBytes, value: most, proxy: proxy.name) }
  }

  /// `count` bytes lie in the loop's read buffer: straight on to the sink where nothing stands between, else into the
  /// queue and the link.
  private func take(_ count: Int, _ direction: Direction, _ now: Instant) {
    guard let forward else { return deliver(0..<count, direction, now) }
    if direction == .upstream { takeFromClient(count, forward, now) } else { takeFromUpstream(count, forward, now) }
  }

  /// A part of the read buffer goes on: straight to the sink where nothing stands between, else into the queue and the link.
  func deliver(_ range: Range<Int>, _ direction: Direction, _ now: Instant) {
    let count = range.count
    guard count > 0 else { return }
    proxy.counters.count(received: count, direction)
    let opening = loop.readBuffer.withBytes(range) { noteExchange($0, direction) }
    let (sink, isLast) = (socket(to: direction), isEndDue(direction))
    let loop = loop
    var failed = false
    var written = 0
    withPipe(direction) { pipe in
      guard pipe.sink == .open else { return }
      let isStraight = pipe.isStraight
      let start = pipe.received
      pipe.received += Int64(count)
      if isStraight {
        pipe.released = pipe.received
        if let sink, sink.isWritable {
          switch sink.write(range, isLast: isLast) {
          case .wrote(let n): written = n
          case .wouldBlock: break
          case .failed: failed = true
          }
          pipe.sent += Int64(written)
        }
        if written < count { pipe.queue.append(loop.readBuffer, range.dropFirst(written)) }
        return
      }
      pipe.queue.append(loop.readBuffer, range)
      pipe.take(count, from: start, opening: opening, at: now)
    }
    if written > 0 { proxy.counters.count(sent: written, direction) }
    if failed { sinkFailed(direction, now) }
  }

  /// Bytes that no socket was read for, in their place in the stream. They are written when the session is next driven.
  func deliver(_ bytes: [UInt8], _ direction: Direction, _ now: Instant) {
    guard !bytes.isEmpty, phase == .open else { return }
    let isOwn = direction == .downstream && forward.map { $0.ownFrom != .max } ?? false
    if !isOwn { proxy.counters.count(received: bytes.count, direction) }
    let opening = bytes.withRawSpan { noteExchange($0, direction) }
    withPipe(direction) { pipe in
      guard pipe.sink == .open else { return }
      let start = pipe.received
      pipe.received += Int64(bytes.count)
      pipe.queue.append(bytes)
      guard !pipe.link.isTransparent else {
        pipe.released = pipe.received
        return
      }
      pipe.take(bytes.count, from: start, opening: opening, at: now)
    }
  }

  /// How many of the bytes that were written last are the proxy's own words.
  private func ownBytes(in written: Int, _ direction: Direction) -> Int {
    guard direction == .downstream, let forward, forward.ownFrom != .max else { return 0 }
    return Int(min(Int64(written), max(0, downstream.sent - forward.ownFrom)))
  }

  /// Where in the bytes just read a new exchange opens, if it does.
  private func noteExchange(_ bytes: RawSpan, _ direction: Direction) -> Int? {
    if direction == .upstream { return exchanges.client(bytes) }
    exchanges.server(bytes)
    return nil
  }

  /// True when something was written.
  func push(_ direction: Direction, _ now: Instant) -> Bool {
    guard let sink = socket(to: direction) else { return false }
    var written = 0
    var failed = false
    var closes = false
    let isCloseDue = isOtherOver(than: direction)
    withPipe(direction) { pipe in
      while pipe.sink != .gone, pipe.unsent > 0, sink.isWritable, !failed {
        switch sink.write(&pipe.queue, upTo: pipe.unsent) {
        case .wrote(let n):
          pipe.sent += Int64(n)
          written += n
        case .wouldBlock: break
        case .failed: failed = true
        }
      }
      if pipe.sink == .endDue, pipe.unsent == 0, !failed {
        // Bytes behind the end were dropped by a toxic.
        pipe.queue.discard(pipe.queue.count)
        if !isCloseDue || sink.holdsBack { sink.shutdownWrite() }
        pipe.sink = .ended
      }
      closes = pipe.sink == .closeDue && pipe.unsent == 0 && !failed
    }
    if written > 0 {
      proxy.counters.count(sent: written - ownBytes(in: written, direction), direction)
      sessions.memoryMayBeBack()
    }
    if failed { sinkFailed(direction, now) }
    if closes, phase != .closed { closeByToxic() }
    return written > 0
  }
}
