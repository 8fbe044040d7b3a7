import LoopTesting
import Testing

@testable import Reactor

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A listener whose backlog is full: on Linux it lets further connections hang without an answer.
private final class BlackHole {
  let listener: Listener
  private var fillers: [StreamSocket] = []

  init(loop: EventLoop, address: SocketAddress = .loopback()) throws {
    listener = try Listener(loop: loop, address: address, backlog: 0)
    listener.pause()
    fillers = try (0..<8).map { _ in try StreamSocket(loop: loop, connectingTo: listener.localAddress) }
    loop.run(forMilliseconds: 5)
    #expect(!fillers[7].isWritable, "the backlog isn't full")
  }
}

@Suite struct DialerTests {
  private final class Outcome {
    var result: Result<StreamSocket, DialError>?
    var error: DialError? { if case .failure(let error) = result { error } else { nil } }
    var socket: StreamSocket? { try? result?.get() }
    func set(_ result: Result<StreamSocket, DialError>) {
      #expect(self.result == nil, "one answer only")
      self.result = result
    }
  }

  private let loop: EventLoop
  private let resolver: Resolver
  private let dialer: Dialer
  private let outcome = Outcome()

  init() throws {
    loop = try EventLoop()
    resolver = try Resolver(loop: loop)
    dialer = Dialer(loop: loop, resolver: resolver)
  }

  /// A port of 127.0.0.1 that nobody listens on. Below the range that outgoing connections use, so nobody will.
  private func closedPort() -> UInt16 { 1 }

  private func wait(for dial: Dial) throws {
    #expect(outcome.result == nil, "never during the call")
    try loop.runUntil { outcome.result != nil }
    loop.run(forMilliseconds: 1)
    _ = dial
  }

  @Test(arguments: ["127.0.0.1", "localhost"])
  func connectsByAddressAndByName(host: String) throws {
    let listener = try Listener(loop: loop, address: .loopback())
    var accepted: StreamSocket?
    listener.onAccept = { accepted = try? StreamSocket(loop: loop, accepted: $0) }
    try wait(for: dialer.dial(host: host, port: listener.localAddress.port, completion: outcome.set))
    let socket = try #require(outcome.socket)
    #expect(socket.isWritable && socket.delegate == nil)
    #expect(socket.peerAddress == listener.localAddress)
    try loop.runUntil { accepted != nil }
    #expect(socket.write([1]) == .wrote(1))
    try loop.runUntil { accepted?.isReadable == true }
  }

  @Test func aRefusedConnectionNamesAddressAndReason() throws {
    let port = closedPort()
    try wait(for: dialer.dial(host: "127.0.0.1", port: port, completion: outcome.set))
    #expect(outcome.error == .unreachable(.loopback(port), code: ECONNREFUSED))
    #expect("\(try #require(outcome.error))" == "connect 127.0.0.1:\(port): Connection refused")
  }

  /// A connect that fails inside the system call, for all addresses.
  @Test func failuresAtOnceAreToldLater() throws {
    let broadcast = try #require(SocketAddress(literal: "255.255.255.255", port: 1))
    try wait(for: dialer.dial([broadcast, broadcast.withPort(2)], completion: outcome.set))
    guard case .unreachable(let address, let code)? = outcome.error else {
      Issue.record("\(String(describing: outcome.result))")
      return
    }
    #expect(address.port == 2)
    #expect(code != 0)
  }

  @Test func aTargetIsReadOnce() throws {
    let listener = try Listener(loop: loop, address: .loopback())
    let target = DialTarget(host: "127.0.0.1", service: "\(listener.localAddress.port)")
    guard case .straight(listener.localAddress) = target.way else {
      Issue.record("\(target.way)")
      return
    }
    #expect(target.description == "\(listener.localAddress)")
    try wait(for: dialer.dial(target, completion: outcome.set))
    #expect(outcome.socket?.peerAddress == listener.localAddress)
    #expect(loop.nursery?.count == 1, "of the dial nothing is left; its socket is young")
  }

  @Test func anUnknownNameIsUnresolvable() throws {
    try wait(for: dialer.dial(host: "no-such-host..invalid", port: 80, completion: outcome.set))
    guard case .unresolvable(let error)? = outcome.error else {
      Issue.record("\(String(describing: outcome.result))")
      return
    }
    #expect(error.host == "no-such-host..invalid")
  }

