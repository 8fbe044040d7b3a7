/// The stream of an upstream, or of the next proxy, that was sent requests (RFC 9112).
///
/// Heads pass as they came. Which response belongs to which request is a matter of order, so each request has to be
/// announced by `begin(method:)` before its first byte is sent.
package struct HTTPResponseReader: Sendable {
  package enum Step: Hashable, Sendable {
    /// All that was offered is consumed; part of a head may be held here.
    case needsMore
    /// To be passed on unchanged. Behind an informational one another head follows.
    case head([UInt8], ResponseInfo)
    /// So many of the consumed bytes, which are all of them, pass unchanged.
    case body(Int)
    /// The response is over. The connection can carry another request if it's kept alive.
    case complete(keepsAlive: Bool)
    /// All that follows is a tunnel. It comes behind a head with status 101, or 2xx to CONNECT.
    case upgraded
    /// Always a bad answer. Nothing after this is read: the same comes again.
    case refused(Refusal)
  }

  private enum Request {
    case usual, head, connect
  }

  private enum State: Hashable {
    case head
    case body(keepsAlive: Bool)
    case upgraded
    case refused(Refusal)
  }

  private var requests: [Request] = []
  private var state = State.head
  private var head: HeadReader
  private var body = BodyReader(.none)

  /// - Parameter headBytesMax: of an answer's head; of its first line a quarter; nil: 64 KiB.
  package init(headBytesMax: Int? = nil) {
    head = HeadReader(.response, bytesMax: headBytesMax ?? HeadReader.usualBytesMax)
  }

  /// A request of this method goes out.
  package mutating func begin(method: String) {
    requests.append(method == "HEAD" ? .head : method == "CONNECT" ? .connect : .usual)
  }

  package mutating func next(_ bytes: RawSpan, from offset: Int) -> (consumed: Int, step: Step) {
    var end = offset
    do throws(Refusal) {
      let step = try step(bytes, at: &end)
      return (end - offset, step)
    } catch {
      let isOwn = error.kind == .badAnswer
      let reason = isOwn ? error.reason : "the server's answer: \(error.reason)"
      let refusal = Refusal(.badAnswer, reason, isOfHead: error.isOfHead)
      state = .refused(refusal)
      head = head.anew
      return (end - offset, .refused(refusal))
    }
  }

  /// What comes next is no head.
  package var isInBody: Bool {
    switch state {
    case .body, .upgraded: true
    case .head, .refused: false
    }
  }

  /// Whether the stream may end here: true when nothing is owed or the end is what completes the response.
  package func ended() -> Bool {
    switch state {
    case .head: requests.isEmpty && head.isEmpty
    case .body: body.isOver || body.endsWithConnection
    case .upgraded: true
    case .refused: false
    }
  }

  private mutating func step(_ bytes: RawSpan, at offset: inout Int) throws(Refusal) -> Step {
    switch state {
    case .head:
      return try takeHead(bytes, at: &offset)
    case .body(let keepsAlive):
      guard !body.isOver else {
        state = .head
        return .complete(keepsAlive: keepsAlive)
      }
      let passed = try body.pass(bytes, from: offset)
      offset += passed
      return passed > 0 ? .body(passed) : .needsMore
    case .upgraded: return .upgraded
    case .refused(let refusal): throw refusal
    }
  }

  private mutating func takeHead(_ bytes: RawSpan, at offset: inout Int) throws(Refusal) -> Step {
    guard offset < bytes.byteCount else { return .needsMore }
    guard let request = requests.first else { throw Refusal(.badAnswer, "the server sent what nobody asked for") }
    guard let message = try head.take(bytes, at: &offset) else { return .needsMore }
    head = head.anew
    let response = try ResponseHead(parsing: message, isHead: request == .head, isConnect: request == .connect)
    if response.info.status == 101 || request == .connect && response.info.isSuccess {
      state = .upgraded
    } else if !response.info.isInformational {
      requests.removeFirst()
      body = BodyReader(response.framing)
      state = .body(keepsAlive: response.info.keepsAlive)
    }
    return .head(message.bytes, response.info)
  }
}
