import Reactor
import Settings

/// Who may speak to the control port: programs on this machine, and not a web page that a browser shows; and only those that
/// know the token, where there is one (`Gatekeeper+Token.swift`).
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
  /// What every request has to show; nil for none.
  var token: AccessToken?

  func refusal(of request: APIRequest) -> APIError? {
    guard request.all("Host").count <= 1 else {
      return APIError(400, "more than one header: Host")
    }
    guard let host = request.header("Host") ?? (request.mustNameHost ? nil : "") else {
      return APIError(400, "missing header: Host")
    }
    for host in [host] + (request.targetAuthority.map { [String($0)] } ?? []) {
      if let refusal = refusal(ofHost: host, request) { return refusal }
    }
    for origin in request.all("Origin") where !isSameOrigin(origin, host: host) {
      return APIError(
        403, "origin \"\(origin.prefix(100))\" is not allowed; allowed: requests that don't come from a web page")
    }
    // A page of another port of this machine is as foreign: its site is the same, its origin isn't.
    for site in request.all("Sec-Fetch-Site") where !["same-origin", "none"].contains(site) {
      return APIError(403, "cross-site requests of web pages are not allowed")
    }
    return nil
  }

  private func refusal(ofHost host: String, _ request: APIRequest) -> APIError? {
    if isKnown(host) || (takesAnyHost && request.header("Origin") == nil) { return nil }
    if takesAnyHost {
      return APIError(
        403, "web pages under the name \"\(host.withoutAddressSecrets.prefix(100))\" are not allowed to ask")
    }
    return APIError(
      403,
      "host \"\(host.withoutAddressSecrets.prefix(100))\" is not allowed; allowed: an IP address, localhost, a name without a dot, one under .localhost, .internal or .test, or one given with --allow-host"
    )
  }

  /// The classic server's guard against web pages, kept: clients know it.
  func refusesBrowser(_ request: APIRequest) -> Bool {
    request.all("User-Agent").contains { $0.hasPrefix("Mozilla/") }
  }

  private func isKnown(_ host: String) -> Bool {
    // HTTP/1.0 has none.
    guard !host.isEmpty else { return true }
    guard let name = Gatekeeper.name(of: host) else { return false }
    if name.hasPrefix("[") || name.allSatisfy({ $0.isNumber || $0 == "." }) {
      return SocketAddress(literal: name, port: 0) != nil
    }
    // Not .local: anybody on the network answers for that. A name of one label, or under a domain that the public DNS never serves, can't be an attacker's.
    let isPrivate =
      !name.contains(".") || [".localhost", ".internal", ".test"].contains { name.hasSuffix($0) }
    return isPrivate || extraHosts.contains(name)
  }

  private func isSameOrigin(_ origin: String, host: String) -> Bool {
    origin.lowercased() == "http://\(host.lowercased())"
  }

  /// Without the port and a final dot, in lower case; nil for what is no `host[:port]` (RFC 9110 §7.2), which is nothing that
  /// an honest client sends.
  private static func name(of host: String) -> String? {
    let host = host.lowercased()
    let end = host.hasPrefix("[") ? host.firstIndex(of: "]").map(host.index(after:)) : host.firstIndex(of: ":")
    let name = host[..<(end ?? host.endIndex)]
    let port = host[name.endIndex...]
    guard port.isEmpty || (port.hasPrefix(":") && port.dropFirst().utf8.allSatisfy { (48...57).contains($0) }) else {
      return nil
    }
    if name.hasPrefix("[") { return String(name) }
    let isName = name.utf8.allSatisfy { byte in
      (48...57).contains(byte) || (97...122).contains(byte) || "-._".utf8.contains(byte)
    }
    guard isName, !name.isEmpty else { return nil }
    return String(name.hasSuffix(".") ? name.dropLast() : name)
  }
}
