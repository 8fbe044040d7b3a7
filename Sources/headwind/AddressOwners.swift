import Proxying
import Reactor

/// Who is to listen where. At one address there can be one only, and who listens at a port of every interface has all
/// addresses of it.
struct AddressOwners {
  private var owners: [Binding: String] = [:]
  /// By port: the first one there, and the one on every interface.
  private var first: [UInt16: String] = [:]
  private var everywhere: [UInt16: String] = [:]

  /// - Returns: who has the address already; then the newcomer is not added. Port 0 collides with nobody.
  mutating func add(_ owner: String, at binding: Binding) -> String? {
    let port = binding.address.port
    guard port != 0 else { return nil }
    if let other = owners[binding] ?? (binding.isAny ? first[port] : everywhere[port]) { return other }
    owners[binding] = owner
    if first[port] == nil { first[port] = owner }
    if binding.isAny { everywhere[port] = owner }
    return nil
  }
}
