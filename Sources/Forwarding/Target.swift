/// Where a client of a forward proxy wants to go.
package struct Target: Hashable, Sendable, CustomStringConvertible {
  /// A name or a literal address, without brackets; in lower case.
  package var host: String
  package var port: UInt16

  package init(host: String, port: UInt16) {
    (self.host, self.port) = (host, port)
  }

  /// `example.com:443`, `[::1]:80`
  package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// The host without the dot that makes a name absolute: what rules are compared with.
  package var hostForRules: String { host.hasSuffix(".") ? String(host.dropLast()) : host }
}
