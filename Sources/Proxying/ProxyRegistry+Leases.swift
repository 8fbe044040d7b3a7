import Conditioning
package import Reactor
package import Settings

// Which profile counts: that of the newest lease that covers the proxy, else the proxy's own, else that of all.
extension ProxyRegistry {
  func profileInForce(for proxy: Proxy) -> Profile? {
    leases.newest(covering: proxy.name)?.profile ?? proxy.ownProfile.current ?? profile.current
  }

  /// Newest first: the first that covers a proxy is the one that counts.
  package var liveLeases: [Lease] { leases.newestFirst }
  package var leaseCount: Int { leases.count }

  package func lease(_ id: String) throws(RegistryError) -> Lease {
    guard let lease = leases[id] else { throw .leaseNotFound }
    return lease
  }

  /// The newest live lease that holds that profile.
  package func lease(holding profile: Profile) -> Lease? { leases.newest(holding: profile.name) }

  /// The lease that counts for a proxy; for nil, that for all proxies which have nothing of their own.
  func lease(covering proxy: Proxy?) -> Lease? {
    guard let proxy else { return leases.newestCoveringAll }
    return leases.newest(covering: proxy.name)
  }

  // MARK: Changing

  /// Puts proxies under a profile until the lease ends: in force for live sessions before this returns.
  ///
  /// - Parameter profile: the one that `terms` name.
  package func take(_ terms: LeaseTerms, profile: Profile) throws(RegistryError) -> Lease {
    try require(.leases, leases.count + 1)
    try requireNames(terms.proxies ?? [])
    return changeLeases(of: [terms.proxies], cause: .lease) {
      let lease = leases.take(terms, profile: profile, at: moment)
      tell("lease_started", lease)
      return lease
    }
  }

  /// - Parameter length: from now on; nil for the same length again.
  package func renewLease(_ id: String, for length: Duration?) throws(RegistryError) -> Lease {
    let lease = leases.renew(try lease(id), for: length.map { Interval($0) }, at: moment)
    armLeaseTimer()
    tell("lease_renewed", lease)
    return lease
  }

  package func releaseLease(_ id: String) throws(RegistryError) {
    end([try lease(id)], .released)
  }

  func endExpiredLeases() {
    crew.hold()
    end(leases.expired(at: loop.instant), .expired)
  }

  private func end(_ ended: [Lease], _ ending: Lease.Ending) {
    changeLeases(of: ended.map(\.proxies), cause: .lease) {
      for lease in ended {
        leases.end(lease)
        tell("lease_ended", lease, ending)
      }
    }
  }

  /// Takes the new definitions of the profiles that leases hold.
  func refreshLeases() {
    let outdated = leases.outdated(by: catalogue)
    guard !outdated.isEmpty else { return }
    changeLeases(of: outdated.map(\.proxies), cause: .reloaded) { leases.refresh(outdated, from: catalogue) }
  }

  private var moment: LeaseTable.Moment { LeaseTable.Moment(instant: loop.instant, wall: .now) }

  private func armLeaseTimer() {
    if let deadline = leases.earliestDeadline {
      leaseTimer.arm(at: deadline.nanoseconds)
    } else {
      leaseTimer.cancel()
    }
  }

  // MARK: Following

  /// What counts somewhere, and since which lease.
  private struct Standing: Equatable {
    var profile: Profile?
    var lease: Int?

    var name: String { profile?.name ?? "none" }
  }

  private func standing(of proxy: Proxy?) -> Standing {
    let lease = lease(covering: proxy)
    return Standing(profile: lease?.profile ?? proxy?.ownProfile.current ?? profile.current, lease: lease?.number)
  }

  /// Lets `body` change leases; then what is in force elsewhere than before is told, and live sessions follow at once.
  ///
  /// - Parameter scopes: which proxies those leases cover, each nil for all.
  private func changeLeases<T>(of scopes: [[String]?], cause: ProfileSlot.Cause, _ body: () -> T) -> T {
    let named = Set(scopes.compactMap { $0 }.joined())
    let concernsAll = scopes.contains { $0 == nil }
    let concerned = concernsAll ? proxies : named.sorted().compactMap { try? proxy(named: $0) }
    let beforeForAll = standing(of: nil)
    let before = concerned.map { standing(of: $0) }
    let result = body()
    armLeaseTimer()
    inOnePass {
      if follow(nil, from: beforeForAll) { tellSwitch(of: nil, from: beforeForAll, cause) }
      for (proxy, before) in zip(concerned, before) where follow(proxy, from: before) {
        // The others were told of as all.
        let isSpecial = proxy.ownProfile.current != nil || named.contains(proxy.name) || leases.names(proxy.name)
        if isSpecial { tellSwitch(of: proxy, from: before, cause) }
      }
    }
    return result
  }

