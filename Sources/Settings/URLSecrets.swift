// Messages quote what they refuse. Where an address belongs people put URLs, and in these there may be secrets.
extension String {
  /// Of a URL in the text, what stands before an `@` (a user and a password) and behind a `?` is left out. Up to the last
  /// `@` anything may be part of a password.
  package var withoutURLSecrets: String {
    guard let start = firstRange(of: "://")?.upperBound else { return self }
    let rest = String(self[start...]).withoutUserInfo
    guard let mark = rest.firstIndex(of: "?") else { return self[..<start] + rest }
    return self[..<start] + rest[...mark] + "…"
  }

  /// Likewise of text that is an address or a URL, with a scheme or without one.
  package var withoutAddressSecrets: String {
    if hasPrefix("unix:") { return self }
    return contains("://") ? withoutURLSecrets : withoutUserInfo
  }

  private var withoutUserInfo: String {
    lastIndex(of: "@").map { "…" + self[$0...] } ?? self
  }
}
