/// An IPv6 address as text (RFC 4291 §2.2, RFC 5952) and as SOCKS sends it.
struct IPv6Address: Hashable, Sendable, CustomStringConvertible {
  private static let groupCount = 8
  private let groups: [UInt16]

  /// - Parameter bytes: 16, the highest first.
  init(bytes: ArraySlice<UInt8>) {
    let start = bytes.startIndex
    groups = (0..<Self.groupCount).map { UInt16(bytes[start + 2 * $0]) << 8 | UInt16(bytes[start + 2 * $0 + 1]) }
  }

  /// Without brackets or zone.
  init?(parsing text: ArraySlice<UInt8>) {
    guard let gap = Self.gap(in: text) else {
      guard let groups = Self.groups(text), groups.count == Self.groupCount else { return nil }
      self.groups = groups
      return
    }
    let (before, after) = (text[..<gap], text[(gap + 2)...])
    guard let head = before.isEmpty ? [] : Self.groups(before, mayEndInIPv4: false),
      let tail = after.isEmpty ? [] : Self.groups(after), head.count + tail.count < Self.groupCount
    else { return nil }
    groups = head + Array(repeating: 0, count: Self.groupCount - head.count - tail.count) + tail
  }

  /// Where the first `::` is.
  private static func gap(in text: ArraySlice<UInt8>) -> Int? {
    text.indices.dropLast().first { text[$0] == UInt8(ascii: ":") && text[$0 + 1] == UInt8(ascii: ":") }
  }

  private static func groups(_ text: ArraySlice<UInt8>, mayEndInIPv4: Bool = true) -> [UInt16]? {
    var groups: [UInt16] = []
    let parts = text.split(separator: UInt8(ascii: ":"), maxSplits: groupCount, omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      if mayEndInIPv4, index == parts.count - 1, let bytes = IPv4Text.bytes(part) {
        groups += [UInt16(bytes[0]) << 8 | UInt16(bytes[1]), UInt16(bytes[2]) << 8 | UInt16(bytes[3])]
      } else {
        guard (1...4).contains(part.count), part.allSatisfy({ $0.hexDigit != nil }) else { return nil }
        groups.append(part.reduce(0) { $0 << 4 | UInt16($1.hexDigit ?? 0) })
      }
    }
    return groups
  }

  /// The IPv4 address that this one stands for (`::ffff:192.0.2.1`), if it does (RFC 4291 §2.5.5.2).
  var mappedIPv4: String? {
    guard groups[..<5].allSatisfy({ $0 == 0 }), groups[5] == 0xFFFF else { return nil }
    return IPv4Text.text(groups[6...].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }[...])
  }

  /// In the one form of RFC 5952 §4: lower case, no leading zeros, `::` for the longest run of zeros.
  var description: String {
    let gap = longestZeros
    let text = { (groups: ArraySlice<UInt16>) in groups.map { String($0, radix: 16) }.joined(separator: ":") }
    guard gap.count > 1 else { return text(groups[...]) }
    return text(groups[..<gap.lowerBound]) + "::" + text(groups[gap.upperBound...])
  }

  private var longestZeros: Range<Int> {
    var longest = 0..<0
    var start = 0
    for (index, group) in groups.enumerated() {
      guard group == 0 else {
        start = index + 1
        continue
      }
      if index + 1 - start > longest.count { longest = start..<(index + 1) }
    }
    return longest
  }
}

/// IPv4 addresses in the one form that means the same to everybody: four decimal numbers, no leading zeros.
enum IPv4Text {
  static func bytes(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    let parts = text.split(separator: UInt8(ascii: "."), maxSplits: 4, omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var bytes: [UInt8] = []
    for part in parts {
      guard let number = part.decimal(upTo: 255), part.count == 1 || part.first != UInt8(ascii: "0") else { return nil }
      bytes.append(UInt8(number))
    }
    return bytes
  }

  static func text(_ bytes: ArraySlice<UInt8>) -> String {
    bytes.map { String($0) }.joined(separator: ".")
  }
}
