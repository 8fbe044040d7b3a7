package import Reactor
import Settings

/// What has gone through a proxy in a span of time: proof that a test's traffic did, or didn't.
package struct TrafficCount: Equatable, Sendable {
  /// That were opened in the span.
  package var connections = 0
  /// That live now, whenever they were opened.
  package var open = 0
  /// Delivered by connections that were opened in the span.
  package var upstreamBytes: Int64 = 0
  package var downstreamBytes: Int64 = 0
  package var drops = 0
  package var dialFailures = 0
  /// Of the connections those of which nothing reached an upstream, because the forward proxy refused what they asked for.
  package var refused = 0

  static func isRefusal(_ reason: CloseReason, _ upstreamBytes: Int64, _ downstreamBytes: Int64) -> Bool {
    (reason == .refused || reason == .dialFailed) && upstreamBytes + downstreamBytes == 0
  }
}

/// A span of time from some moment until now.
package struct TrafficSpan {
  package let since: WallTime
  /// What comes behind this event is in the span; 0: everything.
  package let event: Int
}

/// Why it can't be told what has happened since some moment.
package enum TrafficError: Error {
  /// The events no longer reach back so far; the oldest that is kept.
  case forgotten(id: Int, at: WallTime)
  /// The moment is still to come. (An event of an earlier daemon looks so.)
  case toCome(newest: Int)
}

extension ProxyRegistry {
  package enum Beginning {
    case event(Int)
    case time(WallTime)
  }

  /// The span that begins there. It is exact or refused: what is forgotten isn't guessed, but all there has ever been is
  /// counted elsewhere.
  package func span(since beginning: Beginning) throws(TrafficError) -> TrafficSpan {
    let all = TrafficSpan(since: events.beganAt, event: 0)
    switch beginning {
    case .event(0): return all
    case .event(let id):
      guard id <= events.newest else { throw .toCome(newest: events.newest) }
      guard id >= events.oldest - 1 else { throw forgotten }
      return TrafficSpan(since: events.time(of: id) ?? events.time(of: id + 1) ?? .now, event: id)
    case .time(let time):
      guard time > events.beganAt else { return all }
      guard time <= .now else { throw .toCome(newest: events.newest) }
      let id = events.lastID(before: time)
      // The oldest event that is kept tells of this moment only if it is older.
      guard id >= events.oldest || events.oldest == 1 else { throw forgotten }
      return TrafficSpan(since: time, event: id)
    }
  }

  private var forgotten: TrafficError {
    .forgotten(id: events.oldest, at: events.time(of: events.oldest) ?? events.beganAt)
  }

  /// By the names of the proxies: all that there are, and those that have gone since but had traffic.
  package func traffic(in span: TrafficSpan) -> [String: TrafficCount] {
    var counts = span.event == 0 ? allTraffic() : traffic(after: span.event)
    for session in sessions { counts[session.proxy.name]?.open += 1 }
    return counts
  }

  /// By the counters, which forget nothing.
  private func allTraffic() -> [String: TrafficCount] {
    var counts: [String: TrafficCount] = [:]
    for (name, counters) in archive.proxies.values { counts[name] = TrafficCount(counters) }
    for proxy in proxies { counts[proxy.name] = TrafficCount(proxy.countersOfName) }
    return counts
  }

  /// By the events, which must all be kept.
  private func traffic(after id: Int) -> [String: TrafficCount] {
    var counts = Dictionary(uniqueKeysWithValues: proxies.map { ($0.name, TrafficCount()) })
    // By name and not by number: those of other loops are told a little later.
    var opened: Set<Int> = []
    for event in events.events(since: id) {
      guard let proxy = event.proxy, let session = event.session else { continue }
      switch event.kind {
      case .sessionOpened:
        opened.insert(session)
        counts[proxy, default: TrafficCount()].connections += 1
      case .sessionClosed(let sum) where opened.contains(session):
        counts[proxy, default: TrafficCount()].add(sum.upstreamBytes, sum.downstreamBytes)
        // A proxy with an upstream of its own refuses nothing: what it can't reach is a dial failure.
        let isForward = (try? self.proxy(named: proxy))?.mode.isForward ?? false
        if isForward, TrafficCount.isRefusal(sum.reason, sum.upstreamBytes, sum.downstreamBytes) {
          counts[proxy]?.refused += 1
        }
      case .other("dropped", _): counts[proxy, default: TrafficCount()].drops += 1
      case .other("dial_failed", _): counts[proxy, default: TrafficCount()].dialFailures += 1
      case .sessionClosed, .decision, .forwarded, .other: break
      }
    }
    for session in sessions where opened.contains(session.id) {
      counts[session.proxy.name, default: TrafficCount()].add(session.upstreamBytes, session.downstreamBytes)
    }
    return counts
  }
}

extension TrafficCount {
  fileprivate init(_ counters: Counters) {
    connections = counters.sessions
    (upstreamBytes, downstreamBytes) = (counters.upstream.sent, counters.downstream.sent)
    (drops, dialFailures, refused) = (counters.drops, counters.dialFailures, counters.refusals)
  }

  fileprivate mutating func add(_ upstream: Int64, _ downstream: Int64) {
    upstreamBytes += upstream
    downstreamBytes += downstream
  }
}
