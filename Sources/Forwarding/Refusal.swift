/// Why a forward proxy doesn't do what its client asks; each protocol says it in its own way.
package struct Refusal: Error, Hashable, Sendable {
  package enum Kind: Hashable, Sendable, CaseIterable {
    /// The client's bytes can't be understood, or may mean two things (RFC 9112 §11.2).
    case malformed
    /// Header lines, request line or names beyond their limits.
    case tooLarge
    /// Understood, but not done here: BIND, UDP, other versions.
    case unsupported
    /// The request didn't come in time.
    case tooSlow
    /// By a rule, or the client is none of those allowed.
    case denied
    /// The way leads back to this daemon.
    case loop
    /// The name has no address.
    case unresolvable
    /// The upstream refused the connection.
    case refused
    case hostUnreachable
    case networkUnreachable
    /// The upstream, or the lookup of its name, took too long.
    case timedOut
    /// A profile or a toxic says that nothing can be reached.
    case offline
    /// The upstream or the next proxy answers what can't be passed on.
    case badAnswer
  }

  package var kind: Kind
  /// One line for people.
  package var reason: String
  /// Where HTTP has a more exact status than the usual one of this kind.
  package var status: Int?
  /// Whether a head has more bytes than the reader was to take.
  package var isOfHead: Bool

  package init(_ kind: Kind, _ reason: String, status: Int? = nil, isOfHead: Bool = false) {
    (self.kind, self.reason, self.status, self.isOfHead) = (kind, reason, status, isOfHead)
  }
}
