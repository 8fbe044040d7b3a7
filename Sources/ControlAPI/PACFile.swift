import Settings

/// A proxy auto-configuration file: JavaScript by which browsers and systems choose a proxy for each URL.
///
/// It says the rules again as far as they matter there: the first one that matches decides, and sends a host past the
/// proxies only where it says `direct`. What can't be told there goes to a proxy, which knows better.
enum PACFile {
  struct Listener {
    var mode: ProxyMode
    /// `host:port`
    var address: String
  }

  /// - Parameter listeners: in the order in which they are to be tried; at least one.
  static func text(_ listeners: [Listener], rules: [HostRule]) -> String {
    let ways = listeners.flatMap { listener in
      // Older systems know SOCKS without a number alone, which is version 4.
      listener.mode == .socks
        ? ["SOCKS5 \(listener.address)", "SOCKS \(listener.address)"] : ["PROXY \(listener.address)"]
    }
    return """
      // Made by headwind from its forward proxies and their rules; fetched anew, it is up to date.
      function FindProxyForURL(url, host) {
        var proxy = \(literal(ways.joined(separator: "; ")));
        host = host.toLowerCase().replace(/^\\[|\\]$/g, "").replace(/\\.$/, "");
        var isIPv6 = host.indexOf(":") >= 0;
        var isIPv4 = /^\\d+\\.\\d+\\.\\d+\\.\\d+$/.test(host);
        var parts = /^(\\w+):\\/\\/(?:[^\\/?#]*@)?(?:\\[[^\\]]*\\]|[^:\\/?#]*)(?::(\\d+))?/.exec(url) || [];
        var port = Number(parts[2] || { http: 80, ws: 80, https: 443, wss: 443, ftp: 21 }[parts[1]] || 0);
        if (host === "localhost" || shExpMatch(host, "*.localhost") || host === "::1") return "DIRECT";
        if (isIPv4 && isInNet(host, "127.0.0.0", "255.0.0.0")) return "DIRECT";

      """ + relevant(rules).map { "  " + statement($0) + "\n" }.joined() + "  return proxy;\n}\n"
  }

  /// Behind the last `direct` they all come to the same.
  private static func relevant(_ rules: [HostRule]) -> ArraySlice<HostRule> {
    rules[...(rules.lastIndex { $0.use == .direct } ?? -1)]
  }

  private static func statement(_ rule: HostRule) -> String {
    let port = rule.host.port.map { "port === \($0)" }
    guard let network = rule.host.network else { return choice([port, test(ofName: rule.host.hostText)], rule.use) }
    guard let (address, mask) = network.ipv4AddressAndMask else {
      // IPv6 has many spellings, and not all browsers have a function for it: the proxy decides for all of its addresses.
      return choice([port, "isIPv6"], .deny)
    }
    return choice([port, "isIPv4", "isInNet(host, \(literal(address)), \(literal(mask)))"], rule.use)
  }

  /// Nil where every name does.
  private static func test(ofName name: String) -> String? {
    if name == "*" { return nil }
    return name.contains("*") ? "shExpMatch(host, \(literal(name)))" : "host === \(literal(name))"
  }

  private static func choice(_ conditions: [String?], _ use: HostRule.Use) -> String {
    let tests = conditions.compactMap { $0 }
    let result = use == .direct ? "\"DIRECT\"" : "proxy"
    return (tests.isEmpty ? "" : "if (\(tests.joined(separator: " && "))) ") + "return \(result);"
  }

  /// Every string of JSON is one of JavaScript.
  private static func literal(_ text: String) -> String { JSON.string(text).text }

  /// The host of a `Host` header, with brackets where it is IPv6; nil where it is none that could stand in the file.
  static func host(ofHeader header: String) -> String? {
    let isBracketed = header.hasPrefix("[")
    let end = isBracketed ? header.firstIndex(of: "]").map { header.index(after: $0) } : header.firstIndex(of: ":")
    let host = header[..<(end ?? header.endIndex)]
    let isSound = host.utf8.allSatisfy { byte in
      let lower = byte | 0x20
      return (0x61...0x7A).contains(lower) || (0x30...0x39).contains(byte) || "-_.".utf8.contains(byte)
        || (isBracketed && "[]:".utf8.contains(byte))
    }
    return host.isEmpty || !isSound || (isBracketed && end == nil) ? nil : String(host)
  }
}
