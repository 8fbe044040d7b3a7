import ControlAPI
import Proxying
import Reactor
import Settings

/// The daemon: puts the parts together, says when it is ready, and ends in good order.
final class Daemon {
  let options: ServeOptions
  let loop: EventLoop
  let log: Log
  private let droppedLines: DroppedLinesNotice
  let registry: ProxyRegistry
  let api: API
  /// Nil where no service manager wants to hear, or this is a part of another command.
  private(set) var service: ServiceReport?
  private(set) var control: ControlServer?
  /// The control API's socket, where whoever started this process has opened it.
  var activated: ActivatedSocket?
  private var demo: DemoUpstream?
  private var signals: [SignalSource] = []
  private(set) var draining: Drain?
  private(set) var isReady = false
  /// Told instead of the world, by a daemon that is a part of another command: that it is ready, or why it can't be.
  var onStart: ((CommandError?) -> Void)?
  var reloadState = ReloadState.idle
  /// Its own only: another daemon may have written one of the same name.
  private var hasReadyFile = false
  private var failure: CommandError?
  /// What the config file said last: what a reload compares with.
  var config: Config

  /// - Parameter loop: the one to serve on; nil makes one.
  init(_ options: ServeOptions, loop: EventLoop? = nil) throws(CommandError) {
    self.options = options
    config = options.config
    // Without the right to raise it the limit stays; running out is survived.
    let descriptors = try? Descriptors.raiseLimit()
    // Whoever started this may have left some open.
    let open = Int(ProcessUsage.now().openDescriptors ?? 0)
    let ownOfLoops = (options.loops - 1) * LoopCrew.descriptorsOfEach
    let limits =
      descriptors.map { options.limits.fitting(descriptors: Int(clamping: $0) - open - ownOfLoops) } ?? options.limits
    if let loop {
      self.loop = loop
    } else {
      self.loop = try failing { () throws(LoopError) in try EventLoop() }
    }
    log = Log(level: options.logLevel, format: options.logFormat)
    let (loop, log) = (self.loop, log)
    droppedLines = DroppedLinesNotice(log, loop: loop)
    registry = try failing { () throws(LoopError) in
      try ProxyRegistry(
        loop: loop, loops: options.loops, catalogue: options.catalogue, limits: limits, seed: options.seed, log: log)
    }
    api = API(registry: registry, extraHosts: options.extraHosts)
    api.token = try options.token(config)
  }

  /// Serves until a signal ends it.
  func run() throws(CommandError) {
    activated = try Daemon.takeActivated()
    try listenToSignals()
    loop.later { [self] in start() }
    loop.run()
    registry.stopLoops()
    control?.close()
    if hasReadyFile, let path = options.readyFile { TextFile.remove(path) }
    if let failure { throw failure }
  }

  // MARK: Start

  /// Looks up all names that there are to listen on, then opens control port and proxies in one step: nobody is answered
  /// before all of it is there.
  func start() {
    for warning in options.warnings + options.warnings(of: registry.limits) { log.warning(warning) }
    if onStart == nil {
      service = ServiceReport(loop: loop) { [registry] in ServiceReport.status(of: registry) }
    }
    attempt { () throws(CommandError) in
      if options.isDemo { demo = try failing { () throws(LoopError) in try DemoUpstream(loop: loop) } }
      lookUp(options.proxies + (demo.map { [$0.proxy] } ?? [])) { [self] controlBinding, proxies throws(CommandError) in
        try require(controlBinding, proxies)
        control = try openControl(controlBinding)
        try open(proxies)
        try failing { () throws(LoopError) in try registry.startLoops() }
        try becomeReady()
      }
    }
  }

  /// Whether it could start, but for what only opening sockets shows. Nothing is opened, and nobody is told.
  func check() throws(CommandError) {
    loop.later { [self] in
      lookUp(options.proxies) { [self] controlBinding, proxies throws(CommandError) in
        try require(controlBinding, proxies)
        loop.stop()
      }
    }
    loop.run()
    if let failure { throw failure }
  }

  private typealias Found = (proxy: ProxySpec, binding: Result<Binding, RegistryError>)

  /// - Parameter done: with what the control address means, where it is one that is looked up; its error ends the start.
  private func lookUp(
    _ proxies: [ProxySpec],
    _ done: @escaping (Result<Binding, RegistryError>?, [Found]) throws(CommandError) -> Void
  ) {
    let control = controlListens
    registry.resolve(control + proxies.map(\.listen)) { [self] results in
      attempt { () throws(CommandError) in
        let found = zip(proxies, results.dropFirst(control.count)).map { (proxy: $0, binding: $1) }
        try done(control.isEmpty ? nil : results[0], found)
      }
    }
  }

