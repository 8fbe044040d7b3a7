import Conditioning
import Forwarding
import Reactor
import Settings

// The way through another proxy, where there is one: its answer is read here, before bytes pass.
extension Session {
  /// Where the upstream connection is to go: the next proxy or the target itself.
  func destination(_ forward: ForwardState) -> (Target, via: ViaSpec?)? {
    guard let target = forward.target else { return nil }
    guard let via = sessions.hub.forward.via, !isHere(target.hostForRules),
      !via.isException(host: target.host, port: target.port)
    else { return (target, nil) }
    return (Target(host: via.host, port: via.port), via)
  }

  private func isHere(_ host: String) -> Bool {
    host == "localhost" || host.hasSuffix(".localhost") || SocketAddress(literal: host, port: 0)?.isLoopback ?? false
  }

  /// Asks the next proxy to connect.
  func askVia(_ via: ViaSpec, for target: Target, _ forward: ForwardState) {
    forward.talk?.answers = HTTPResponseReader(headBytesMax: sessions.limits.forwardHeadBytes)
    forward.talk?.answers.begin(method: "CONNECT")
    forward.stage = .askingVia(until: loop.instant + sessions.limits.connectTimeout)
    let request =
      forward.request?.forProxy(authorization: via.authorization, name: sessions.hub.viaName)
      ?? target.connectRequest(authorization: via.authorization, via: ["1.1 \(sessions.hub.viaName)"])
    _ = upstreamSocket?.write(request)
    mustDriveAgain = true
  }

  func readViaAnswer(_ forward: ForwardState, _ now: Instant) {
    guard let socket = upstreamSocket else { return }
    if case .askingVia(let until) = forward.stage, now >= until {
      return refuse(Refusal(.timedOut, "the next proxy, \(socket.peerAddress), doesn't answer"), forward, now)
    }
    // Nothing is read from the client or written to it meanwhile.
    if let client = clientSocket, client.isReadable, client.pendingError() != 0 { return sourceFailed(.upstream, now) }
    guard socket.isReadable, let talk = forward.talk else { return }
    func failed(_ reason: String) {
      refuse(Refusal(.badAnswer, "the next proxy, \(socket.peerAddress), \(reason)"), forward, now)
    }
    switch socket.read(upTo: Session.requestPiece) {
    case .bytes(let count):
      var offset = 0
      reading: while case .askingVia = forward.stage {
        let (consumed, step) = loop.readBuffer.withBytes(count) { talk.answers.next($0, from: offset) }
        offset += consumed
        switch step {
        case .needsMore: break reading
        case .body: break
        case .head(_, let info):
          guard info.status >= 300 else { continue }
          return failed("answered \(info.status) to CONNECT")
        case .upgraded: openTunnel(forward, now, behind: loop.readBuffer.copy(offset..<count))
        case .complete: return failed("didn't connect")
        case .refused(let refusal): return failed(refusal.reason)
        }
      }
      // Not at once: it may have endlessly much to say.
      driveLater()
    case .wouldBlock: break
    case .end, .failed: failed("closed the connection instead of an answer")
    }
  }
}
