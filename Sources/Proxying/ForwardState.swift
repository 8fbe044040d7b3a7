import Conditioning
import Forwarding
import Reactor
import Settings

/// What a session of a forward proxy knows beyond others: what its client asks for, and how far that has come.
///
/// One client connection may ask for many upstreams in turn (plain HTTP with keep-alive), each served by one upstream
/// connection; with CONNECT and SOCKS the first is the last.
final class ForwardState {
  /// Who the client speaks to.
  enum Wire {
    case socks(SOCKSHandshake)
    case http(HTTPRequestReader)
  }

  /// What reads requests and answers. A tunnel does without, and that is half of an idle one's memory.
  final class Talk {
    var wire: Wire
    /// Of a plain or a CONNECT request.
    var request: RequestHead?
    var answers: HTTPResponseReader

    init(_ wire: Wire, headBytesMax: Int) {
      self.wire = wire
      answers = HTTPResponseReader(headBytesMax: headBytesMax)
    }
  }

  enum Stage {
    /// The client is to say where it wants to go, for the first time or again.
    case asking
    /// The lookup of the name is under way on the profile's network, until then.
    case naming(until: Instant)
    /// A toxic holds the connection back; the upstream isn't dialled.
    case held
    /// The handshake is on its way over the modelled path; the upstream is dialled when it gets there.
    /// That is given up then.
    case opening(until: Instant)
    case dialling
    /// The connection is made, or can't be; on the profile's network both take a round trip, until then. Nil: that is over,
    /// and what stands still is waited for.
    case shaking(until: Instant?)
    /// The next proxy is to connect, by then.
    case askingVia(until: Instant)
    /// A plain request is passed on, or its answer.
    case exchanging
    /// Bytes pass as they are.
    case tunnel
    /// The client has been told why not.
    case refused
  }

  /// Nil in a tunnel.
  private(set) var talk: Talk?
  var stage = Stage.asking {
    didSet { if isTunnel { talk = nil } }
  }
  /// What was asked for last.
  var target: Target?
  /// The rule that matched it, of the rules of that version.
  var rule: HostRule?
  var rulesVersion = 0
  /// The way leads to a proxy of this daemon, which does the conditioning.
  var isBypass = false
  /// Where the present upstream connection goes.
  var connectedTo: Target?
  /// What the client sent beyond what can be used now.
  var pending: [UInt8] = []
  /// The head of a request has just gone out.
  var isFresh = false
  var isRequestOver = false
  var isAnswerOver = false
  var hasAnswerBegun = false
  var keepsAlive = true
  /// When the client is given up that doesn't say what it wants.
  var askedBy: Instant?
  /// A part of a request has come.
  var hasBegun = false
  /// The client sends no more than what is pending.
  var hasClientEnded = false
  /// Why what was asked for isn't done; told after the round trip.
  var refusal: Refusal?
  /// Why the session closes, when it is the forward proxy that closes it.
  var closing: CloseReason?
  /// What the client had taken when that was last looked at.
  var sentBefore: Int64 = 0
  /// From here on the client's stream is what the proxy itself says, which is nobody's traffic.
  var ownFrom = Int64.max
  /// Round trips that were charged; each has dice of its own.
  var handshakes = 0

  /// - Parameter headBytesMax: of each message.
  init(mode: ProxyMode, headBytesMax: Int) {
    let wire = mode == .socks ? Wire.socks(SOCKSHandshake()) : .http(HTTPRequestReader(headBytesMax: headBytesMax))
    talk = Talk(wire, headBytesMax: headBytesMax)
  }

  /// The plain or CONNECT request that came last; nil in a tunnel.
  var request: RequestHead? { talk?.request }

  /// Bytes pass as they are, as in every other session.
  var isTunnel: Bool {
    if case .tunnel = stage { return true }
    return false
  }

  var isAsking: Bool {
    if case .asking = stage { return true }
    return false
  }

  var isExchanging: Bool {
    if case .exchanging = stage { return true }
    return false
  }

  func takePending() -> [UInt8] {
    defer { pending = [] }
    return pending
  }

  /// As the client's protocol says it; empty for one that speaks none that can be answered.
  func answer(to refusal: Refusal) -> [UInt8] {
    switch talk?.wire {
    case nil: []
    case .socks(let handshake): handshake.refusal(refusal)
    case .http: ProxyAnswer.answer(to: refusal, closes: true, isHead: request?.method == "HEAD")
    }
  }

  /// When there is something to do without input.
  var deadline: Instant? {
    switch stage {
    case .naming(let until), .opening(let until), .askingVia(let until): until
    case .shaking(let until): until
    case .asking: askedBy
    case .held, .dialling, .exchanging, .tunnel, .refused: nil
    }
  }
}

@available(*, unavailable)
extension ForwardState: Sendable {}
