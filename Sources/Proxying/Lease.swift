package import Conditioning
package import Reactor
package import Settings

/// A profile that somebody has put proxies under for a limited time.
package struct Lease: Equatable, Sendable {
  /// Counted up from 1.
  let number: Int
  package let id: String
  package internal(set) var profile: Profile
  /// Names of the proxies; nil: all. A proxy need not be there: one of that name may come.
  package let proxies: [String]?
  package let holder: String
  package let reason: String?
  package let createdAt: WallTime
  package internal(set) var expiresAt: WallTime
  /// As it was taken, or renewed the last time.
  package internal(set) var length: Interval
  /// The same moment as `expiresAt`, by the clock that nobody sets.
  package internal(set) var deadline: Instant

  /// Why a lease has ended.
  package enum Ending: String, Sendable, CaseIterable { case released, expired }
}
