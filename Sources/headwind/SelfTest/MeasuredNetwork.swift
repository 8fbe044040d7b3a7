import Conditioning
import Proxying
import Reactor
import Settings

/// A workload over real sockets: clients, a proxy as the daemon has it, and a server, all on this process's one loop. What
/// the proxy does late its client sees late, by the client's own clock.
final class MeasuredNetwork: TestNetwork {
  private static let proxyName = "selftest"
  /// How often it is looked whether the sessions of a workload are gone, and for how long.
  private static let settlingNanoseconds: Int64 = 5_000_000
  private static let settlingNanosecondsMax: Int64 = 3_000_000_000

  let loop: EventLoop
  private let registry: ProxyRegistry
  private let listener: Listener
  private var proxyAddress: SocketAddress?
  private var clients: [Int: TestEnd] = [:]
  /// By the client's number, once its first bytes have said which it is; before in `strangers`.
  private var servers: [Int: TestEnd] = [:]
  private var strangers: [ObjectIdentifier: TestEnd] = [:]
  private var opened = 0
  private var workload: (any Workload)?
  private var done: ((Bool) -> Void)?
  private lazy var wakeTimer = LoopTimer(loop: loop) { [unowned self] in tell { $0.wake() } }
  private var settlingTimer: LoopTimer?
  private lazy var limitTimer = LoopTimer(loop: loop) { [unowned self] in finish(false) }

  init(loop: EventLoop, catalogue: ProfileCatalogue, seed: UInt64) throws(LoopError) {
    self.loop = loop
    registry = try ProxyRegistry(loop: loop, catalogue: catalogue, seed: seed, log: Log(level: .error))
    guard let address = SocketAddress(literal: "127.0.0.1", port: 0) else { preconditionFailure("a literal address") }
    listener = try Listener(loop: loop, address: address)
    listener.onAccept = { [unowned self] in accept($0) }
  }

  /// The proxy begins to listen.
  func start(_ done: @escaping (CommandError?) -> Void) {
    let name = MeasuredNetwork.proxyName
    let spec = ProxySpec(name: name, listen: "127.0.0.1:0", upstream: listener.localAddress.description)
    registry.resolve([spec.listen]) { [self] bindings in
      do throws(RegistryError) {
        proxyAddress = try registry.create(spec, binding: try bindings[0].get()).localAddress
        done(nil)
      } catch {
        done(.failure(error.description))
      }
    }
  }

  /// Runs `workload` under `profile`, whose path is a new one: nothing is left on it from what was before, as no session
  /// has lived on.
  ///
  /// - Parameter done: whether it came to its end within `limit`.
  func run(_ workload: any Workload, under profile: Profile, limit: Interval, _ done: @escaping (Bool) -> Void) {
    registry.profile.set(profile, cause: .set)
    self.workload = workload
    self.done = done
    limitTimer.arm(at: (now + limit).nanoseconds)
    tell { $0.begin(on: self) }
  }

  private func tell(_ body: (any Workload) -> Void) {
    guard let workload else { return }
    body(workload)
    if workload.isOver { finish(true) }
  }

  private func finish(_ isWhole: Bool) {
    guard workload != nil else { return }
    workload = nil
    wakeTimer.cancel()
    limitTimer.cancel()
    // Not from inside the callback that has ended it: it may be one of these.
    loop.later { [self] in
      for end in clients.values { end.socket.reset() }
      for end in servers.values { end.socket.reset() }
      for end in strangers.values { end.socket.reset() }
      (clients, servers, strangers) = ([:], [:], [:])
      // What its sessions still hold goes on at once then, and they end.
      registry.profile.set(nil, cause: .cleared)
      settle(until: loop.now + MeasuredNetwork.settlingNanosecondsMax, isWhole)
    }
  }

  private func settle(until limit: Int64, _ isWhole: Bool) {
    guard registry.sessions.isEmpty || loop.now >= limit else {
      settlingTimer = LoopTimer(loop: loop) { [unowned self] in settle(until: limit, isWhole) }
      settlingTimer?.arm(at: loop.now + MeasuredNetwork.settlingNanoseconds)
      return
    }
    settlingTimer = nil
    let done = done
    self.done = nil
    done?(isWhole)
  }

  // MARK: The workload's side

  var now: Instant { Instant(nanoseconds: loop.now) }

  func open() -> Int {
    opened += 1
    let number = opened
    if let proxyAddress, let socket = try? StreamSocket(loop: loop, connectingTo: proxyAddress) {
      clients[number] = TestEnd(socket, sends: .upstream, number: number, network: self)
    } else {
      loop.later { [self] in tell { $0.failed(number, .refused) } }
    }
    return number
  }

  func send(_ bytes: Int, _ direction: Direction, on connection: Int) {
    let end = direction == .upstream ? clients[connection] : servers[connection]
    end?.send(bytes)
  }

  func close(_ connection: Int) {
    // It may be the one that has just told of what it read.
    guard let end = clients.removeValue(forKey: connection) else { return }
    loop.later { end.socket.close() }
  }

  func wake(after interval: Interval) { wakeTimer.arm(at: (now + interval).nanoseconds) }

  // MARK: The sockets' side

  private func accept(_ accepted: consuming AcceptedSocket) {
    // One that can't be had is one that the client sees closed.
    guard let socket = try? StreamSocket(loop: loop, accepted: accepted) else { return }
    let end = TestEnd(socket, sends: .downstream, number: nil, network: self)
    strangers[ObjectIdentifier(end)] = end
  }

  /// A server has read which client it speaks with.
  func introduce(_ end: TestEnd, as number: Int) {
    strangers[ObjectIdentifier(end)] = nil
    servers[number] = end
  }

  func received(_ bytes: Int, by end: TestEnd) {
    guard let number = end.number else { return }
    tell { $0.received(bytes, end.sends == .upstream ? .downstream : .upstream, on: number) }
  }

  func ended(_ end: TestEnd, _ failure: ConnectionFailure) {
    if end.sends == .downstream {
      strangers[ObjectIdentifier(end)] = nil
      if let number = end.number { servers[number] = nil }
    } else if let number = end.number {
      clients[number] = nil
      tell { $0.failed(number, failure) }
    }
    loop.later { end.socket.close() }
  }
}
