package import Conditioning
package import Reactor
package import Settings

/// The profile that is in force for all proxies, or for one; a temporary one gives way to the lasting one by itself.
package final class ProfileSlot {
  /// Why the profile in force changed.
  package enum Cause: String, Sendable, CaseIterable { case set, cleared, expired, reloaded, lease }

  /// The profile in force; nil when this slot sets none.
  package private(set) var current: Profile?
  package private(set) var since = WallTime.now
  /// When a temporary profile gives way; nil for a lasting one.
  package private(set) var revertsAt: WallTime?

  /// What is in force again when a temporary profile's time is over.
  private var lasting: Profile?
  private let loop: EventLoop
  private let onChange: (_ before: Profile?, Cause) -> Void
  private lazy var timer = LoopTimer(loop: loop) { [unowned self] in expire() }

  init(loop: EventLoop, onChange: @escaping (_ before: Profile?, Cause) -> Void) {
    self.loop = loop
    self.onChange = onChange
  }

  /// Switches to `profile`, nil to none; `duration` makes it temporary.
  ///
  /// A temporary profile that comes on top of another takes over its place: when it ends, the last lasting one returns.
  package func set(_ profile: Profile?, for duration: Interval? = nil, cause: Cause) {
    timer.cancel()
    revertsAt = nil
    if let duration {
      revertsAt = WallTime.now.advanced(nanoseconds: duration.nanoseconds)
      timer.arm(at: (loop.instant + duration).nanoseconds)
    } else {
      lasting = profile
    }
    put(profile, cause)
  }

  /// Takes the new definitions of the profiles that it holds; one that is gone from the catalogue stays as it was.
  func refresh(from catalogue: ProfileCatalogue) {
    lasting = lasting.flatMap { catalogue[$0.name] } ?? lasting
    guard let held = current, let fresh = catalogue[held.name], fresh != held else { return }
    let before = current
    current = fresh
    onChange(before, .reloaded)
  }

  /// True when that profile is in force, or will be when a temporary one ends.
  package func holds(_ name: String) -> Bool { current?.name == name || lasting?.name == name }

  private func expire() {
    revertsAt = nil
    put(lasting, .expired)
  }

  private func put(_ profile: Profile?, _ cause: Cause) {
    let before = current
    current = profile
    since = .now
    onChange(before, cause)
  }
}

@available(*, unavailable)
extension ProfileSlot: Sendable {}
