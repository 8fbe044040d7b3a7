import Forwarding

/// What all forward proxies of a daemon share.
package struct ForwardSettings: Hashable, Sendable {
  /// First match wins.
  package var rules: [HostRule] = [] { didSet { index = RuleIndex(rules) } }
  private var index = RuleIndex([])
  /// The next proxy on the way, if all connections but those to this machine are to go through one.
  package var via: ViaSpec?
  /// Networks whose clients may use a forward proxy that other machines can reach; this machine always may.
  package var allowedClients: [IPNetwork] = []

  package init() {}

  /// The first rule that matches; nil where none does.
  package func rule(host: String, port: UInt16) -> HostRule? {
    rules.isEmpty ? nil : index.first(HostName(host), port: port)
  }

  /// - Parameter address: a literal address, without brackets.
  package func allows(client address: String) -> Bool {
    guard let address = IPAddress(address) else { return false }
    return allowedClients.contains { $0.contains(address) }
  }
}
