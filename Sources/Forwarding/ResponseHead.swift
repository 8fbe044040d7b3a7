/// What a forward proxy has to know of a response.
package struct ResponseInfo: Hashable, Sendable {
  package let status: Int
  package let isHTTP10: Bool
  /// Whether its connection can carry another request when it's over.
  package let keepsAlive: Bool
  /// The body ends with the connection, so the client's has to end too.
  package let isUntilClose: Bool

  /// 1xx: another response to the same request follows. Not for clients of HTTP/1.0 (RFC 9110 §15.2).
  package var isInformational: Bool { (100...199).contains(status) }
  package var isSuccess: Bool { (200...299).contains(status) }
}

struct ResponseHead: Hashable, Sendable {
  let info: ResponseInfo
  let framing: Framing

  /// RFC 9112 §6.3
  init(parsing message: MessageHead, isHead: Bool, isConnect: Bool) throws(Refusal) {
    let line = message.bytes[message.startLine]
    let parts = line.split(separator: .space, maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count > 1, parts[1].count == 3, let status = parts[1].decimal(upTo: 999), status >= 100 else {
      throw Refusal(.malformed, "status line \(line.excerpt); allowed: HTTP/1.1, a status of three digits, a reason")
    }
    let isHTTP10 = try Version.isHTTP10(parts[0])
    // What a tunnel's head says of a body is ignored (RFC 9110 §9.3.6).
    let opensTunnel = isConnect && (200...299).contains(status)
    let fromFields = opensTunnel ? nil : try message.framing(isHTTP10: isHTTP10)
    let isBodiless = status < 200 || status == 204 || status == 304
    framing = isHead || isBodiless || opensTunnel ? .none : fromFields ?? .untilClose
    let wantsToStay =
      isHTTP10 ? message.lists("keep-alive", in: "connection") : !message.lists("close", in: "connection")
    // Some servers send chunks behind 204 all the same: those must not become the next response.
    let endsClean = !(isBodiless && fromFields == .chunked && status != 304)
    info = ResponseInfo(
      status: status, isHTTP10: isHTTP10, keepsAlive: wantsToStay && endsClean && framing != .untilClose,
      isUntilClose: framing == .untilClose)
  }
}
