package import Conditioning
package import Reactor
package import Settings

/// What a daemon holds at most, and how long it waits; every queue and every wait has a bound.
///
/// The counts and sizes are those of ``Limit``, as fields, because the ways of bytes and connections look at them.
package struct Limits: Equatable, Sendable {
  /// Live sessions in all; above it connections wait in the listeners' backlogs.
  package var sessions = Limit.connections.usual
  /// Live sessions of one proxy.
  package var sessionsPerProxy = Limit.connectionsPerProxy.usual
  /// Bytes that all links together hold at most; above it a link reads only when it holds nothing.
  package var processBytes = Limit.bufferBytes.usual
  /// Bytes that one link holds at most, in its toxics and behind its socket together.
  ///
  /// A link under latency must hold the whole delay: 1.5 GB/s for 50 ms are 75 MB.
  package var linkBytes = Limit.linkBufferBytes.usual
  /// Bytes that a link holds at most for a peer that doesn't read, beyond what is still being delayed.
  package var unsentBytes = 1 << 20
  /// Lookups that wait or run.
  package var lookups = Limit.lookups.usual
  /// The head of a message to or from a forward proxy.
  package var forwardHeadBytes = Limit.forwardHeadBytes.usual
  /// The control port's.
  package var control = HTTPLimits(
    connectionsMax: Limit.controlConnections.usual, headerBytesMax: Limit.controlHeadBytes.usual,
    bodyBytesMax: Limit.controlBodyBytes.usual, unsentBytesMax: Limit.controlOutputBytes.usual)
  package var eventStreams = Limit.eventStreams.usual
  package var proxies = Limit.proxies.usual
  package var toxics = Limit.toxics.usual
  package var toxicsPerProxy = Limit.toxicsPerProxy.usual
  /// Those of the catalogue that calls have defined.
  package var profiles = Limit.profiles.usual
  package var rules = Limit.rules.usual
  package var leases = Limit.leases.usual
  package var events = Limit.events.usual
  /// Of what is gone: by proxy as many, and by route as many.
  package var keptCounters = Limit.keptCounters.usual
  package var nameBytes = Limit.nameBytes.usual
  /// File descriptors that are left for sessions and listeners; nil: nobody knows.
  package var descriptors: Int?

  /// How long a session tries to reach its upstream.
  package var connectTimeout = Interval.seconds(10)
  /// How long a client of a forward proxy may take for a request, from its first byte to the end of its head.
  package var requestTimeout = Interval.seconds(30)
  /// How long one may ask for nothing, before its first request or between two.
  package var idleTimeout = Interval.seconds(300)
  /// How long a client of a forward proxy may take none of its last answer before it is given up.
  package var deliveryTimeout = Interval.seconds(60)
  /// How long delayed bytes are still delivered after a request to stop.
  package var drainTimeout = Interval.seconds(5)

  /// What may be read of a stream before any of it is written: all of it may come to lie here.
  var streamBytes: Int { min(unsentBytes, linkBytes) }

  package init() {
    control.headerBytesHint = " (\(Limit.controlHeadBytes.flag) sets it)"
    control.bodyBytesHint = " (\(Limit.controlBodyBytes.flag) sets it)"
  }

  /// No more sessions than there are file descriptors for, two each. Some are left for the control port, which is the way
  /// out when there are too many, and for lookups.
  package func fitting(descriptors: Int) -> Limits {
    // Where there are few, an eighth has to do for the control port.
    let reserved = min(control.connectionsMax + 44, max(24, descriptors / 8))
    var copy = self
    copy.descriptors = descriptors - reserved
    copy.sessions = copy.sessions(beside: 0)
    return copy
  }

  /// - Parameter listeners: they have descriptors, too.
  func sessions(beside listeners: Int) -> Int {
    guard let descriptors else { return sessions }
    return min(sessions, max(1, (descriptors - listeners) / 2))
  }
}

extension Limits {
  package init(_ settings: LimitSettings) {
    self.init()
    for (limit, value) in settings.values { self[limit] = value }
  }

  package subscript(limit: Limit) -> Int {
    get { self[keyPath: Limits.field(of: limit)] }
    set { self[keyPath: Limits.field(of: limit)] = newValue }
  }

  private static func field(of limit: Limit) -> WritableKeyPath<Limits, Int> {
    switch limit {
    case .connections: \.sessions
    case .connectionsPerProxy: \.sessionsPerProxy
    case .bufferBytes: \.processBytes
    case .linkBufferBytes: \.linkBytes
    case .lookups: \.lookups
    case .forwardHeadBytes: \.forwardHeadBytes
    case .controlConnections: \.control.connectionsMax
    case .controlHeadBytes: \.control.headerBytesMax
    case .controlBodyBytes: \.control.bodyBytesMax
    case .controlOutputBytes: \.control.unsentBytesMax
    case .eventStreams: \.eventStreams
    case .proxies: \.proxies
    case .toxics: \.toxics
    case .toxicsPerProxy: \.toxicsPerProxy
    case .profiles: \.profiles
    case .rules: \.rules
    case .leases: \.leases
    case .events: \.events
    case .keptCounters: \.keptCounters
    case .nameBytes: \.nameBytes
    }
  }
}
