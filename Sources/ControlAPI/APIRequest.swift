/// A control request, apart from how it came.
package struct APIRequest: Sendable {
  package var method: String
  /// Path and query as sent, still percent-encoded.
  package var target: String
  package var headers: [(name: String, value: String)]
  package var body: [UInt8]
  /// HTTP/1.1 asks for a `Host` header (RFC 9112 §3.2), 1.0 doesn't.
  package var mustNameHost: Bool
  /// Whether it shows the daemon's token, or there is none.
  var isTrusted = true

  package init(
    method: String, target: String, headers: [(name: String, value: String)] = [], body: [UInt8] = [],
    mustNameHost: Bool = true
  ) {
    self.mustNameHost = mustNameHost
    self.method = method
    self.target = target
    self.headers = headers
    self.body = body
  }

  /// The value of the first header of that name, in any letter case.
  package func header(_ name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  /// The values of all headers of that name.
  func all(_ name: String) -> [String] {
    headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
  }

  /// A target in absolute form (`http://host/path`, as for a proxy) counts as its path (RFC 9112 §3.2.2).
  private var originForm: Substring {
    guard target.lowercased().hasPrefix("http://") else { return target[...] }
    let rest = target.dropFirst("http://".count)
    return rest.firstIndex { $0 == "/" || $0 == "?" }.map { rest[$0...] } ?? "/"
  }

  /// The authority of a target in absolute form, which counts before the header `Host` (RFC 9112 §3.2.2).
  var targetAuthority: Substring? {
    guard target.lowercased().hasPrefix("http://") else { return nil }
    return target.dropFirst("http://".count).prefix { !"/?".contains($0) }
  }

  var path: Substring { originForm.prefix { $0 != "?" } }

  /// - Throws: for the first query parameter that isn't known, so that a slip (`?fo=30s`) is no lasting surprise.
  func refuseUnknownQuery(_ known: [String]) throws(APIError) {
    guard let mark = target.firstIndex(of: "?") else { return }
    for pair in target[target.index(after: mark)...].split(separator: "&") {
      let name = String(pair.prefix { $0 != "=" })
      guard !known.contains(name) else { continue }
      let allowed = known.isEmpty ? "none here" : known.joined(separator: ", ")
      throw APIError(400, "unknown query parameter \"\(name.prefix(60))\"; allowed: \(allowed)")
    }
  }

  /// The value of a query parameter, decoded, or as sent where its escapes are broken; nil when absent.
  func query(_ name: String) -> String? {
    guard let mark = target.firstIndex(of: "?") else { return nil }
    for pair in target[target.index(after: mark)...].split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts[0] == name { return parts.count == 2 ? percentDecoded(parts[1]) ?? String(parts[1]) : "" }
    }
    return nil
  }
}

/// Nil when an escape is broken (`%zz`, a lone `%`). Invalid UTF-8 is replaced.
func percentDecoded(_ text: Substring) -> String? {
  var bytes: [UInt8] = []
  var rest = text.utf8[...]
  while let byte = rest.popFirst() {
    guard byte == UInt8(ascii: "%") else {
      bytes.append(byte)
      continue
    }
    let digits = String(Substring(rest.prefix(2)))
    guard digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit), let value = UInt8(digits, radix: 16) else {
      return nil
    }
    bytes.append(value)
    rest = rest.dropFirst(2)
  }
  return String(decoding: bytes, as: UTF8.self)
}