  /// What can be said against control API and proxies before any is opened.
  ///
  /// - Parameter control: what the control address means, where it is one that is looked up.
  private func require(_ control: Result<Binding, RegistryError>?, _ proxies: [Found]) throws(CommandError) {
    try checkControl(control)
    registry.adopt(options.forward)
    var owners = AddressOwners()
    if let binding = try? control?.get() { _ = owners.add("the control API", at: binding) }
    for (proxy, result) in proxies where proxy.isEnabled {
      let name = "proxy \(quoted(proxy.name))"
      let binding = try found(result, name)
      try failing { () throws(RegistryError) in try registry.check(proxy, binding: binding) }
      if let other = owners.add(name, at: binding), other != name {
        throw .failure("\(name): listen \(binding.shown) is \(other)'s already")
      }
    }
    try failing { () throws(RegistryError) in try registry.checkRoom(for: proxies.map(\.proxy)) }
  }

  private func found(_ result: Result<Binding, RegistryError>, _ name: String) throws(CommandError) -> Binding {
    do throws(RegistryError) { return try result.get() } catch { throw .failure("\(name): \(error)") }
  }

  private func open(_ proxies: [Found]) throws(CommandError) {
    if let name = options.profile { registry.profile.set(registry.catalogue[name], cause: .set) }
    _ = try failing { () throws(RegistryError) in
      try registry.populate(proxies.map(\.proxy), bindings: proxies.map(\.binding))
    }
  }

  private func becomeReady() throws(CommandError) {
    api.isReady = true
    isReady = true
    if let onStart { return onStart(nil) }
    let line = readyLine + "\n"
    if let path = options.readyFile {
      do throws(LoopError) {
        try TextFile.write(line, to: path)
        hasReadyFile = true
      } catch {
        throw .failure("ready file \(path): \(error)")
      }
    }
    StandardOutput.write(line)
    service?.ready()
    if options.isDemo, let control { StandardError.write(DemoUpstream.hint(control: control, registry)) }
    reloadIfWanted()
  }

  private var readyLine: String {
    let proxies = JSON.object(registry.proxies.map { ($0.name, .string($0.listen)) })
    return JSON.object([
      ("event", "ready"), ("control", control.map { .string($0.place) } ?? .null),
      ("proxies", proxies), ("http_proxy", forwardAddress(ProxySpec.httpProxyName)),
      ("socks", forwardAddress(ProxySpec.socksName)),
      ("pid", .integer(Int64(ThisProcess.identifier))), ("seed", .unsigned(options.seed)),
      ("profile", .string(registry.profile.current?.name ?? "none")), ("version", .string(VersionText.full)),
    ]).text
  }

  /// Where a forward proxy listens; null where there is none of that name.
  private func forwardAddress(_ name: String) -> JSON {
    guard let proxy = try? registry.proxy(named: name), proxy.mode.isForward else { return .null }
    return .string(proxy.listen)
  }

  private func attempt(_ body: () throws(CommandError) -> Void) {
    do throws(CommandError) {
      try body()
    } catch {
      if let onStart { return onStart(error) }
      service?.failed(error.message)
      failure = error
      loop.stop()
    }
  }

  // MARK: Signals

  private func listenToSignals() throws(CommandError) {
    try failing { () throws(LoopError) in
      for signal in DaemonSignal.allCases {
        signals.append(try SignalSource(loop: loop, signal: signal.number) { [unowned self] in obey(signal) })
      }
    }
  }

  private func obey(_ signal: DaemonSignal) {
    switch signal {
    // What the sockets have to tell in this iteration came before.
    case .terminate, .interrupt: loop.later { [self] in stop() }
    case .hangUp: reload()
    }
  }

  private func stop() {
    guard draining == nil else {
      log.info("stopping at once")
      draining?.giveUp()
      return loop.stop()
    }
    service?.stopping(for: registry.limits.drainTimeout)
    let sessions = registry.sessions.count
    // Nothing new is to come, by no way; then it is said.
    control?.close()
    draining = registry.drain { [self] in loop.stop() }
    log.info("stopping", [("sessions", .integer(Int64(sessions)))])
  }
}
