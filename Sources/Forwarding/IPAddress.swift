/// A literal IPv4 or IPv6 address. IPv4 inside IPv6 (`::ffff:10.0.0.1`, RFC 4291 §2.5.5.2) is the IPv4 address: the peers of a
/// socket for both look so.
package struct IPAddress: Hashable, Sendable, CustomStringConvertible {
  /// As IPv6 has it; IPv4 inside of it.
  package let bits: UInt128

  private static let ipv4InIPv6: UInt128 = 0xFFFF_0000_0000
  private static let groupCount = 8

  private init(_ bits: UInt128) { self.bits = bits }

  /// - Parameter bytes: 4 or 16, the highest first.
  init(bytes: ArraySlice<UInt8>) {
    let bits = bytes.reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
    self.init(bytes.count == 4 ? bits | Self.ipv4InIPv6 : bits)
  }

  /// - Parameter text: without brackets. A zone (`fe80::1%eth0`) says nothing about the address.
  /// - Returns: nil for a name, and for the shortened forms of IPv4 that only `inet_aton` reads.
  package init?(_ text: some StringProtocol) {
    let bytes = Array(text.utf8)
    self.init(parsing: bytes.contains(UInt8(ascii: ":")) ? bytes.prefix { $0 != UInt8(ascii: "%") } : bytes[...])
  }

  /// Without brackets or zone.
  init?(parsing text: ArraySlice<UInt8>) {
    guard let bits = Self.ipv4(text).map({ $0 | Self.ipv4InIPv6 }) ?? Self.ipv6(text) else { return nil }
    self.init(bits)
  }

  package var isIPv4: Bool { bits >> 32 == Self.ipv4InIPv6 >> 32 }

  /// The 32 bits of an IPv4 address.
  package var ipv4: UInt32? { isIPv4 ? UInt32(truncatingIfNeeded: bits) : nil }

  package static func ipv4Text(_ bits: UInt32) -> String {
    [24, 16, 8, 0].map { "\(bits >> UInt32($0) & 0xFF)" }.joined(separator: ".")
  }

  /// In the one form of RFC 5952 §4: lower case, no leading zeros, `::` for the longest run of zeros.
  package var description: String {
    if let ipv4 { return Self.ipv4Text(ipv4) }
    let groups = (0..<Self.groupCount).map { UInt16(truncatingIfNeeded: bits >> UInt128(112 - 16 * $0)) }
    let gap = Self.longestZeros(in: groups)
    let text = { (groups: ArraySlice<UInt16>) in groups.map { String($0, radix: 16) }.joined(separator: ":") }
    guard gap.count > 1 else { return text(groups[...]) }
    return text(groups[..<gap.lowerBound]) + "::" + text(groups[gap.upperBound...])
  }

  private static func longestZeros(in groups: [UInt16]) -> Range<Int> {
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

// MARK: - Reading

extension IPAddress {
  /// Four decimal numbers without leading zeros: the one form that means the same to everybody.
  private static func ipv4(_ text: ArraySlice<UInt8>) -> UInt128? {
    let parts = text.split(separator: UInt8(ascii: "."), maxSplits: 4, omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var bits: UInt128 = 0
    for part in parts {
      guard let number = part.decimal(upTo: 255), part.count == 1 || part.first != UInt8(ascii: "0") else { return nil }
      bits = bits << 8 | UInt128(number)
    }
    return bits
  }

  /// RFC 4291 §2.2: eight groups, of which one run of zeros may be left out; the last two may be an IPv4 address.
  private static func ipv6(_ text: ArraySlice<UInt8>) -> UInt128? {
    guard let gap = gap(in: text) else {
      return groups(text, mayEndInIPv4: true).flatMap { $0.count == groupCount ? joined($0) : nil }
    }
    let (before, after) = (text[..<gap], text[(gap + 2)...])
    guard let head = before.isEmpty ? [] : groups(before, mayEndInIPv4: false),
      let tail = after.isEmpty ? [] : groups(after, mayEndInIPv4: true), head.count + tail.count < groupCount
    else { return nil }
    return joined(head + Array(repeating: 0, count: groupCount - head.count - tail.count) + tail)
  }

  /// Where the first `::` is.
  private static func gap(in text: ArraySlice<UInt8>) -> Int? {
    text.indices.dropLast().first { text[$0] == UInt8(ascii: ":") && text[$0 + 1] == UInt8(ascii: ":") }
  }

  private static func groups(_ text: ArraySlice<UInt8>, mayEndInIPv4: Bool) -> [UInt128]? {
    var groups: [UInt128] = []
    let parts = text.split(separator: UInt8(ascii: ":"), maxSplits: groupCount, omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      if mayEndInIPv4, index == parts.count - 1, let ipv4 = ipv4(part) {
        groups += [ipv4 >> 16, ipv4 & 0xFFFF]
      } else {
        guard (1...4).contains(part.count), part.allSatisfy({ $0.hexDigit != nil }) else { return nil }
        groups.append(part.reduce(0) { $0 << 4 | UInt128($1.hexDigit ?? 0) })
      }
    }
    return groups
  }

  private static func joined(_ groups: [UInt128]) -> UInt128 { groups.reduce(0) { $0 << 16 | $1 } }
}
