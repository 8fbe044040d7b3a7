/// The server's side of the words before a SOCKS tunnel: SOCKS5 (RFC 1928) without authentication, SOCKS4 and 4a.
///
/// Only CONNECT is done. What a client sends behind its request belongs to the tunnel: it is never consumed here.
package struct SOCKSHandshake: Sendable {
  package enum Step: Hashable, Sendable {
    /// All that was offered is consumed.
    case needsMore
    /// To be sent; then it goes on.
    case reply([UInt8])
    /// The handshake is over; `granted()` or `refusal(_:)` is the answer.
    case connect(Target)
    /// `refusal(_:)` is the answer, if it isn't empty; then the connection is closed.
    case refused(Refusal)
  }

  private enum State: Hashable {
    case version, greeting, request, socks4
    case over(Step)
  }

  private static let textBytesLimit = 255
  private var state = State.version
  /// The message that is being read.
  private var message: [UInt8] = []
  /// 4 or 5; 0 while it isn't known, and for what isn't SOCKS.
  private var version: UInt8 = 0
  private var hasGreeted = false
  /// Reply code 8 has no kind of refusal of its own.
  private var addressTypeIsUnknown = false
  /// Of the text that SOCKS4 is in.
  private var textBytes = 0

  package init() {}

  /// Once `connect` or `refused` has come it comes again, and nothing is consumed.
  package mutating func receive(_ bytes: RawSpan, from offset: Int) -> (consumed: Int, step: Step) {
    if case .over(let step) = state { return (0, step) }
    var next = offset
    while next < bytes.byteCount {
      message.append(bytes.byte(at: next))
      next += 1
      do throws(Refusal) {
        guard let step = try readMessage() else { continue }
        if case .connect = step { end(step) }
        return (next - offset, step)
      } catch {
        end(.refused(error))
        return (next - offset, .refused(error))
      }
    }
    return (next - offset, .needsMore)
  }

  private mutating func end(_ step: Step) {
    message = []
    state = .over(step)
  }

  /// What the message means, now that it has one more byte; nil while it isn't whole.
  private mutating func readMessage() throws(Refusal) -> Step? {
    switch state {
    case .version: try readVersion()
    case .greeting: return try readGreeting()
    case .request: return try readRequest()
    case .socks4: return try readSOCKS4()
    case .over: break
    }
    return nil
  }

  private mutating func readVersion() throws(Refusal) {
    switch message[0] {
    case 5: state = .greeting
    case 4: state = .socks4
    case 0x16: throw Refusal(.malformed, "this is TLS; this port speaks SOCKS, and TLS only inside a SOCKS connection")
    case let byte where byte.isLetter: throw Refusal(.malformed, "this may be HTTP; this port speaks SOCKS")
    case let byte: throw Refusal(.malformed, "SOCKS version \(byte); allowed: 4 and 5")
    }
    version = message[0]
  }
}

// MARK: - SOCKS5

extension SOCKSHandshake {
  private mutating func readGreeting() throws(Refusal) -> Step? {
    guard message.count > 1, message.count == 2 + Int(message[1]) else { return nil }
    guard message[2...].contains(0) else {
      throw Refusal(.unsupported, "the SOCKS client wants to authenticate; allowed: method 0, no authentication")
    }
    message = []
    state = .request
    hasGreeted = true
    return .reply([5, 0])
  }

  private mutating func readRequest() throws(Refusal) -> Step? {
    guard message[0] == 5 else {
      throw Refusal(.malformed, "SOCKS version \(message[0]) in the request after 5 in the greeting")
    }
    guard let length = try requestLength(), message.count == length else { return nil }
    guard message[1] == 1 else {
      throw command(message[1])
    }
    let address = message[4..<(length - 2)]
    let host =
      switch message[3] {
      case 3: try HostText.normalised(address.dropFirst(), of: "the SOCKS request")
      default: IPAddress(bytes: address).description
      }
    return .connect(Target(host: host, port: try port(message[(length - 2)...])))
  }

  /// nil while it can't be known.
  private mutating func requestLength() throws(Refusal) -> Int? {
    guard message.count > 3 else { return nil }
    switch message[3] {
    case 1: return 4 + 4 + 2
    case 3: return message.count > 4 ? 4 + 1 + Int(message[4]) + 2 : nil
    case 4: return 4 + 16 + 2
    default:
      addressTypeIsUnknown = true
      throw Refusal(.unsupported, "SOCKS address type \(message[3]); allowed: 1 (IPv4), 3 (name), 4 (IPv6)")
    }
  }

  private func command(_ code: UInt8) -> Refusal {
    let name = [2: " (BIND)", 3: " (UDP ASSOCIATE)"][code] ?? ""
    return Refusal(.unsupported, "SOCKS command \(code)\(name); allowed: 1 (CONNECT)")
  }

  private func port(_ bytes: ArraySlice<UInt8>) throws(Refusal) -> UInt16 {
    let port = bytes.reduce(UInt16(0)) { $0 << 8 | UInt16($1) }
    guard port > 0 else { throw Refusal(.malformed, "the SOCKS request has port 0; allowed: 1 to 65535") }
    return port
  }
}

// MARK: - SOCKS4 and 4a

extension SOCKSHandshake {
  /// Version, command, port, address, a user's name up to a NUL; with 4a a host's name up to another.
  private mutating func readSOCKS4() throws(Refusal) -> Step? {
    let fixedBytes = 8
    textBytes = message.count > fixedBytes && message.last != 0 ? textBytes + 1 : 0
    guard textBytes <= Self.textBytesLimit else {
      throw Refusal(.tooLarge, "the SOCKS request has a text of more than \(Self.textBytesLimit) bytes")
    }
    guard message.count > fixedBytes, message.last == 0 else { return nil }
    let texts = message[fixedBytes...].dropLast().split(separator: 0, omittingEmptySubsequences: false)
    let isNamed = message[4..<7].allSatisfy { $0 == 0 } && message[7] != 0
    guard texts.count == (isNamed ? 2 : 1) else { return nil }
    guard message[1] == 1 else {
      throw command(message[1])
    }
    let host =
      isNamed
      ? try HostText.normalised(texts[1], of: "the SOCKS request")
      : IPAddress(bytes: message[4..<fixedBytes]).description
    return .connect(Target(host: host, port: try port(message[2..<4])))
  }
}

// MARK: - Answers

extension SOCKSHandshake {
  /// The upstream is there. The address is left open: clients of CONNECT have no use for it.
  package func granted() -> [UInt8] {
    version == 4 ? [0, 90, 0, 0, 0, 0, 0, 0] : Self.reply(code: 0)
  }

  /// Nothing for what isn't SOCKS at all.
  package func refusal(_ refusal: Refusal) -> [UInt8] {
    switch version {
    case 4: [0, 91, 0, 0, 0, 0, 0, 0]
    case 5 where !hasGreeted: [5, 0xFF]
    case 5: Self.reply(code: addressTypeIsUnknown ? 8 : Self.code(refusal.kind))
    default: []
    }
  }

  private static func reply(code: UInt8) -> [UInt8] { [5, code, 0, 1, 0, 0, 0, 0, 0, 0] }

  /// RFC 1928 §6
  private static func code(_ kind: Refusal.Kind) -> UInt8 {
    switch kind {
    case .denied: 2
    case .networkUnreachable: 3
    case .hostUnreachable, .unresolvable: 4
    case .refused, .offline: 5
    case .timedOut: 6
    case .unsupported: 7
    case .malformed, .tooLarge, .tooSlow, .loop, .badAnswer: 1
    }
  }
}
