import Conditioning
package import Reactor
package import Settings

/// All proxies by name, the profile that is in force, and every change to them.
///
/// A call either does what it says and tells it as an event, or throws and has changed nothing. Where an address has to
/// be listened on, the caller first turns its text into a ``Binding`` (a name may take a while to look up), then calls.
package final class ProxyRegistry {
  package let limits: Limits
  package let seed: UInt64
  package let log: Log
  package let events: EventLog
  package var catalogue: ProfileCatalogue
  /// The profile of all proxies that have none of their own.
  package private(set) lazy var profile: ProfileSlot = ProfileSlot(loop: loop) { [unowned self] before, cause in
    profileSwitched(proxy: nil, slot: profile, before: before, cause: cause)
  }
  /// Profiles that come before those, for a limited time.
  var leases = LeaseTable()
  lazy var leaseTimer = LoopTimer(loop: loop) { [unowned self] in endExpiredLeases() }
  /// As ``Proxy/leaseSwitchedAt``, for all that have nothing of their own.
  var leaseSwitchedAt = WallTime.now

  /// What the forward proxies share.
  package var forward: ForwardSettings {
    get { hub.forward }
    set {
      hub.forward = newValue
      forwardSettingsChanged()
    }
  }

  /// Where the control API is served: no client of a forward proxy gets there through it.
  package var controlAddress: SocketAddress? {
    get { hub.ownConnections.controlAddress }
    set { hub.ownConnections.controlAddress = newValue }
  }

  /// The loop that decides, and that of the sessions which share something.
  package let loop: EventLoop
  package let crew: LoopCrew
  let hub: Hub
  /// One for each loop; the first is that of ``loop``.
  let tables: [SessionTable]
  let resolver: Resolver
  private let bindings: BindingResolver
  private(set) var byName: [String: Proxy] = [:]
  var nextNoteOfFull: Int64 = 0
  /// How many connections had had to wait to be closed when the present call began.
  var closingsBefore = 0
  /// Proxies whose sessions are to adopt new conditions when the change of many is over; nil outside of one.
  private var awaitingPass: [Proxy]?
  private(set) lazy var paths = makePaths()

  package init(
    loop: EventLoop, loops: Int = 1, catalogue: ProfileCatalogue, limits: Limits = Limits(), seed: UInt64, log: Log,
    events: EventLog? = nil
  ) throws(LoopError) {
    self.loop = loop
    let crew = try LoopCrew(loop: loop, count: loops)
    self.crew = crew
    self.catalogue = catalogue
    self.limits = limits
    self.seed = seed
    self.log = log
    let events = events ?? EventLog(capacity: limits.events)
    self.events = events
    resolver = try Resolver(loop: loop, requestsMax: limits.lookups)
    bindings = BindingResolver(resolver: resolver)
    hub = try Hub(crew: crew, limits: limits, seed: seed, log: log, events: events)
    tables = try ProxyRegistry.tables(hub, resolver)
    hub.ownConnections.owner = { [unowned self] address in owner(of: address) }
    hub.ownConnections.ports = { [unowned self] in Set(byName.values.compactMap(\.port)) }
    hub.onRoom = { [unowned self] in roomChanged() }
    hub.onCircle = { [unowned self] id, route in refuseCircle(id, route) }
    followLoops()
  }

  deinit {
    // What lives on the further loops goes with this, which can't be told any more.
    crew.onHold = { _ in }
    crew.stop()
  }

  // MARK: Looking

  /// Sorted by the bytes of the name.
  package var proxies: [Proxy] { byName.values.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) } }

  package func proxy(named name: String) throws(RegistryError) -> Proxy {
    guard let proxy = byName[name] else { throw .proxyNotFound }
    return proxy
  }

  package var proxyCount: Int { byName.count }
  /// Counters of what is no longer there.
  package var archive: CounterArchive { hub.archive }

  /// What serves `address`, which is one of this machine.
  private func owner(of address: SocketAddress) -> OwnConnections.Owner? {
    if let control = controlAddress?.unmapped, control.serves(address) { return .control }
    return byName.values.first { $0.localAddress?.unmapped.serves(address) ?? false }.map { .proxy($0) }
  }

  // MARK: Proxies

  /// What each listen text means here; looked up off the loop where it holds a name.
  package func resolve(
    _ listens: [String], completion: @escaping ([Result<Binding, RegistryError>]) -> Void
  ) {
    bindings.resolve(listens) { [weak self] results in
      self?.beginCall()
      completion(results)
    }
  }

  /// Makes a proxy; its toxics and its profile are in force before the first connection is accepted.
  ///
  /// - Parameter binding: what `spec.listen` means; nil only for a proxy that isn't enabled.
  package func create(_ spec: ProxySpec, binding: Binding?) throws(RegistryError) -> Proxy {
    guard byName[spec.name] == nil else { throw .proxyExists }
    try check(spec, of: nil, isEnabled: spec.isEnabled, binding: binding)
    try requireRoom(for: [spec], adding: 1, toxics: spec.toxics?.count ?? 0)
    let listener = try spec.isEnabled ? binding?.listen(loop) : nil
    let proxy = try add(spec, listener: listener)
    events.record("proxy_created", proxy: proxy.name, describe(proxy))
    return proxy
  }

  /// Changes what the arguments name. An address that can't be had changes nothing: the old one goes on serving.
  ///
  /// - Parameter binding: what the wanted listen text means (the new one, or the present one when it is to be enabled).
  package func update(
    _ name: String, listen: String?, upstream: String?, mode: ProxyMode? = nil, isEnabled: Bool?, binding: Binding?
  ) throws(RegistryError) -> Proxy {
    let proxy = try proxy(named: name)
    let wantsEnabled = isEnabled ?? proxy.isEnabled
    let wanted = ProxySpec(name: name, upstream: upstream ?? proxy.upstream, mode: mode)
    try check(wanted, of: proxy, isEnabled: wantsEnabled, binding: binding)
    try requireNames([upstream, listen].compactMap { $0 })
    let isNewUpstream = upstream.map { $0 != proxy.upstream } ?? false
    let isNewListen = listen.map { isNew($0, binding, for: proxy) } ?? false
    guard isNewUpstream || isNewListen || wantsEnabled != proxy.isEnabled else { return proxy }
    if wantsEnabled {
      try enable(proxy, at: isNewListen || !proxy.hasSocket ? binding : nil)
    } else {
      proxy.stop(reason: .proxyDisabled)
      if isNewListen, let listen { proxy.moveWhileStopped(to: listen) }
    }
    if let upstream { proxy.upstream = upstream }
    if isNewUpstream || isNewListen { proxy.resetSessions(reason: .proxyUpdated) }
    events.record("proxy_updated", proxy: name, describe(proxy))
    return proxy
  }

  package func delete(_ name: String) throws(RegistryError) {
    let proxy = try proxy(named: name)
    byName[name] = nil
    proxy.close(reason: .proxyDeleted)
    proxy.putCountersIntoArchive()
    keepPathsInUse()
    events.record("proxy_deleted", proxy: name)
  }

  /// Enables every proxy and removes all toxics; profiles stay.
  ///
  /// - Parameter bindings: for each proxy without a socket, what its listen text means.
  /// - Throws: the first address that can't be listened on; the other proxies are reset all the same.
  package func reset(bindings: [String: Result<Binding, RegistryError>]) throws(RegistryError) {
    var failure: RegistryError?
    inOnePass {
      for proxy in proxies {
        do throws(RegistryError) {
          if !proxy.isEnabled {
            let binding = try? bindings[proxy.name]?.get()
            try checkReach(of: proxy.name, proxy.mode, binding: binding, address: proxy.localAddress)
            try enable(proxy, at: proxy.hasSocket ? nil : bindings[proxy.name]?.get())
          }
          removeToxics(of: proxy)
        } catch {
          failure = failure ?? error
        }
      }
    }
    if let failure { throw failure }
    events.record("reset")
  }

  private func isNew(_ listen: String, _ binding: Binding?, for proxy: Proxy) -> Bool {
    guard listen != proxy.listen else { return false }
    return binding.map { !proxy.isBound(as: $0) } ?? true
  }

  private func enable(_ proxy: Proxy, at binding: Binding?) throws(RegistryError) {
    guard let binding else { return try proxy.resume() }
    try proxy.start(on: listen(as: binding, inPlaceOf: proxy))
  }

  /// Binds for a proxy that may have a socket already.
  func listen(as binding: Binding, inPlaceOf proxy: Proxy?) throws(RegistryError) -> Listener {
    do throws(RegistryError) {
      return try binding.listen(loop)
    } catch {
      // The port may be in the way of itself: another interface, the same port.
      guard let proxy, proxy.isEnabled, proxy.hasSocket else { throw error }
      return try proxy.withoutListening { () throws(RegistryError) in try binding.listen(loop) }
    }
  }

  /// Puts a proxy into the table. Throws only where listening itself is what fails.
  func add(_ spec: ProxySpec, listener: Listener?) throws(RegistryError) -> Proxy {
    let proxy = Proxy(
      name: spec.name, mode: spec.mode ?? .tcp, listen: spec.listen, upstream: spec.upstream,
      toxics: spec.toxics ?? [], sessions: homeForNext())
    proxy.onProfileChange = { [unowned self] proxy, before, cause in
      profileSwitched(proxy: proxy, slot: proxy.ownProfile, before: before, cause: cause)
    }
    setOwnProfile(of: proxy, from: spec)
    adoptConditions(proxy)
    goHome(proxy)
    if let listener { try proxy.start(on: listener) }
    byName[spec.name] = proxy
    proxy.takeCountersFromArchive()
    return proxy
  }

  func describe(_ proxy: Proxy) -> [(String, JSON)] {
    let mode: [(String, JSON)] = proxy.mode.isForward ? [("mode", .string(proxy.mode.rawValue))] : []
    return [
      ("listen", .string(proxy.listen)), ("upstream", .string(proxy.upstream)), ("enabled", .bool(proxy.isEnabled)),
    ] + mode
  }

  // MARK: Conditions

  private func adoptConditions(_ proxy: Proxy) {
    func conditions(_ profile: Profile?) -> Conditions {
      Conditions(profile: profile, toxics: proxy.toxics, paths: paths)
    }
    var byRule: [HostRule.Use: Conditions] = [:]
    for rule in proxy.mode == .tcp ? [] : forward.rules where byRule[rule.use] == nil {
      switch rule.use {
      case .profile(let name): byRule[rule.use] = catalogue[name].map { conditions($0) }
      case .direct: byRule[rule.use] = Conditions()
      case .deny: break
      }
    }
    proxy.adopt(conditions(profileInForce(for: proxy)), byRule: byRule)
    // Before a session is under them.
    if proxy.sharesPaths { proxy.move(to: tables[0]) }
  }

  /// Puts what has been changed about the proxy in force: for new sessions now, for the live ones before the call ends.
  func refreshConditions(of proxy: Proxy) {
    adoptConditions(proxy)
    letSessionsAdopt([proxy])
  }

  /// Lets `body` change any number of proxies; their sessions are gone through once, behind all changes.
  func inOnePass<T>(_ body: () -> T) -> T {
    precondition(awaitingPass == nil, "a pass inside a pass")
    awaitingPass = []
    let result = body()
    let changed = awaitingPass ?? []
    awaitingPass = nil
    letSessionsAdopt(changed)
    return result
  }

  private func letSessionsAdopt(_ proxies: [Proxy]) {
    guard awaitingPass == nil else {
      awaitingPass? += proxies
      return
    }
    for table in tables { table.adoptConditions(of: proxies) }
    for proxy in proxies { goHome(proxy) }
    keepPathsInUse()
  }

  private func profileSwitched(proxy: Proxy?, slot: ProfileSlot, before: Profile?, cause: ProfileSlot.Cause) {
    crew.hold()
    tellSwitch(
      of: proxy, from: before, to: slot.current, cause, revertsAt: slot.revertsAt, below: lease(covering: proxy))
    let concerned = proxy.map { [$0] } ?? proxies.filter { $0.ownProfile.current == nil }
    for each in concerned { adoptConditions(each) }
    letSessionsAdopt(concerned)
  }

  /// Every profile that somebody can be under, and the one for all: its timeline runs even while there is no proxy.
  private func keepPathsInUse() {
    let forAll = inForce(for: nil).profile
    if let forAll { paths.network(of: forAll) }
    paths.keep(only: Set(byName.values.flatMap(\.profileNames) + (forAll.map { [$0.name] } ?? [])))
  }

  /// Takes over changed definitions of profiles that are in force.
  package func catalogueChanged() {
    inOnePass {
      profile.refresh(from: catalogue)
      for proxy in proxies { proxy.ownProfile.refresh(from: catalogue) }
    }
    refreshLeases()
    if !forward.rules.isEmpty { forwardSettingsChanged() }
  }

  /// Records something that concerns the whole daemon.
  package func note(_ event: String, _ details: [(String, JSON)]) {
    events.record(event, details)
  }

  // MARK: Ending

  /// Takes no more connections and ends each session when all that it holds is delivered; `completion` comes when the
  /// last is gone, or at the drain timeout, when the rest is reset.
  package func drain(completion: @escaping () -> Void) -> Drain {
    crew.hold()
    for proxy in byName.values { proxy.closeListener() }
    return Drain(tables: tables, hub: hub, completion: completion)
  }
}

@available(*, unavailable)
extension ProxyRegistry: Sendable {}
