import Conditioning
import Reactor
import Settings

/// The live leases. Of those that cover a proxy the newest one counts, in whatever order they end.
///
/// It reads no clock and arms no timer: ``ProxyRegistry`` does.
struct LeaseTable {
  /// A moment by both clocks: one says when a lease is over, the other is for people.
  struct Moment {
    var instant: Instant
    var wall: WallTime
  }

  private var byNumber: [Int: Lease] = [:]
  /// The numbers of the leases that name a proxy, oldest first.
  private var naming: [String: [Int]] = [:]
  /// Those of the leases that cover all, oldest first.
  private var coveringAll: [Int] = []
  private var lastNumber = 0
  /// Differs from daemon to daemon, so that a holder who has missed a restart doesn't end somebody else's lease.
  private let prefix: String

  /// - Parameter prefix: what identifiers begin with; nil for one that is drawn.
  init(prefix: String? = nil) {
    // Without vowels, so that no words come out, and without what looks alike.
    let letters = Array("bcdfghjkmnpqrstvwxyz")
    self.prefix = prefix ?? String((0..<4).map { _ in letters[Int.random(in: letters.indices)] })
  }

  // MARK: Looking

  var count: Int { byNumber.count }

  /// Newest first: the first that covers a proxy is the one that counts.
  var newestFirst: [Lease] { byNumber.values.sorted { $0.number > $1.number } }

  subscript(id: String) -> Lease? {
    guard id.hasPrefix(prefix + "-"), let number = Int(id.dropFirst(prefix.count + 1)) else { return nil }
    // "+1" and "01" are numbers, too.
    return byNumber[number].flatMap { $0.id == id ? $0 : nil }
  }

  /// The newest of those for all proxies.
  var newestCoveringAll: Lease? { coveringAll.last.flatMap { byNumber[$0] } }

  func newest(covering proxy: String) -> Lease? {
    let newest = max(naming[proxy]?.last ?? 0, coveringAll.last ?? 0)
    return byNumber[newest]
  }

  /// Whether a lease names that proxy; those for all don't.
  func names(_ proxy: String) -> Bool { naming[proxy] != nil }

  /// The newest lease that holds the profile of that name.
  func newest(holding profile: String) -> Lease? {
    byNumber.values.filter { $0.profile.name == profile }.max { $0.number < $1.number }
  }

  /// When the first of them is over.
  var earliestDeadline: Instant? { byNumber.values.lazy.map(\.deadline).min() }

  /// Those whose time is over, oldest first.
  func expired(at now: Instant) -> [Lease] {
    byNumber.values.filter { $0.deadline <= now }.sorted { $0.number < $1.number }
  }

  // MARK: Changing

  /// - Parameter profile: the one that `terms` name.
  mutating func take(_ terms: LeaseTerms, profile: Profile, at now: Moment) -> Lease {
    lastNumber += 1
    let length = Interval(terms.length)
    let lease = Lease(
      number: lastNumber, id: "\(prefix)-\(lastNumber)", profile: profile, proxies: terms.proxies,
      holder: terms.holder, reason: terms.reason, createdAt: now.wall,
      expiresAt: now.wall.advanced(nanoseconds: length.nanoseconds), length: length,
      deadline: now.instant + length)
    byNumber[lease.number] = lease
    if let names = lease.proxies {
      for name in names { naming[name, default: []].append(lease.number) }
    } else {
      coveringAll.append(lease.number)
    }
    return lease
  }

  /// Its time begins anew; its place among the others stays.
  ///
  /// - Parameter length: nil for the same length again.
  mutating func renew(_ lease: Lease, for length: Interval?, at now: Moment) -> Lease {
    var copy = lease
    copy.length = length ?? lease.length
    copy.expiresAt = now.wall.advanced(nanoseconds: copy.length.nanoseconds)
    copy.deadline = now.instant + copy.length
    byNumber[lease.number] = copy
    return copy
  }

  mutating func end(_ lease: Lease) {
    byNumber[lease.number] = nil
    guard let names = lease.proxies else { return coveringAll.removeAll { $0 == lease.number } }
    for name in names {
      naming[name]?.removeAll { $0 == lease.number }
      if naming[name]?.isEmpty ?? false { naming[name] = nil }
    }
  }

  /// The leases whose profiles the catalogue has in another form. One that is gone from it stays as it was.
  func outdated(by catalogue: ProfileCatalogue) -> [Lease] {
    byNumber.values.filter { lease in catalogue[lease.profile.name].map { $0 != lease.profile } ?? false }
  }

  mutating func refresh(_ leases: [Lease], from catalogue: ProfileCatalogue) {
    for lease in leases {
      if let fresh = catalogue[lease.profile.name] { byNumber[lease.number]?.profile = fresh }
    }
  }
}
