import Conditioning
import Reactor
import Settings

// The upstream of a session whose proxy has one.
extension Session {
  func dialUpstream() {
    phase = .dialling
    givesUpAt = nil
    dial = sessions.dial(proxy.target, for: self) { [unowned self] result in
      dial = nil
      switch result {
      case .success(let socket): opened(socket)
      case .failure(let error):
        noteDialFailure(error, to: proxy.upstream)
        givesUpAt = loop.instant + refusalDelay
        armTimer()
      }
    }
  }

  private func opened(_ socket: StreamSocket) {
    upstreamSocket = socket
    socket.delegate = self
    acceptOnPath()
    phase = .open
    driveLater()
  }

  /// The upstream is found to be this proxy itself, whatever has come of the connection.
  func refuseCircle(_ circle: Circle) {
    if let forward { return refuseLater(circle.description, forward) }
    noteDialFailure(circle, to: proxy.upstream)
    reset(reason: .dialFailed)
  }

  func noteDialFailure(_ error: some CustomStringConvertible, to upstream: String) {
    proxy.counters.dialFailures += 1
    sessions.log.info(
      "upstream not reached",
      [
        ("proxy", .string(proxy.name)), ("session", .integer(Int64(id))), ("upstream", .string(upstream)),
        ("reason", .string(error.description)),
      ])
    let details: [(String, JSON)] = [("upstream", .string(upstream)), ("reason", .string(error.description))]
    sessions.record("dial_failed", of: self, details)
  }
}

extension DialTarget {
  /// What a proxy has for its upstream, as it was given.
  init(upstream text: String) {
    do throws(EndpointError) {
      let endpoint = try Endpoint(parsing: text)
      // As when a program connects to an address without a host: this machine.
      self.init(host: endpoint.host.isEmpty ? "localhost" : endpoint.host, service: endpoint.service)
    } catch {
      self.init(failing: .badAddress(error.description))
    }
  }
}
