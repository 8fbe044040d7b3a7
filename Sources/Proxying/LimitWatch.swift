import Reactor
import Settings

/// Who has met a limit: counted each time, told once per episode, in the log and as an event. An episode of a limit (of each
/// proxy, where it is a proxy's) is over when nobody has met it for ten seconds.
final class LimitWatch {
  static let quietNanoseconds: Int64 = 10_000_000_000

  private struct Key: Hashable {
    let limit: Limit
    let proxy: String?
  }

  private let loop: EventLoop
  private let events: EventLog
  private let log: Log
  private var counts: [Limit: Int] = [:]
  /// When an episode that may still last was last heard of.
  private var lastMet: [Key: Int64] = [:]
  private var sweepsAbove = 64

  init(loop: EventLoop, events: EventLog, log: Log) {
    (self.loop, self.events, self.log) = (loop, events, log)
  }

  /// How often something was refused, cut off, made to wait or forgotten because of it.
  func count(of limit: Limit) -> Int { counts[limit] ?? 0 }

  /// - Parameters:
  ///   - value: what the limit is now.
  ///   - proxy: where one is concerned, and not the daemon as a whole.
  func met(_ limit: Limit, value: Int, proxy: String? = nil) {
    counts[limit, default: 0] += 1
    let now = loop.now
    guard let before = lastMet.updateValue(now, forKey: Key(limit: limit, proxy: proxy)) else {
      sweep(now)
      return tell(limit, value, proxy)
    }
    if now - before > LimitWatch.quietNanoseconds { tell(limit, value, proxy) }
  }

  /// Proxies come and go: what is over is forgotten from time to time.
  private func sweep(_ now: Int64) {
    guard lastMet.count > sweepsAbove else { return }
    lastMet = lastMet.filter { now - $0.value <= LimitWatch.quietNanoseconds }
    sweepsAbove = max(64, 2 * lastMet.count)
  }

  private func tell(_ limit: Limit, _ value: Int, _ proxy: String?) {
    let details: [(String, JSON)] = [
      ("limit", .string(limit.rawValue)), ("value", .integer(Int64(value))), ("flag", .string(limit.flag)),
    ]
    events.record("limit_reached", proxy: proxy, details)
    log.warning("limit reached", (proxy.map { [("proxy", JSON.string($0))] } ?? []) + details)
  }
}

@available(*, unavailable)
extension LimitWatch: Sendable {}
