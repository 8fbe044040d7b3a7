import Reactor
import Settings

/// A running daemon, which is under the run's profile as long as a lease is renewed: if this process is killed, the
/// profile goes by itself.
final class LeasedHost: RunHost {
  private static let length = "15s"
  private static let renewalNanoseconds: Int64 = 5_000_000_000
  private static let patience = Duration.seconds(5)

  let url: String
  var token: RunToken { client.tokenFile.map(RunToken.file) ?? .inherited }
  private(set) var loss: String?
  private let loop: EventLoop
  private let client: ControlClient
  /// Those that the lease is for; empty: all.
  private let proxies: [String]
  var held: [String]? { proxies }
  private let by: String
  private let reason: String
  private var lease: String?
  private var exchanges: [Int: HTTPExchange] = [:]
  private var nextExchange = 0
  private lazy var renewal = LoopTimer(loop: loop) { [unowned self] in renew() }

  /// - Parameter command: the name of ours that the lease is for; it shows who holds it.
  init(loop: EventLoop, client: ControlClient, proxies: [String], command: String, reason: String) {
    self.loop = loop
    self.client = client
    self.proxies = proxies
    self.reason = reason
    by = "headwind \(command) (pid \(ThisProcess.identifier))"
    url = client.url
  }

  func begin(_ run: RunSpec, _ done: @escaping (CommandError?) -> Void) {
    let body = JSON.object([
      ("profile", run.profile.map(JSON.string)),
      ("proxies", proxies.isEmpty ? nil : .array(proxies.map(JSON.string))), ("for", .string(LeasedHost.length)),
      ("by", .string(by)), ("reason", .string(reason)),
    ])
    send("POST", "/leases", body: body) { [self] answer in
      switch answer {
      case .failure(let error): done(error)
      case .success(let json):
        guard let id = LeasedHost.id(json["id"]) else {
          return done(.failure("\(url) doesn't answer like a daemon: a lease without an id"))
        }
        lease = id
        renewal.arm(at: loop.now + LeasedHost.renewalNanoseconds)
        done(nil)
      }
    }
  }

  private static func id(_ json: JSON?) -> String? {
    json?.string ?? json?.integerValue.map(String.init)
  }

  func send(_ method: String, _ target: String, _ done: @escaping (Answer) -> Void) {
    send(method, target, body: nil, done)
  }

  private func send(_ method: String, _ target: String, body: JSON?, _ done: @escaping (Answer) -> Void) {
    exchange(method, target, body: body) { [client] outcome in
      do throws(CommandError) {
        done(.success(try client.read(outcome, timeout: LeasedHost.patience)))
      } catch {
        done(.failure(error))
      }
    }
  }

  private func exchange(
    _ method: String, _ target: String, body: JSON?, _ done: @escaping (HTTPExchange.Outcome) -> Void
  ) {
    nextExchange += 1
    let number = nextExchange
    let request = client.request(method, target, body: body, timeout: LeasedHost.patience)
    exchanges[number] = HTTPExchange(loop: loop, request: request) { [unowned self] outcome in
      exchanges[number] = nil
      done(outcome)
    }
  }

  // MARK: The lease

  private func renew() {
    guard let lease else { return }
    exchange("POST", "/leases/\(percentEncoded(lease))/renew", body: .object([])) { [weak self] outcome in
      guard let self, self.lease == lease else { return }
      switch outcome {
      case .success(let response) where response.status == 404:
        lose("the daemon at \(url) has ended the lease; the command goes on without its profile")
      case .failure(.notConnected), .failure(.closedBeforeReply), .failure(.closedInReply):
        lose("the daemon at \(url) is gone; the command goes on without it")
      default:
        // One that is late may answer the next time, before the lease ends.
        renewal.arm(at: loop.now + LeasedHost.renewalNanoseconds)
      }
    }
  }

  private func lose(_ reason: String) {
    lease = nil
    loss = reason
    StandardError.write("headwind: \(reason)\n")
  }

  func end(_ done: @escaping () -> Void) {
    renewal.cancel()
    guard let lease else { return done() }
    self.lease = nil
    send("DELETE", "/leases/\(percentEncoded(lease))") { [self] answer in
      if case .failure(let error) = answer {
        loss = error.message
        StandardError.write(
          "headwind: the lease could not be released (\(error.message)); it ends within \(LeasedHost.length)\n")
      }
      done()
    }
  }
}
