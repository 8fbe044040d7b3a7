internal import CLibevent

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// A listening TCP socket that can pause (connections wait in the backlog), refuse (they are refused, the port stays
/// ours) and survive running out of file descriptors.
package final class Listener: EventTarget {
  /// Connections taken in one turn: some 70 µs each, with what is done for them at once.
  private static let acceptsPerTurnMax = 8

  /// Called for each connection. It may pause or close the listener, which acts at once, or drop it, which acts when this
  /// turn's connections are handed out.
  package var onAccept: ((consuming AcceptedSocket) -> Void)?
  /// Asked before each connection is taken; where it says no, none is taken for now. (Who says no pauses the listener.)
  package var onReserve: (() -> Bool)?
  /// Told when there was none to take, or none that ``onAccept`` gets.
  package var onNothing: (() -> Void)?
  /// The bound address, with the real port where 0 was asked for.
  package let localAddress: SocketAddress
  /// Called when accepting begins to rest for want of descriptors or memory; once until it works again.
  package var onExhaustion: ((LoopError) -> Void)?
  /// How often accepting failed for want of descriptors or memory.
  package private(set) var exhaustions = 0

  private var loop: EventLoop
  private let backlog: Int32
  private var handle: EventHandle?
  /// -1 when closed.
  private(set) var descriptor: Int32
  private var isPaused = false
  private var isRefusing = false
  private var isBackingOff = false
  private var isRegistered = false
  private var isQueued = false
  /// How long accepting rests after the system ran out of descriptors or memory: 10 ms, doubling up to 1 s.
  private var waits = BackOff(nanoseconds: 10_000_000...1_000_000_000)
  private lazy var backOffTimer = makeBackOffTimer()

  /// Binds and listens.
  /// - Parameters:
  ///   - dualStack: for an IPv6 address, whether IPv4 connections are taken too ("::" then stands for all addresses).
  ///   - backlog: connections that may wait, cut by the system to its own limit.
  /// - Throws: the call that failed, such as "bind: Address already in use"; where the machine has no IPv6,
  ///   "socket: Address family not supported by protocol" or "bind: Cannot assign requested address".
  package init(
    loop: EventLoop, address: SocketAddress, dualStack: Bool = false, backlog: Int32 = 1_024
  ) throws(LoopError) {
    loop.assertOnThread("Listener")
    self.loop = loop
    self.backlog = backlog
    let bound = try Listener.bind(address, dualStack: dualStack)
    // Inherited by each connection on Linux.
    SystemCall.setStreamOptions(bound.raw())
    if listen(bound.raw(), backlog) != 0 { throw LoopError.last("listen") }
    localAddress = SocketAddress.local(of: bound.raw()) ?? address
    descriptor = bound.take()
    super.init()
    handle = EventHandle(loop: loop, descriptor: descriptor, flags: [.read, .persist], target: self)
    updateRegistration()
  }

  deinit {
    close()
  }

  var isOpen: Bool { descriptor >= 0 }

  private func makeBackOffTimer() -> LoopTimer {
    LoopTimer(loop: loop) { [unowned self] in
      isBackingOff = false
      updateRegistration()
    }
  }

  /// From now on it accepts on another loop; both are held by this thread.
  package func move(to loop: EventLoop) {
    guard loop !== self.loop else { return }
    self.loop.assertOnThread("Listener")
    loop.assertOnThread("Listener")
    if isQueued { self.loop.accepts.remove { $0 === self } }
    isQueued = false
    if isBackingOff { backOffTimer.cancel() }
    isBackingOff = false
    handle = nil
    isRegistered = false
    self.loop = loop
    backOffTimer = makeBackOffTimer()
    guard descriptor >= 0 else { return }
    handle = EventHandle(loop: loop, descriptor: descriptor, flags: [.read, .persist], target: self)
    updateRegistration()
  }

  /// Stops accepting; connections wait in the backlog.
  package func pause() {
    isPaused = true
    updateRegistration()
  }

  package func resume() {
    isPaused = false
    updateRegistration()
  }

  /// Refuses new connections and resets those in the backlog, but keeps the port.
  ///
  /// On Linux a listening socket that is shut down stops listening and stays bound. Elsewhere it can't, so there
  /// connections are accepted and reset at once.
  ///
  /// - Parameter sharesPort: others may listen on the port meanwhile; then ``listenAgain()`` fails as long as they do. The
  ///   last call counts.
  package func refuse(sharesPort: Bool = false) {
    guard descriptor >= 0 else { return }
    let isNew = !isRefusing
    isRefusing = true
    #if os(Linux)
      if isNew {
        updateRegistration()
        _ = shutdown(descriptor, Int32(SHUT_RDWR))
      }
      // Without it on our side another socket can't listen on our port.
      try? SystemCall.setOption(descriptor, SOL_SOCKET, SO_REUSEADDR, sharesPort ? 1 : 0)
    #endif
  }

  /// Ends ``refuse()``.
  package func listenAgain() throws(LoopError) {
    guard isRefusing, descriptor >= 0 else { return }
    #if os(Linux)
      // Connections that are still open share the port; without this they would be in our way.
      try SystemCall.setOption(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
      if listen(descriptor, backlog) != 0 { throw LoopError.last("listen") }
    #endif
    isRefusing = false
    updateRegistration()
  }

  /// Gives up the port. Connections already handed out live on. Does nothing when closed.
  package func close() {
    guard descriptor >= 0 else { return }
    loop.assertOnThread("Listener")
    handle = nil
    SystemCall.close(descriptor)
    descriptor = -1
    if isBackingOff { backOffTimer.cancel() }
  }

  /// Comes again as long as connections wait.
  override func eventFired(_ flags: EventFlags) {
    guard !isQueued else { return }
    isQueued = true
    loop.accepts.append(self)
  }

  /// Returns whether it is worth trying again at once.
  private func acceptOne() -> Bool {
    guard onReserve?() ?? true else { return false }
    if let accepted = SystemCall.accept(descriptor) {
      waits.reset()
      guard isRefusing else {
        onAccept?(accepted)
        return true
      }
      accepted.reset()
      onNothing?()
      return true
    }
    let code = errno
    onNothing?()
    switch code {
    case EAGAIN, EWOULDBLOCK:
      return false
    case EMFILE, ENFILE, ENOBUFS, ENOMEM:
      backOff(code)
      return false
    default:
      // A connection that died while it waited (ECONNABORTED, and on Linux the errors of its network): the next one.
      return true
    }
  }

  private func backOff(_ code: Int32) {
    exhaustions += 1
    if !waits.isWaiting { onExhaustion?(LoopError(call: "accept", code: code)) }
    isBackingOff = true
    updateRegistration()
    backOffTimer.arm(at: loop.now + waits.next())
  }

  private func updateRegistration() {
    #if os(Linux)
      let mayAccept = !isRefusing && !isPaused
    #else
      let mayAccept = isRefusing || !isPaused
    #endif
    let wanted = descriptor >= 0 && mayAccept && !isBackingOff
    guard wanted != isRegistered, handle != nil else { return }
    if wanted {
      // Fails only when the kernel has no memory for it: try again as for a failed accept.
      do { try handle?.add() } catch { return backOff(error.code) }
    } else {
      handle?.remove()
    }
    isRegistered = wanted
  }
}

extension Listener: TurnTaker {
  package func takeTurn() {
    isQueued = false
    for _ in 0..<Listener.acceptsPerTurnMax {
      // Looked at anew each time, because the handler may have changed it.
      guard isRegistered, descriptor >= 0, acceptOne() else { return }
    }
  }
}

// Binding.
extension Listener {
  /// Whether the address is one of this machine's, and its port free.
  package static func canBind(_ address: SocketAddress) -> Bool {
    do throws(LoopError) {
      _ = try bindOnce(address, dualStack: false)
      return true
    } catch {
      return false
    }
  }

  private static func bind(_ address: SocketAddress, dualStack: Bool) throws(LoopError) -> Descriptor {
    let first = try bindOnce(address, dualStack: dualStack)
    #if os(Linux)
      // A port that the system chose is lost by shutdown, one that was asked for is not: so ask for what it chose, while
      // the first socket still holds it.
      if address.port == 0, let chosen = SocketAddress.local(of: first.raw()) {
        return try bindOnce(chosen, dualStack: dualStack)
      }
    #endif
    return first
  }

  private static func bindOnce(_ address: SocketAddress, dualStack: Bool) throws(LoopError) -> Descriptor {
    let descriptor = try SystemCall.streamSocket(address.family)
    try SystemCall.setOption(descriptor.raw(), SOL_SOCKET, SO_REUSEADDR, 1)
    if address.family == .ipv6 {
      try SystemCall.setOption(descriptor.raw(), Int32(IPPROTO_IPV6), IPV6_V6ONLY, dualStack ? 0 : 1)
    }
    #if canImport(Darwin)
      let result = address.withSockaddr { Darwin.bind(descriptor.raw(), $0, $1) }
    #else
      let result = address.withSockaddr { Glibc.bind(descriptor.raw(), $0, $1) }
    #endif
    if result != 0 { throw LoopError.last("bind") }
    return descriptor
  }
}
