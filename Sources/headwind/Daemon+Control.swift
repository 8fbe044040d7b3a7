import ControlAPI
import Proxying
import Reactor
import Settings

// Where the control API is opened, and what it takes to be opened there.
extension Daemon {
  /// What has to be looked up before the control API can be opened; nothing for a Unix socket, and one that is there already.
  var controlListens: [String] {
    guard activated == nil, case .tcp(let endpoint) = options.control else { return [] }
    return [endpoint.description]
  }

  /// - Parameter binding: of ``controlListens``; nil where that is empty.
  func openControl(_ binding: Result<Binding, RegistryError>?) throws(CommandError) -> ControlServer {
    if let activated { return try openControl(activated) }
    if case .unix(let path) = options.control { return try openControl(path: TokenFile.absolute(path)) }
    guard let binding else { preconditionFailure("an address that wasn't looked up") }
    let found = try admitted(binding)
    if !found.address.isLoopback, options.takesAnyHostIfRemote { api.takeAnyHost() }
    do throws(LoopError) {
      return try found.open { address, dualStack throws(LoopError) in
        try ControlServer(loop: loop, address: address, dualStack: dualStack, api: api)
      }
    } catch {
      let way = options.configForm == .toxiproxy ? "-port" : "--control HOST:PORT"
      let inUse = "; another headwind or toxiproxy-server? \(way) takes another place, port 0 a free one"
      throw .failure("control address \(found.shown): \(found.reason(error))\(error.isAddressInUse ? inUse : "")")
    }
  }

  /// What was looked up of ``controlListens``, if the control API may be there.
  func admitted(_ binding: Result<Binding, RegistryError>) throws(CommandError) -> Binding {
    let found: Binding
    do throws(RegistryError) { found = try binding.get() } catch { throw .failure("control address: \(error)") }
    try admit(found.address, shown: found.shown)
    return found
  }

  private func openControl(path: String) throws(CommandError) -> ControlServer {
    try requireUnixSockets()
    let file = try naming(path) { () throws(UnixSocketError) in try UnixSocketFile(path: path) }
    return try failing { () throws(LoopError) in try ControlServer(loop: loop, file: file, api: api) }
  }

  private func naming<T>(_ path: String, _ body: () throws(UnixSocketError) -> T) throws(CommandError) -> T {
    do throws(UnixSocketError) { return try body() } catch {
      throw .failure("control address unix:\(path.printable): \(error)")
    }
  }

  /// What can be said against where the control API is to be before it is opened.
  ///
  /// - Parameter binding: of ``controlListens``; nil where that is empty.
  func checkControl(_ binding: Result<Binding, RegistryError>?) throws(CommandError) {
    if let binding { _ = try admitted(binding) }
    guard activated == nil, case .unix(let given) = options.control else { return }
    try requireUnixSockets()
    let path = TokenFile.absolute(given)
    try naming(path) { () throws(UnixSocketError) in try UnixSocketFile.check(path: path) }
  }

  private func requireUnixSockets() throws(CommandError) {
    guard HTTPServer.canServeUnixSockets else {
      throw .failure(
        "control address: a Unix socket needs libevent 2.2 on this system, because earlier ones end the process at its "
          + "first client; allowed: HOST:PORT")
    }
  }

  /// Whether the control API may be where other machines can reach it.
  private func admit(_ address: SocketAddress, shown: String) throws(CommandError) {
    if let refusal = refusal(of: address, shown: shown, token: api.token) { throw .failure(refusal) }
  }

  private func refusal(of address: SocketAddress, shown: String, token: AccessToken?) -> String? {
    guard !address.isLoopback, !options.allowsRemote, token == nil else { return nil }
    return "control address \(shown) can be reached from other machines; "
      + "allowed: a loopback address, --token-file, or --allow-remote"
  }

  // MARK: Socket activation

  private func openControl(_ socket: ActivatedSocket) throws(CommandError) -> ControlServer {
    if options.isControlGiven { try requireSame(socket.place) }
    switch socket.place {
    case .tcp(let address):
      try admit(address, shown: address.description)
      if !address.isLoopback, options.takesAnyHostIfRemote { api.takeAnyHost() }
    case .unix(let path, let isForAll):
      try requireUnixSockets()
      if isForAll, api.token == nil {
        log.warning(
          "every user of this machine may connect to the control socket; SocketMode=0600 in its unit changes that",
          [("path", .string(path))])
      }
    }
    return try failing { () throws(LoopError) in try ControlServer(loop: loop, socket: socket, api: api) }
  }

  /// Two places, of which only one is served, would be a surprise.
  private func requireSame(_ place: ActivatedSocket.Place) throws(CommandError) {
    let (passed, wanted) = (Daemon.address(of: place), options.control)
    let isSame =
      switch (place, wanted) {
      case (.unix(let path, _), .unix(let other)): path == TokenFile.absolute(other)
      case (.tcp(let address), .tcp(let endpoint)):
        SocketAddress(literal: endpoint.host, port: endpoint.port ?? 0)?.unmapped == address.unmapped
          || (["", "0.0.0.0", "::"].contains(endpoint.host) && address.isUnspecified && endpoint.port == address.port)
      default: false
      }
    guard isSame else {
      throw .failure(
        "the control address is \(wanted), but a socket at \(passed) was passed to this process; allowed: one of both")
    }
  }

  private static func address(of place: ActivatedSocket.Place) -> String {
    switch place {
    case .tcp(let address): address.description
    case .unix(let path, _): "unix:\(path)"
    }
  }

  /// The socket for the control API, if one was passed to this process. Any other would never be served.
  static func takeActivated() throws(CommandError) -> ActivatedSocket? {
    let sockets = try failing { () throws(ActivationError) in try ActivationSockets.take() }
    guard let socket = sockets.first else { return nil }
    // systemd names one after its unit where FileDescriptorName= doesn't say otherwise.
    let isMeant = socket.name.map { ["control", "unknown"].contains($0) || $0.hasSuffix(".socket") } ?? true
    guard sockets.count == 1, isMeant else {
      let names = sockets.map { "\"\(($0.name ?? "").printable)\"" }.joined(separator: ", ")
      throw .failure(
        "\(sockets.count == 1 ? "a socket was" : "\(sockets.count) sockets were") passed to this process (\(names)); "
          + "allowed: one, named control")
    }
    return socket
  }

  // MARK: The token

  /// The token that holds from a reload on, or why it can't.
  func freshToken(_ config: Config) throws(CommandError) -> AccessToken? {
    let token = try options.token(config)
    if let address = registry.controlAddress,
      let refusal = refusal(of: address, shown: address.description, token: token)
    {
      throw .failure(refusal)
    }
    return token
  }
}
