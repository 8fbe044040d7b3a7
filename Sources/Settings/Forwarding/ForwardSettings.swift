/// What all forward proxies of a daemon share.
package struct ForwardSettings: Hashable, Sendable {
  /// First match wins.
  package var rules: [HostRule] = []
  /// The next proxy on the way, if all connections but those to this machine are to go through one.
  package var via: ViaSpec?
  /// Networks whose clients may use a forward proxy that other machines can reach; this machine always may.
  package var allowedClients: [IPNetwork] = []

  package init() {}
}

/// Another HTTP proxy that connections are made through: `http://user:password@host:port`.
package struct ViaSpec: Hashable, Sendable {
  package var host: String
  package var port: UInt16
  /// As a value of `Proxy-Authorization` (RFC 7617); nil without user and password.
  package var authorization: String?
  /// Hosts that are reached without it.
  package var exceptions: [HostPattern] = []

  package init(host: String, port: UInt16, authorization: String? = nil) {
    (self.host, self.port, self.authorization) = (host, port, authorization)
  }
}

/// A block of IPv4 or IPv6 addresses in CIDR notation (RFC 4632, RFC 4291 §2.3).
package struct IPNetwork: Hashable, Sendable {
  package let text: String

  package init(text: String) { self.text = text }

  /// - Parameter address: a literal address, without brackets.
  package func contains(_ address: String) -> Bool { false }
}
