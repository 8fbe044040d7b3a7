/// The arithmetic of a rate limit: a fluid that runs at `bytesPerSecond` while there is a backlog.
///
/// It keeps how much of the backlog has been serialised but not yet handed on, in byte-nanoseconds (bytes · 10⁹), as whole
/// numbers: nothing is rounded, so the rate is exact however often and however late it is asked. Time without a backlog
/// earns nothing (no burst after a pause). A change of rate keeps what was done; the rest runs at the new rate at once.
struct Serializer {
  /// At least 0; 0 stands still.
  private(set) var bytesPerSecond: Int64
  private var clock: Instant
  private var progress: Int128 = 0

  private static let byte: Int128 = 1_000_000_000

  init(bytesPerSecond: Int64, at now: Instant) {
    self.bytesPerSecond = max(0, bytesPerSecond)
    clock = now
  }

  /// Runs on to `now` with the backlog that there has been since the last call: call it before the backlog grows.
  mutating func advance(to now: Instant, backlog: Int) {
    guard now > clock else { return }
    let done = Int128(bytesPerSecond) * Int128((now - clock).nanoseconds)
    progress = min(progress + done, Int128(backlog) * Self.byte)
    clock = now
  }

  mutating func setRate(_ bytesPerSecond: Int64, at now: Instant, backlog: Int) {
    advance(to: now, backlog: backlog)
    self.bytesPerSecond = max(0, bytesPerSecond)
  }

  /// Bytes of the next piece, of at most `available` (at least 1): what leaves together, once its last byte is done.
  ///
  /// As much as the rate moves in 100 ms at most (what very slow links send at a time, as in the classic API), else one
  /// TCP segment's worth (1,448 bytes; smaller pieces would cost packets and gain nothing), else 2 ms' worth (a finer grain
  /// costs wake-ups and nobody sees it). After a late call or a change of rate several that are done leave together, and
  /// always whole ones: a call that is a little late must not add the byte that is done by then.
  func piece(of available: Int) -> Int {
    let quantum = quantum
    let whole = Int(clamping: progress / Self.byte) / quantum * quantum
    return min(available, max(quantum, whole))
  }

  var quantum: Int {
    max(1, Int(clamping: min(bytesPerSecond / 10, max(1448, bytesPerSecond / 500))))
  }

  /// Hands on `bytes` if they are done.
  mutating func take(_ bytes: Int) -> Bool {
    let work = Int128(bytes) * Self.byte
    guard progress >= work else { return false }
    progress -= work
    return true
  }

  /// Forgets what was done of `bytes` that are taken away unfinished; `backlog` is what stays.
  mutating func abandon(_ bytes: Int, leaving backlog: Int) {
    let rest = progress - min(progress, Int128(bytes) * Self.byte)
    progress = min(rest, Int128(backlog) * Self.byte)
  }

  /// When the next `bytes` will be done; nil: never at this rate.
  func deadline(of bytes: Int) -> Instant? {
    let left = Int128(bytes) * Self.byte - progress
    if left <= 0 { return clock }
    guard bytesPerSecond > 0 else { return nil }
    let wait = (left + Int128(bytesPerSecond) - 1) / Int128(bytesPerSecond)
    return clock + Interval(nanoseconds: Int64(clamping: wait))
  }

  /// Bytes that may be read now: what the rate moves in 250 ms and in `transit`, at least 8 KiB, less what is held.
  /// A link that stands still takes 16 KiB, enough for a request to be waiting when it starts again.
  func allowance(held: Int, behind transit: Interval) -> Int {
    guard bytesPerSecond > 0 else { return 16 * 1024 - held }
    let span = Int128(max(.zero, transit).nanoseconds) + 250_000_000
    let window = Int(clamping: Int128(bytesPerSecond) * span / Self.byte)
    return max(window, 8 * 1024) - held
  }
}
