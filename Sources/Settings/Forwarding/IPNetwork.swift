import Forwarding

/// A block of IPv4 or IPv6 addresses in CIDR notation (RFC 4632, RFC 4291 §2.3), or a single address.
package struct IPNetwork: Hashable, Sendable, CustomStringConvertible {
  /// As given.
  package let text: String
  private let first: IPAddress
  /// Of the 128 bits of an IPv6 address; 96 more than in the text of IPv4.
  private let prefixLength: Int

  package static let maximumCount = 1_000
  package static let allowed = "an IP address, or a network such as 10.0.0.0/8 or fd00::/8"

  /// - Throws: `is "10.0.0.0/33": …`
  package init(parsing text: String) throws(SettingsError) {
    do { try self.init(reading: text) } catch { throw error.refusal(of: text, allowed: Self.allowed) }
  }

  init(reading text: String) throws(TextProblem) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    // A zone is an interface of one machine, and no network.
    guard let address = IPAddress(parts[0]), !text.contains("%") else { throw TextProblem("not an IP address") }
    // What is written as IPv6 counts its bits so, also where it holds IPv4.
    let width = parts[0].contains(":") ? 128 : 32
    let length = parts.count == 1 ? width : Self.length(parts[1])
    guard let length, length <= width else {
      throw TextProblem("the prefix length is not a number from 0 to \(width)")
    }
    let prefixLength = length + 128 - width
    guard address.bits & ~Self.mask(prefixLength) == 0 else {
      throw TextProblem("the address has bits behind its first \(length)")
    }
    self.text = text
    (first, self.prefixLength) = (address, prefixLength)
  }

  package var description: String { text }

  /// - Parameter address: a literal address, without brackets.
  package func contains(_ address: String) -> Bool { IPAddress(address).map(contains) ?? false }

  /// A network of IPv6 holds no IPv4 address, not even `::/0`.
  func contains(_ address: IPAddress) -> Bool {
    address.isIPv4 == isIPv4 && (address.bits ^ first.bits) & Self.mask(prefixLength) == 0
  }

  private var isIPv4: Bool { first.isIPv4 && prefixLength >= 96 }

  /// Address and mask in the dotted form; nil for IPv6.
  package var ipv4AddressAndMask: (address: String, mask: String)? {
    guard isIPv4, let ipv4 = first.ipv4 else { return nil }
    return (IPAddress.ipv4Text(ipv4), IPAddress.ipv4Text(UInt32(truncatingIfNeeded: Self.mask(prefixLength))))
  }

  /// Ones in front; shifting by all 128 gives none.
  private static func mask(_ length: Int) -> UInt128 { UInt128.max << (128 - length) }

  private static func length(_ text: Substring) -> Int? {
    guard (1...3).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text)
  }
}
