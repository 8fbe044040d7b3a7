/// Which hosts a rule concerns: a name, a name with `*`, an address or a network, and perhaps a port.
package struct HostPattern: Hashable, Sendable {
  package let text: String

  package init(parsing text: String) { self.text = text }

  package func matches(host: String, port: UInt16) -> Bool { text == host }
}
