import Conditioning
import Reactor

/// One direction of a session: what was read from the source, the link that times it, and what waits for the sink.
///
/// All positions count bytes of the stream: `sent` ≤ `released` ≤ `received`. The queue holds `sent` ..< `received`, less
/// what a toxic has lost at its end; the link decides how far `released` goes.
struct Pipe: ~Copyable {
  /// `cut`: the daemon stops, and reads no more of what would have come.
  enum Source { case open, ended, reset, cut }
  /// `endDue`, `closeDue`: as soon as what the link let go has been written.
  enum Sink { case open, endDue, closeDue, ended, gone }
  enum Outcome { case nothing, ended, closed, reset }

  var link: Link
  var queue: ByteQueue
  var received: Int64 = 0
  var released: Int64 = 0
  var sent: Int64 = 0
  var source = Source.open
  var sink = Sink.open

  init(link: consuming Link, pool: BlockPool) {
    self.link = link
    queue = ByteQueue(pool: pool)
  }

  /// Bytes held here, in toxics and behind the socket.
  var buffered: Int { queue.count }

  /// Bytes let go by the link that the sink's socket hasn't taken.
  var unsent: Int { Int(released - sent) }

  /// True when a read may go straight to the sink: nothing waits and no toxic looks on.
  var isStraight: Bool { link.isTransparent && queue.count == 0 }

  /// True when everything that was read has gone out, and more can.
  var isUntouched: Bool { source == .open && sink == .open && queue.isEmpty }

  /// True when everything that was read has gone out (or never can), and nothing more is expected.
  var isFinished: Bool { sink == .ended || sink == .gone }

  /// True when nothing that was read waits any more.
  var isDelivered: Bool { isFinished || (source == .cut && queue.count == 0) }

  /// Whether there may be something for ``release(at:onlyOne:)``.
  var mayRelease: Bool { sink != .gone && !link.isTransparent }

  /// Whether a toxic has it that each segment is a write of its own.
  var cutsWrites: Bool { sink == .open && link.cutsWrites }

  /// Whether there is something to write, or to say behind all that is written.
  var mayPush: Bool { sink != .gone && (unsent > 0 || sink == .endDue || sink == .closeDue) }

  /// How many bytes may be read from the source now: more than one read's worth only where they go straight on. A link that
  /// holds bytes times them from when they came.
  ///
  /// Below one packet's worth a link that already holds something waits for more room, or a busy link would be read in
  /// crumbs (the silly window of RFC 9293 §3.8.6.2.1, seen from a reader).
  func room(_ bounds: Bounds, isMemoryShort: Bool) -> Int {
    guard source == .open, sink == .open else { return 0 }
    if isMemoryShort { return queue.count == 0 ? min(link.allowance, 16 << 10) : 0 }
    if link.isTransparent { return queue.count == 0 ? max(ReadBuffer.capacity, bounds.streamBytes) : 0 }
    let room = min(link.allowance, bounds.linkBytes - queue.count, bounds.unsentBytes - unsent)
    return room < 1448 && queue.count > 0 ? 0 : min(room, ReadBuffer.capacity)
  }

  /// Hands `count` bytes of the queue to the link, of which those from `opening` on, if that is said, open an exchange.
  mutating func take(_ count: Int, from start: Int64, opening: Int?, at now: Instant) {
    let before = opening ?? count
    if before > 0 { link.receive(.bytes(Extent(start: start, count: before, opensExchange: false)), at: now) }
    guard before < count else { return }
    let opened = Extent(start: start + Int64(before), count: count - before, opensExchange: true)
    link.receive(.bytes(opened), at: now)
  }

  /// Takes what the link lets go now, or only its next piece; tells when it ended.
  mutating func release(at now: Instant, onlyOne: Bool = false) -> Outcome {
    defer { forgetWhatIsLost() }
    while let segment = link.poll(at: now) {
      switch segment {
      case .bytes(let extent):
        released = extent.start + Int64(extent.count)
        if onlyOne { return .nothing }
      case .end:
        return .ended
      case .close:
        return .closed
      case .reset:
        return .reset
      }
    }
    return .nothing
  }

  /// What came behind bytes that a toxic dropped can't be delivered: it takes no memory.
  private mutating func forgetWhatIsLost() {
    guard queue.count > 0, let deliverable = link.deliverableBytes else { return }
    queue.truncate(to: unsent + deliverable)
  }

  /// What is received from now on is thrown away. Only once it is given up.
  mutating func beginDiscarding() { received = released }

  /// Bytes thrown away since.
  var discarded: Int64 { received - released }

  /// Gives up on the sink: nothing that is held can be delivered any more, and nothing more is to be read.
  mutating func abandon() {
    sink = .gone
    queue.discard(queue.count)
    link.dissolve()
  }
}

extension Pipe {
  /// What ``room(_:isMemoryShort:)`` needs of ``Limits``, by itself: those hold texts, and each read would copy them.
  struct Bounds {
    let linkBytes: Int
    let unsentBytes: Int
    let streamBytes: Int

    init(_ limits: Limits) {
      (linkBytes, unsentBytes, streamBytes) = (limits.linkBytes, limits.unsentBytes, limits.streamBytes)
    }
  }

  /// How a pipe stands when all that could be moved has moved. Asked for once in a turn, because a look at a session's pipe
  /// is an access that is checked.
  struct Rest {
    let deadline: Instant?
    let isFinished: Bool
    let isDelivered: Bool
    let isCut: Bool
    let mayHaveDecided: Bool
  }

  var rest: Rest {
    Rest(
      deadline: link.deadline, isFinished: isFinished, isDelivered: isDelivered, isCut: source == .cut,
      mayHaveDecided: link.mayHaveDecided)
  }
}