  @Test func aBadPortIsABadAddress() throws {
    try wait(for: dialer.dial(host: "localhost", service: "70000", completion: outcome.set))
    #expect(
      "\(try #require(outcome.error))" == "bad address: localhost:70000: port 70000 is not in 0...65535")
  }

  #if os(Linux)
    @Test func aBlackHoleTimesOut() throws {
      let hole = try BlackHole(loop: loop)
      let dialer = Dialer(loop: loop, resolver: resolver, timeoutNanoseconds: 50_000_000)
      let start = loop.now
      try wait(for: dialer.dial(hole.listener.localAddress, completion: outcome.set))
      #expect(loop.now - start >= 50_000_000)
      #expect(outcome.error == .timedOut(target: "\(hole.listener.localAddress)", seconds: 0.05))
      #expect(
        "\(try #require(outcome.error))" == "connect \(hole.listener.localAddress): timed out after 0.05 s")
    }

    /// A dial with time to spare has a timer only when it takes long.
    @Test func aBlackHoleTimesOutToTheTimeThoughTheTimerIsMadeLate() throws {
      loop.nursery = Nursery(loop: loop, periodNanoseconds: 1_000_000)
      let hole = try BlackHole(loop: loop)
      let dialer = Dialer(loop: loop, resolver: resolver, timeoutNanoseconds: 50_000_000)
      let start = loop.now
      try wait(for: dialer.dial(hole.listener.localAddress, completion: outcome.set))
      #expect(loop.now - start >= 50_000_000)
      #expect(outcome.error == .timedOut(target: "\(hole.listener.localAddress)", seconds: 0.05))
    }

    @Test func aSlowFirstAddressIsOvertaken() throws {
      let hole = try BlackHole(loop: loop, address: .loopback6())
      let listener = try Listener(loop: loop, address: .loopback())
      let start = loop.now
      try wait(for: dialer.dial([hole.listener.localAddress, listener.localAddress], completion: outcome.set))
      #expect(outcome.socket?.peerAddress == listener.localAddress)
      #expect(loop.now - start >= DialSchedule.attemptDelayNanoseconds)
    }

    /// In a process of its own, because it counts descriptors.
    @Test func aCancelledDialStaysSilentAndCloses() async {
      await #expect(processExitsWith: .success) {
        let loop = try EventLoop()
        let dialer = Dialer(loop: loop, resolver: try Resolver(loop: loop))
        let hole = try BlackHole(loop: loop)
        let before = try openDescriptors()
        let dial = dialer.dial(hole.listener.localAddress) { _ in Issue.record("cancelled") }
        #expect(try openDescriptors() == before + 1)
        dial.cancel()
        #expect(try openDescriptors() == before)
        _ = dialer.dial(hole.listener.localAddress) { _ in Issue.record("dropped") }
        _ = dialer.dial(host: "", port: 1) { _ in Issue.record("dropped with a bad address") }
        #expect(try openDescriptors() == before)
        _ = dialer.dial(host: "localhost", port: 1) { _ in Issue.record("dropped while resolving") }
        loop.run(forMilliseconds: 20)
      }
    }
  #endif

  @Test func aRefusedFirstAddressGivesWayAtOnce() throws {
    let listener = try Listener(loop: loop, address: .loopback())
    let port = listener.localAddress.port
    let start = loop.now
    try wait(for: dialer.dial([.loopback6(port), .loopback(port)], completion: outcome.set))
    #expect(outcome.socket?.peerAddress == listener.localAddress)
    #expect(loop.now - start < DialSchedule.attemptDelayNanoseconds)
  }

  @Test func resolvingCountsAgainstTheTimeout() throws {
    let slow = try Resolver(loop: loop, timeoutNanoseconds: 60_000_000_000) { host, _ in
      for _ in 0..<500 { nap() }
      return .failure(ResolveError(host: host, reason: "late"))
    }
    let dialer = Dialer(loop: loop, resolver: slow, timeoutNanoseconds: 20_000_000)
    try wait(for: dialer.dial(host: "slow", port: 80, completion: outcome.set))
    #expect(outcome.error == .timedOut(target: "slow:80", seconds: 0.02))
  }

  @Test func aSocketConnectedToItselfIsRecognised() throws {
    let raw = try SystemCall.streamSocket(.ipv4)
    let bound = SocketAddress.loopback().withSockaddr { bind(raw.raw(), $0, $1) }
    #expect(bound == 0)
    let address = try #require(SocketAddress.local(of: raw.raw()))
    _ = address.withSockaddr { connect(raw.raw(), $0, $1) }
    let socket = try StreamSocket(loop: loop, accepted: AcceptedSocket(raw, peer: address))
    #expect(socket.isConnectedToItself)
    #expect(socket.pendingError() == 0)
    let pair = try SocketPair(loop: loop)
    #expect(!pair.client.isConnectedToItself && !pair.server.isConnectedToItself)
  }
}
