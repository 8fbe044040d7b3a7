/// Where a connection is to go, read once: a literal address has nothing left to be read or looked up when it is dialled.
package struct DialTarget: CustomStringConvertible {
  enum Way {
    case straight(SocketAddress)
    case lookup(host: String, service: String)
    case nowhere(DialError)
  }

  let way: Way
  /// As errors name it, such as "example.com:http".
  package let description: String

  /// - Parameters:
  ///   - host: a name or a literal address.
  ///   - service: a port number or a name such as "http".
  package init(host: String, service: String) {
    description = "\(host):\(service)"
    switch AddressLookup.immediate(host: host, service: service) {
    case .success(let addresses): way = .straight(addresses[0])
    case .failure(let error): way = .nowhere(.badAddress("\(description): \(error.reason)"))
    case nil: way = .lookup(host: host, service: service)
    }
  }

  package init(_ address: SocketAddress) {
    (way, description) = (.straight(address), address.description)
  }

  /// What can't be an address: a dial fails with `error`, as if it had been tried.
  package init(failing error: DialError) {
    (way, description) = (.nowhere(error), "")
  }
}
