/// The head of an HTTP message as it came, and where its fields are.
struct MessageHead: Hashable, Sendable {
  struct Field: Hashable, Sendable {
    let name: Range<Int>
    /// Without blanks around it.
    let value: Range<Int>
    /// With its end.
    let line: Range<Int>
  }

  /// Everything up to and with the empty line.
  fileprivate(set) var bytes: [UInt8] = []
  /// Without its end; empty for trailers.
  fileprivate(set) var startLine = 0..<0
  fileprivate(set) var fields: [Field] = []

  func name(_ field: Field) -> ArraySlice<UInt8> { bytes[field.name] }
  func value(_ field: Field) -> ArraySlice<UInt8> { bytes[field.value] }

  /// - Parameter name: in lower case.
  func values(of name: String) -> [ArraySlice<UInt8>] {
    fields.filter { bytes[$0.name].isWord(name) }.map { bytes[$0.value] }
  }

  /// The elements of all fields of this name, which are lists.
  func elements(of name: String) -> [ArraySlice<UInt8>] { values(of: name).flatMap(\.listElements) }

  func lists(_ word: String, in name: String) -> Bool { elements(of: name).contains { $0.isWord(word) } }
}

/// Collects the head of a message, or the trailers behind a chunked body, and refuses at once what has more than one
/// reading (RFC 9112 §2.2, §5, §11.2). It goes byte by byte, so cuts in the input make no difference.
struct HeadReader: Hashable, Sendable {
  enum Part {
    case request, response, trailers
  }

  static let usualBytesMax = 64 << 10
  private static let fieldsLimit = 200

  private let part: Part
  private let bytesMax: Int
  private var head = MessageHead()
  private var lineStart = 0
  private var sawReturn = false
  private var skippedEmptyLine = false

  /// - Parameter bytesMax: of it all; of its first line a quarter.
  init(_ part: Part, bytesMax: Int = usualBytesMax) {
    self.part = part
    self.bytesMax = bytesMax
  }

  private var startLineBytesMax: Int { bytesMax / 4 }
  /// What it has to begin with when it begins again.
  var anew: HeadReader { HeadReader(part, bytesMax: bytesMax) }

  var isEmpty: Bool { head.bytes.isEmpty && !sawReturn }

  /// The head, once it is whole; else all that was offered is consumed. The offset stops at the byte that is refused.
  mutating func take(_ bytes: RawSpan, at offset: inout Int) throws(Refusal) -> MessageHead? {
    while offset < bytes.byteCount {
      takeText(bytes, at: &offset)
      guard offset < bytes.byteCount else { return nil }
      let isWhole = try take(bytes.byte(at: offset))
      offset += 1
      if isWhole { return head }
    }
    return nil
  }

  /// What means nothing yet goes in one piece, as far as there is room: that is nearly all of a head.
  private mutating func takeText(_ bytes: RawSpan, at offset: inout Int) {
    guard !sawReturn else { return }
    let room = (isInStartLine ? startLineBytesMax : bytesMax) - head.bytes.count
    let limit = min(bytes.byteCount, offset + room)
    while offset < limit {
      let byte = bytes.byte(at: offset)
      guard byte.isText else { return }
      head.bytes.append(byte)
      offset += 1
    }
  }

  private mutating func take(_ byte: UInt8) throws(Refusal) -> Bool {
    if sawReturn {
      guard byte == .lineFeed else { throw Refusal(.malformed, "a CR without LF in \(place)") }
      sawReturn = false
      return try endLine()
    }
    switch byte {
    case .carriageReturn: sawReturn = true
    case .lineFeed: throw Refusal(.malformed, "a line of \(place) ends in LF without CR")
    case _ where byte.isText:
      head.bytes.append(byte)
      try checkBytes()
    default: throw control(byte)
    }
    return false
  }

  private func checkBytes() throws(Refusal) {
    if isInStartLine, head.bytes.count > startLineBytesMax {
      throw Refusal(
        .tooLarge, "the first line is longer than \(startLineBytesMax) bytes", status: 414, isOfHead: true)
    }
    guard head.bytes.count <= bytesMax else {
      throw Refusal(.tooLarge, "\(place) has more than \(bytesMax) bytes", isOfHead: true)
    }
  }

  private mutating func endLine() throws(Refusal) -> Bool {
    let line = lineStart..<head.bytes.count
    if isInStartLine {
      guard !line.isEmpty else {
        guard part == .request, !skippedEmptyLine else {
          throw Refusal(.malformed, "an empty line where \(place) begins")
        }
        // RFC 9112 §2.2: some clients send one behind a body.
        skippedEmptyLine = true
        return false
      }
      // At once, because a server of another protocol may wait for an answer to its line.
      guard part == .request || head.bytes.starts(with: "HTTP/".utf8) else {
        throw Refusal(.malformed, "\(head.bytes[line].excerpt) isn't HTTP")
      }
      head.startLine = line
    } else if !line.isEmpty {
      guard head.fields.count < Self.fieldsLimit else {
        throw Refusal(.tooLarge, "\(place) has more than \(Self.fieldsLimit) fields")
      }
      head.fields.append(try field(line))
    }
    head.bytes += [.carriageReturn, .lineFeed]
    lineStart = head.bytes.count
    return line.isEmpty
  }

  private func field(_ line: Range<Int>) throws(Refusal) -> MessageHead.Field {
    let text = head.bytes[line]
    guard !head.bytes[line.lowerBound].isBlank else {
      let before = head.fields.last.map { "field \(head.name($0).excerpt)" } ?? "the first line"
      throw Refusal(.malformed, "the line behind \(before) begins with white space (folded lines are obsolete)")
    }
    guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else {
      throw Refusal(.malformed, "field line \(text.firstWord) has no colon")
    }
    let name = text[..<colon]
    guard name.last?.isBlank != true else {
      throw Refusal(.malformed, "field name \(name.firstWord) has white space before the colon")
    }
    guard !name.isEmpty, name.allSatisfy(\.isToken) else {
      throw Refusal(.malformed, "\(name.firstWord) isn't the name of a field")
    }
    if part == .trailers, ["content-length", "transfer-encoding", "host"].contains(where: { name.isWord($0) }) {
      throw Refusal(.malformed, "field \(name.excerpt) among the trailers, where it must not be")
    }
    let value = text[(colon + 1)...].trimmed
    return .init(
      name: line.lowerBound..<colon, value: value.isEmpty ? colon..<colon : value.startIndex..<value.endIndex,
      line: line.lowerBound..<(line.upperBound + 2))
  }
}

extension HeadReader {
  private var isInStartLine: Bool { part != .trailers && lineStart == 0 }

  private var place: String {
    switch part {
    case .request: "the request's head"
    case .response: "the response's head"
    case .trailers: "the trailers"
    }
  }

  private func control(_ byte: UInt8) -> Refusal {
    if part == .request, isEmpty {
      switch byte {
      case 0x16:
        return Refusal(
          .malformed,
          "this is TLS; this port speaks HTTP, and TLS only behind CONNECT (the URL of the proxy itself is http://…)"
        )
      case 4, 5: return Refusal(.malformed, "this may be SOCKS; this port speaks HTTP")
      default: break
      }
    }
    return Refusal(.malformed, "control character \([byte][...].excerpt) in \(place)")
  }
}
