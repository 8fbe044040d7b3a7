import Conditioning
package import Reactor
package import Settings

/// A name, an address to listen on, an upstream, the toxics added by hand, and perhaps a profile of its own.
///
/// What a caller may change goes through ``ProxyRegistry``, which knows what must hold between proxies.
package final class Proxy {
  package let name: String
  package let mode: ProxyMode
  /// The real address while it has a socket, otherwise the text that was given.
  package private(set) var listen: String
  /// As given; looked up for each session. ``ProxyMode/anyUpstream`` where the clients name it.
  package internal(set) var upstream: String {
    didSet {
      noteRoute()
      knownTarget = nil
    }
  }
  private var knownTarget: DialTarget?
  package private(set) var isEnabled = false
  /// By age.
  package internal(set) var toxics: [ToxicSpec]
  package internal(set) var counters = Counters()
  /// What proxies of this name counted before this one was made.
  var earlier = Counters()
  var route: TrafficRoute?
  /// What had gone by the route before, without what this proxy had counted until it took the route.
  var routeOffset = Counters.Traffic()
  /// The profile of this proxy alone; it comes before the global one.
  package private(set) lazy var ownProfile = ProfileSlot(loop: sessions.hub.loop) { [unowned self] before, cause in
    onProfileChange(self, before, cause)
  }

  /// When a lease last began or ceased to count here.
  var leaseSwitchedAt = WallTime.now

  var onProfileChange: (Proxy, Profile?, ProfileSlot.Cause) -> Void = { _, _, _ in }
  private(set) var conditions = Conditions()
  /// What sessions to hosts with a rule are put through instead.
  private var conditionsByRule: [HostRule.Use: Conditions] = [:]
  /// Of the loop that it lives on.
  var sessions: SessionTable { table }
  private var table: SessionTable
  /// Where it lives as long as its sessions share nothing with others.
  let home: SessionTable
  private var listener: Listener? {
    didSet {
      sessions.hub.listeners += (listener == nil ? 0 : 1) - (oldValue == nil ? 0 : 1)
      sessions.hub.ownConnections.portsChanged()
    }
  }
  private var opened = 0

  init(
    name: String, mode: ProxyMode, listen: String, upstream: String, toxics: [ToxicSpec], sessions: SessionTable
  ) {
    self.name = name
    self.mode = mode
    self.listen = listen
    self.upstream = upstream
    self.toxics = toxics
    table = sessions
    home = sessions
  }

  /// The name of the profile that its sessions are under now, nil for none.
  package var profileName: String? { conditions.profile }
  /// Times that accepting stopped for want of file descriptors or memory.
  package var exhaustions: Int { counters.exhaustions + (listener?.exhaustions ?? 0) }

  /// Toxics as the classic API lists them: upstream first, then downstream, each by age. Hidden ones are left out unless
  /// they are asked for: old clients would stop at kinds that they don't know.
  package func listedToxics(includingHidden: Bool = false) -> [ToxicSpec] {
    let listed = toxics.filter { includingHidden || !$0.isHidden }
    return listed.filter { $0.stream == .upstream } + listed.filter { $0.stream != .upstream }
  }

  // MARK: Listening

  /// True when what `binding` asks for is what this proxy has, running or merely holding its port.
  func isBound(as binding: Binding) -> Bool {
    guard let listener else { return false }
    return binding.isServed(by: listener.localAddress)
  }

  /// What the upstream's text says, read once; a name is still looked up for each session.
  var target: DialTarget {
    if let knownTarget { return knownTarget }
    let target = DialTarget(upstream: upstream)
    knownTarget = target
    return target
  }

  var hasSocket: Bool { listener != nil }
  /// While it has a socket.
  package var localAddress: SocketAddress? { listener?.localAddress }
  var port: UInt16? { listener?.localAddress.port }

  /// Takes over a listener that is bound already, and starts to serve on it.
  func start(on listener: Listener) throws(RegistryError) {
    if listener !== self.listener {
      closeListener()
      self.listener = listener
      listener.move(to: sessions.loop)
      listener.onReserve = { [unowned self] in takeRoom() }
      listener.onNothing = { [unowned self] in giveRoomBack() }
      listener.onAccept = { [unowned self] (socket: consuming AcceptedSocket) in accept(socket) }
      listener.onExhaustion = { [unowned self] error in noteExhaustion(error) }
      listen = listener.localAddress.description
    }
    isEnabled = true
    do throws(RegistryError) {
      // Others may have listened on the port while this was stopped; even to refuse on it it must be had.
      try listenAgain()
      try acceptOrRefuse()
    } catch {
      isEnabled = false
      throw error
    }
    noteRoute()
  }

  /// Listens again on the port that it kept.
  func resume() throws(RegistryError) {
    guard let listener else { return }
    try start(on: listener)
  }

  /// Refuses connections and resets the live ones; it keeps its socket, but others may listen on the port.
  func stop(reason: CloseReason) {
    isEnabled = false
    listener?.refuse(sharesPort: true)
    resetSessions(reason: reason)
  }

  /// Keeps `text` for when it is enabled; what it was bound to is given up.
  func moveWhileStopped(to text: String) {
    closeListener()
    listen = text
  }

  /// Steps aside so that another listener can have the port, for the time of `body`.
  func withoutListening<T>(_ body: () throws(RegistryError) -> T) throws(RegistryError) -> T {
    listener?.refuse(sharesPort: true)
    do throws(RegistryError) {
      return try body()
    } catch {
      try? acceptOrRefuse()
      throw error
    }
  }

  func close(reason: CloseReason) {
    isEnabled = false
    closeListener()
    resetSessions(reason: reason)
  }

  /// Takes no more connections; the live ones stay.
  func closeListener() {
    counters.exhaustions += listener?.exhaustions ?? 0
    listener?.close()
    listener = nil
  }

  func resetSessions(reason: CloseReason) {
    for session in sessions.sessions(of: self) { session.reset(reason: reason) }
  }

  /// Whether connections are accepted, wait in the backlog, or are refused.
  func acceptOrRefuse() throws(RegistryError) {
    guard let listener, isEnabled else { return }
    listener.boundSegments(to: isModelled ? Listener.ordinarySegmentBytes : nil)
    // A forward proxy says it to each client in its protocol: some hosts may be exempt by a rule.
    guard !conditions.refuses || mode != .tcp else { return listener.refuse() }
    try listenAgain()
    if sessions.hub.room.isFull || isFull { listener.pause() } else { listener.resume() }
  }

  /// Whether it has as many sessions as one proxy may have.
  var isFull: Bool {
    let most = sessions.limits.sessionsPerProxy
    // Asked with each connection, and counting is work: first whether there are as many in all.
    return sessions.live.count >= most && counters.liveSessions >= most
  }

  /// Connections wait in its backlog from now on.
  func becameFull() {
    listener?.pause()
    sessions.met(.connectionsPerProxy, value: sessions.limits.sessionsPerProxy, proxy: name)
  }

  func hasRoomAgain() {
    if !isFull { try? acceptOrRefuse() }
  }

  private func listenAgain() throws(RegistryError) {
    do {
      try listener?.listenAgain()
    } catch {
      throw .cannotListen("listen tcp \(listen): \(error)")
    }
  }

  private func noteExhaustion(_ error: LoopError) {
    let details: [(String, JSON)] = [("reason", .string(error.description))]
    sessions.log.warning("accepting rests", [("proxy", .string(name))] + details)
    sessions.record("accepting_rests", proxy: name, details)
  }

  private func accept(_ socket: consuming AcceptedSocket) {
    let origin = sessions.hub.ownConnections.cameIn(socket)
    if let origin, origin.route.contains(name) {
      giveRoomBack()
      return refuseCircle(origin, socket)
    }
    opened += 1
    counters.sessions += 1
    sessions.open(socket, proxy: self, number: opened, from: origin)
  }

  /// The session that went out to here is told: it can't have its upstream.
  private func refuseCircle(_ origin: OwnConnections.Outgoing, _ socket: consuming AcceptedSocket) {
    let route = origin.route + [name]
    guard sessions.live[origin.session] == nil else {
      socket.reset()
      return sessions.refuseCircle(origin.session, route)
    }
    // It lives on another loop. Until it knows, it is not to see the reset, which would tell it something else.
    sessions.keepUntilRefused(socket, of: origin.session)
    sessions.tell(.circle(session: origin.session, route: route))
  }

  /// Room for the next connection, before it is taken out of the backlog.
  private func takeRoom() -> Bool {
    if sessions.hub.room.take() { return true }
    listener?.pause()
    sessions.tell(.rests)
    return false
  }

  private func giveRoomBack() {
    if sessions.hub.room.giveBack() { sessions.tell(.room) }
  }

  // MARK: Loops

  /// Whether its sessions share something with those of other proxies, or may: a network, a rate, the rules.
  var sharesPaths: Bool {
    mode.isForward || !conditions.paths.isEmpty || conditionsByRule.values.contains { !$0.paths.isEmpty }
  }

  /// From now on it and its sessions live on another loop; all are held.
  func move(to table: SessionTable) {
    guard table !== sessions else { return }
    let before = sessions
    self.table = table
    listener?.move(to: table.loop)
    before.handOver(self, to: table)
  }

  // MARK: Conditions

  /// What a session to a host with this rule is put through; without a rule, what all are.
  func conditions(by rule: HostRule?) -> Conditions {
    guard let rule else { return conditions }
    return conditionsByRule[rule.use] ?? conditions
  }

  /// Whether its sessions can be modelled TCP connections.
  private var isModelled: Bool { conditions.isModelled || conditionsByRule.values.contains { $0.isModelled } }

  /// All profiles that its sessions can be under.
  var profileNames: [String] { ([conditions] + conditionsByRule.values).compactMap(\.profile) }

  /// Its toxics count connections anew from the next conditions on, even where they keep their names.
  func countAnew() {
    conditions.forgetCounts()
    for use in conditionsByRule.keys { conditionsByRule[use]?.forgetCounts() }
  }

  /// Puts new conditions in force for new sessions; the live ones follow by ``SessionTable/adoptConditions(of:)``.
  func adopt(_ conditions: Conditions, byRule: [HostRule.Use: Conditions] = [:]) {
    let before = (self.conditions, conditionsByRule)
    self.conditions = conditions.counting(from: before.0, connections: opened)
    conditionsByRule = [:]
    for (use, conditions) in byRule {
      conditionsByRule[use] = conditions.counting(from: before.1[use] ?? before.0, connections: opened)
    }
    do throws(RegistryError) {
      try acceptOrRefuse()
    } catch {
      // Somebody else took the port while this proxy refused connections on it.
      sessions.log.error("can't listen again", [("proxy", .string(name)), ("reason", .string(error.description))])
      sessions.record("listen_failed", proxy: name, [("reason", .string(error.description))])
    }
  }
}

@available(*, unavailable)
extension Proxy: Sendable {}
