/// How a proxy learns where its sessions go.
package enum ProxyMode: String, Hashable, Sendable, CaseIterable {
  /// To the one upstream that it has.
  case tcp
  /// Where an HTTP client asks for: by CONNECT, or with an absolute URL (RFC 9110 §7.6, RFC 9112 §3.2.2).
  case http
  /// Where a SOCKS 5, 4 or 4a client asks for (RFC 1928).
  case socks

  /// What stands for the upstream of a proxy whose clients name it themselves.
  package static let anyUpstream = "*:*"

  /// Whether the clients name the upstream.
  package var isForward: Bool {
    // Asked for each connection; `!=` would compare the texts.
    if case .tcp = self { false } else { true }
  }
}
