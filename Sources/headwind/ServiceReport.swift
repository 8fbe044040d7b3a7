import Conditioning
import Proxying
import Reactor
import Settings

/// What a service manager is told of the daemon (sd_notify(3)): how far it is, what it does, and that its loop turns.
final class ServiceReport {
  private static let secondNanoseconds: Int64 = 1_000_000_000
  /// What a stop may take beyond the time for delayed bytes.
  private static let stopMarginNanoseconds: Int64 = 5_000_000_000

  private let notifier: ServiceNotifier
  private let loop: EventLoop
  private let watchdogNanoseconds: Int64?
  private let status: () -> String
  private var statusTold: (text: String, at: Int64)?
  /// When a stop is over at the latest; nil before there is one.
  private var stopsBy: Int64?
  private var ticker: Ticker?

  /// Nil when there is nobody to be told.
  ///
  /// - Parameter status: one line for people, asked for about once a second.
  init?(loop: EventLoop, status: @escaping () -> String) {
    guard let notifier = ServiceNotifier() else { return nil }
    self.notifier = notifier
    self.loop = loop
    self.status = status
    watchdogNanoseconds = ServiceNotifier.watchdogNanoseconds
    let second = ServiceReport.secondNanoseconds
    // Half the interval, as sd_watchdog_enabled(3) has it, so that one beat may come late. An interval of microseconds can't
    // be kept, and is not to occupy the loop.
    let period = min(second, max(second / 1_000, (watchdogNanoseconds ?? 2 * second) / 2))
    ticker = Ticker(loop: loop, first: loop.now + period, periodNanoseconds: period) { [unowned self] _ in beat() }
  }

  func ready() {
    let text = status()
    statusTold = (text, loop.now)
    notifier.send("READY=1", "STATUS=\(text)")
  }

  /// A reload is taken for one only with the time at which it began.
  func reloading() { notifier.send("RELOADING=1", "MONOTONIC_USEC=\(loop.now / 1_000)") }

  /// - Parameter time: for which what is delayed is still delivered.
  func stopping(for time: Interval) {
    stopsBy = loop.now + time.nanoseconds + ServiceReport.stopMarginNanoseconds
    notifier.send("STOPPING=1", "STATUS=stopping: \(status())", moreTime(until: stopsBy ?? 0))
  }

  func failed(_ reason: String) { notifier.send("STATUS=failed: \(reason.printable)") }

  private func moreTime(until end: Int64) -> String { "EXTEND_TIMEOUT_USEC=\(max(1, (end - loop.now) / 1_000))" }

  private func beat() {
    notifier.sendWaiting()
    if watchdogNanoseconds != nil { notifier.send("WATCHDOG=1") }
    if let stopsBy { return notifier.send(moreTime(until: stopsBy)) }
    tellStatus()
  }

  /// Only what is new, and once a second.
  private func tellStatus() {
    guard let statusTold, loop.now - statusTold.at >= ServiceReport.secondNanoseconds else { return }
    let text = status()
    guard text != statusTold.text else { return }
    self.statusTold = (text, loop.now)
    notifier.send("STATUS=\(text)")
  }
}

extension ServiceReport {
  /// `3 proxies, profile 3g, 12 sessions`.
  static func status(of registry: ProxyRegistry) -> String {
    let (proxies, sessions) = (registry.proxyCount, registry.sessionCount)
    let profile = registry.inForce(for: nil).profile?.name ?? "none"
    return "\(proxies) \(proxies == 1 ? "proxy" : "proxies"), profile \(profile.plainExcerpt), "
      + "\(sessions) \(sessions == 1 ? "session" : "sessions")"
  }
}