  /// - Returns: whether another profile is in force.
  private func follow(_ proxy: Proxy?, from before: Standing) -> Bool {
    let now = standing(of: proxy)
    guard now != before else { return false }
    if let proxy { proxy.leaseSwitchedAt = .now } else { leaseSwitchedAt = .now }
    guard now.profile != before.profile else { return false }
    if let proxy { refreshConditions(of: proxy) }
    return true
  }

  // MARK: Telling

  private func tell(_ event: String, _ lease: Lease, _ ending: Lease.Ending? = nil) {
    let details: [(String, JSON?)] = [
      ("lease", .string(lease.id)), ("profile", .string(lease.profile.name)),
      ("proxies", lease.proxies.map { .array($0.map(JSON.string)) } ?? .null), ("by", .string(lease.holder)),
      ("reason", lease.reason.map(JSON.string) ?? .null), ("expires_at", .string(lease.expiresAt.description)),
      ("cause", ending.map { .string($0.rawValue) }),
    ]
    let there = details.compactMap { key, value in value.map { (key, $0) } }
    events.record(event, there)
    log.info(String(event.map { $0 == "_" ? " " : $0 }), there)
  }

  private func tellSwitch(of proxy: Proxy?, from before: Standing, _ cause: ProfileSlot.Cause) {
    let after = standing(of: proxy)
    guard after.name != before.name || cause == .reloaded else { return }
    let slot = proxy?.ownProfile.current == nil ? profile : proxy?.ownProfile
    let lease = lease(covering: proxy)
    tellSwitch(
      of: proxy, from: before.profile, to: after.profile, cause, revertsAt: lease?.expiresAt ?? slot?.revertsAt,
      by: lease)
  }

  /// - Parameters:
  ///   - lease: what `to` is in force by.
  ///   - covering: the lease that keeps `to` from being in force.
  func tellSwitch(
    of proxy: Proxy?, from: Profile?, to: Profile?, _ cause: ProfileSlot.Cause, revertsAt: WallTime?,
    by lease: Lease? = nil, below covering: Lease? = nil
  ) {
    let names: [(String, JSON)] = [
      ("from", .string(from?.name ?? "none")), ("to", .string(to?.name ?? "none")),
      ("cause", .string(cause.rawValue)),
      ("reverts_at", revertsAt.map { .string($0.description) } ?? .null),
    ]
    let whose = lease.map { [("lease", JSON.string($0.id)), ("by", JSON.string($0.holder))] } ?? []
    let details = names + whose + (covering.map { [("below_lease", .string($0.id))] } ?? [])
    events.record("profile_switched", proxy: proxy?.name, details)
    log.info("profile switched", [("proxy", .string(proxy?.name ?? "*"))] + details)
  }
}

// MARK: Showing

/// What is in force, and until when.
package struct ProfileInForce {
  /// Nil when nothing is.
  package var profile: Profile?
  /// The lease that it is by.
  package var lease: Lease?
  package var since: WallTime
  /// When it gives way by itself.
  package var revertsAt: WallTime?
  /// Where its timeline is; nil without one.
  package var step: PathStep?
}

extension ProxyRegistry {
  /// For a proxy: by a lease, or its own; for nil: what all proxies are under that have nothing of their own.
  package func inForce(for proxy: Proxy?) -> ProfileInForce {
    var inForce = slotInForce(for: proxy)
    inForce.step = inForce.profile.flatMap { paths.step(of: $0.name) }
    return inForce
  }

  private func slotInForce(for proxy: Proxy?) -> ProfileInForce {
    let slot = proxy?.ownProfile ?? profile
    let switched = proxy?.leaseSwitchedAt ?? leaseSwitchedAt
    if let lease = lease(covering: proxy) {
      return ProfileInForce(profile: lease.profile, lease: lease, since: switched, revertsAt: lease.expiresAt)
    }
    return ProfileInForce(profile: slot.current, since: max(slot.since, switched), revertsAt: slot.revertsAt)
  }
}
