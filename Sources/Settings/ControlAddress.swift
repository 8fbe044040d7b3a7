/// Where the control API is: `HOST:PORT`, or `unix:PATH`.
package enum ControlAddress: Hashable, Sendable, CustomStringConvertible {
  case tcp(Endpoint)
  case unix(path: String)

  private static let unixPrefix = "unix:"
  package static let allowed = "HOST:PORT, such as 127.0.0.1:8474, or unix:PATH"

  /// - Throws: a reason as ``Endpoint/init(parsing:)`` has it.
  package init(parsing text: String) throws(EndpointError) {
    guard text.hasPrefix(Self.unixPrefix) else {
      self = .tcp(try Endpoint(parsing: text))
      return
    }
    let path = text.dropFirst(Self.unixPrefix.count)
    func wrong(_ reason: String) -> EndpointError { EndpointError(text: text, reason: reason) }
    guard !path.isEmpty else { throw wrong("no path behind unix:") }
    guard !path.hasPrefix("@") else {
      throw wrong("an abstract socket has no owner and no mode, everybody on this machine may connect to it")
    }
    guard !path.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else {
      throw wrong("a control character in the path")
    }
    guard !path.hasSuffix("/") else { throw wrong("a directory is no socket") }
    // Other programs write unix:///path.
    self = .unix(path: path.hasPrefix("/") ? "/" + path.drop { $0 == "/" } : String(path))
  }

  package var description: String {
    switch self {
    case .tcp(let endpoint): endpoint.description
    case .unix(let path): Self.unixPrefix + path
    }
  }

  /// A path that doesn't begin at the root begins at `directory`.
  package func relative(to directory: String) -> ControlAddress {
    guard case .unix(let path) = self, !path.hasPrefix("/") else { return self }
    return .unix(path: directory + (directory.hasSuffix("/") ? "" : "/") + path)
  }
}
