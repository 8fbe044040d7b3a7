/// A literal IPv4 or IPv6 address. IPv4 inside IPv6 (`::ffff:10.0.0.1`) is the IPv4 address: peers of a socket for both
/// look so.
struct IPAddress: Hashable, Sendable {
  /// As IPv6 has it; IPv4 inside of it.
  let bits: UInt128
  let isIPv4: Bool

  private static let ipv4InIPv6: UInt128 = 0xFFFF_0000_0000

  /// - Parameter text: without brackets. A zone (`fe80::1%eth0`) says nothing about the address.
  /// - Returns: nil for a name, and for the shortened forms of IPv4 that only `inet_aton` reads.
  init?(_ text: some StringProtocol) {
    if let ipv4 = IPAddress.ipv4(text.utf8[...]) {
      self.init(ipv4 | IPAddress.ipv4InIPv6)
    } else if let ipv6 = IPAddress.ipv6(text.utf8.prefix { $0 != UInt8(ascii: "%") }) {
      self.init(ipv6)
    } else {
      return nil
    }
  }

  private init(_ bits: UInt128) {
    self.bits = bits
    isIPv4 = bits >> 32 == IPAddress.ipv4InIPv6 >> 32
  }

  /// The 32 bits of an IPv4 address.
  var ipv4: UInt32? { isIPv4 ? UInt32(truncatingIfNeeded: bits) : nil }

  static func ipv4Text(_ bits: UInt32) -> String {
    [24, 16, 8, 0].map { "\(bits >> UInt32($0) & 0xFF)" }.joined(separator: ".")
  }

  // MARK: Reading

  private static func ipv4(_ text: some Collection<UInt8>) -> UInt128? {
    let parts = text.split(separator: UInt8(ascii: "."), maxSplits: 4, omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var bits: UInt128 = 0
    for part in parts {
      guard let value = number(part, radix: 10, digits: 3), value < 256, part.count == 1 || part.first != 0x30 else {
        return nil
      }
      bits = bits << 8 | value
    }
    return bits
  }

  /// RFC 4291 §2.2: eight groups, of which one run of zeros may be left out; the last two may be an IPv4 address.
  private static func ipv6(_ text: some Collection<UInt8>) -> UInt128? {
    let bytes = Array(text)
    guard (2...45).contains(bytes.count) else { return nil }
    let colon = UInt8(ascii: ":")
    guard let gap = bytes.indices.dropLast().first(where: { bytes[$0] == colon && bytes[$0 + 1] == colon }) else {
      return groups(bytes[...], mayEndInIPv4: true).flatMap { $0.count == 8 ? joined($0) : nil }
    }
    let tail = bytes[(gap + 2)...]
    guard let before = groups(bytes[..<gap], mayEndInIPv4: false), let after = groups(tail, mayEndInIPv4: true),
      before.count + after.count < 8
    else { return nil }
    return joined(before + Array(repeating: 0, count: 8 - before.count - after.count) + after)
  }

  private static func groups(_ text: ArraySlice<UInt8>, mayEndInIPv4: Bool) -> [UInt128]? {
    guard !text.isEmpty else { return [] }
    let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    var groups: [UInt128] = []
    for (index, part) in parts.enumerated() {
      if mayEndInIPv4, index == parts.count - 1, let ipv4 = ipv4(part) {
        groups += [ipv4 >> 16, ipv4 & 0xFFFF]
      } else if let value = number(part, radix: 16, digits: 4) {
        groups.append(value)
      } else {
        return nil
      }
    }
    return groups
  }

  private static func joined(_ groups: [UInt128]) -> UInt128 { groups.reduce(0) { $0 << 16 | $1 } }

  /// Digits alone: no sign, no blanks.
  private static func number(_ text: some Collection<UInt8>, radix: UInt128, digits: Int) -> UInt128? {
    guard (1...digits).contains(text.count) else { return nil }
    var value: UInt128 = 0
    for byte in text {
      let lower = byte | 0x20
      switch byte {
      case 0x30...0x39: value = value * radix + UInt128(byte - 0x30)
      case _ where radix == 16 && (0x61...0x66).contains(lower): value = value * radix + UInt128(lower - 0x57)
      default: return nil
      }
    }
    return value
  }
}
