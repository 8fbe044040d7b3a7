/// A client's stream to a forward proxy: requests of HTTP/1.1 and 1.0, one behind the other (RFC 9112).
///
/// The caller offers bytes and asks for the next step until it is told that more are needed. Every `head` is followed by
/// its body's pieces and one `complete`. Behind CONNECT, and where the upstream agrees to an upgrade, the caller stops
/// asking: what isn't consumed belongs to the tunnel.
package struct HTTPRequestReader: Sendable {
  package enum Step: Hashable, Sendable {
    /// All that was offered is consumed; part of a head may be held here.
    case needsMore
    case head(RequestHead)
    /// So many of the consumed bytes, which are all of them, pass unchanged.
    case body(Int)
    /// The request is over; the next byte opens the next one.
    case complete
    /// Nothing after this is read: the same comes again.
    case refused(Refusal)
  }

  private var head: HeadReader
  /// Of the request whose head has come.
  private var body: BodyReader?
  private var refusal: Refusal?

  /// - Parameter headBytesMax: of a request's head; of its first line a quarter; nil: 64 KiB.
  package init(headBytesMax: Int? = nil) {
    head = HeadReader(.request, bytesMax: headBytesMax ?? HeadReader.usualBytesMax)
  }

  /// Whether nothing of a request has come: where the client may close, and no time for a head runs.
  package var isBetweenRequests: Bool { body == nil && refusal == nil && head.isEmpty }

  package mutating func next(_ bytes: RawSpan, from offset: Int) -> (consumed: Int, step: Step) {
    var end = offset
    do throws(Refusal) {
      if let refusal { throw refusal }
      let step = try step(bytes, at: &end)
      return (end - offset, step)
    } catch {
      refusal = error
      head = head.anew
      return (end - offset, .refused(error))
    }
  }

  private mutating func step(_ bytes: RawSpan, at offset: inout Int) throws(Refusal) -> Step {
    guard let isOver = body?.isOver else {
      guard let message = try head.take(bytes, at: &offset) else { return .needsMore }
      head = head.anew
      let request = try RequestHead(parsing: message)
      body = BodyReader(request.framing)
      return .head(request)
    }
    guard !isOver else {
      body = nil
      return .complete
    }
    let passed = try body?.pass(bytes, from: offset) ?? 0
    offset += passed
    return passed > 0 ? .body(passed) : .needsMore
  }
}
