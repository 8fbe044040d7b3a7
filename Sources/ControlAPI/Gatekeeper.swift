/// Who may speak to the control port: programs on this machine, and not a web page that a browser shows.
///
/// A page elsewhere can make a browser send requests here, with a name of its own that resolves to 127.0.0.1 (DNS
/// rebinding) or across sites. Both show in the headers: `Host` then holds a public name, `Origin` another site.
struct Gatekeeper {
  /// Names besides the ordinary ones under which the control port is reached.
  var extraHosts: Set<String> = []
  /// Whether names that may be public are taken too, from programs.
  ///
  /// This is for toxiproxy's users, who bind the API to all interfaces of a container and reach it by names like
  /// `toxiproxy.default.svc.cluster.local`. A page that rebinds its own name to that address can't change anything all the
  /// same: a browser puts `Origin` on every request but plain reads, and no program does. What is left to such a page is
  /// reading, in browsers that let it hide their `User-Agent`.
  var takesAnyHost = false

  func refusal(of request: APIRequest) -> APIError? {
    guard request.headers.count(where: { $0.name.lowercased() == "host" }) <= 1 else {
      return APIError(400, "more than one header: Host")
    }
    guard let host = request.header("Host") ?? (request.mustNameHost ? nil : "") else {
      return APIError(400, "missing header: Host")
    }
    guard isKnown(host) || (takesAnyHost && request.header("Origin") == nil) else {
      if takesAnyHost {
        return APIError(403, "web pages under the name \"\(host.prefix(100))\" are not allowed to ask")
      }
      return APIError(
        403,
        "host \"\(host.prefix(100))\" is not allowed; allowed: an IP address, localhost, a name without a dot, one under .localhost, .internal or .test, or one given with --allow-host"
      )
    }
    if let origin = request.header("Origin"), !isSameOrigin(origin, host: host) {
      return APIError(
        403, "origin \"\(origin.prefix(100))\" is not allowed; allowed: requests that don't come from a web page")
    }
    if request.header("Sec-Fetch-Site") == "cross-site" {
      return APIError(403, "cross-site requests of web pages are not allowed")
    }
    return nil
  }

  /// The classic server's guard against web pages, kept: clients know it.
  func refusesBrowser(_ request: APIRequest) -> Bool {
    request.header("User-Agent")?.hasPrefix("Mozilla/") ?? false
  }

  private func isKnown(_ host: String) -> Bool {
    let name = Gatekeeper.name(of: host)
    if name.hasPrefix("[") || name.isEmpty { return true }
    if name.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }) { return true }
    // Not .local: anybody on the network answers for that. A name of one label, or under a domain that the public DNS never serves, can't be an attacker's.
    let isPrivate =
      !name.contains(".") || [".localhost", ".internal", ".test"].contains { name.hasSuffix($0) }
    return isPrivate || extraHosts.contains(name)
  }

  private func isSameOrigin(_ origin: String, host: String) -> Bool {
    origin.lowercased() == "http://\(host.lowercased())"
  }

  /// Without the port and a final dot, in lower case.
  private static func name(of host: String) -> String {
    let host = host.lowercased()
    if host.hasPrefix("[") { return String(host.prefix { $0 != "]" }) }
    let name = host.prefix { $0 != ":" }
    return String(name.hasSuffix(".") ? name.dropLast() : name)
  }
}
