import ControlAPI
import Proxying
import Reactor
import Settings

/// A daemon in this process, made anew for each run: sessions are counted from 1, so that the same seed means the same
/// decisions. Its ports go with this process, however that ends.
final class OwnHost: RunHost {
  private let loop: EventLoop
  private let options: ServeOptions
  private var daemon: Daemon?

  init(loop: EventLoop, options: ServeOptions) {
    self.loop = loop
    self.options = options
  }

  var loss: String? { nil }

  var url: String { daemon?.control?.url ?? "" }
  var token: RunToken { options.tokenFile(options.config).map { .file(TokenFile.absolute($0)) } ?? .none }

  func begin(_ run: RunSpec, _ done: @escaping (CommandError?) -> Void) {
    var options = options
    options.profile = run.profile
    // Sessions and events are to come in the same order again, whatever a config file that is made for `serve` says.
    options.loops = 1
    if let seed = run.seed { options.seed = seed }
    do throws(CommandError) {
      let daemon = try Daemon(options, loop: loop)
      self.daemon = daemon
      daemon.onStart = done
      loop.later { daemon.start() }
    } catch {
      done(error)
    }
  }

  func send(_ method: String, _ target: String, _ done: @escaping (Answer) -> Void) {
    guard let daemon else { return done(.failure(.failure("no daemon"))) }
    let request = APIRequest(method: method, target: target, mustNameHost: false)
    switch daemon.api.answer(request, isOurs: true) {
    case .now(let response): done(OwnHost.read(response))
    case .later(let work): work { done(OwnHost.read($0)) }
    case .events: done(.failure(.failure("\(target) is a stream")))
    }
  }

  private static func read(_ response: APIResponse) -> Answer {
    guard !response.body.isEmpty else { return .success(.null) }
    guard let json = try? JSONReader.read(response.body, dialect: .lenient) else {
      return .failure(.failure("the answer is no JSON"))
    }
    guard response.status < 400 else { return .failure(.failure(json["error"]?.string ?? "\(response.status)")) }
    return .success(json)
  }

  func end(_ done: @escaping () -> Void) {
    guard let daemon else { return done() }
    self.daemon = nil
    daemon.close { [loop] in loop.later(done) }
  }
}

extension Daemon {
  /// Gives up all ports and connections at once.
  func close(_ done: @escaping () -> Void) {
    control?.close()
    // It lives until the last session is gone.
    let drain = registry.drain { [self] in withExtendedLifetime(self) { done() } }
    drain.giveUp()
  }
}
