import Settings

// The token: who is asked for it, and what is said without it (RFC 6750).
extension Gatekeeper {
  /// Probes of service managers and load balancers have no token, and learn no more than whether the daemon is up.
  private static let openPaths: Set<String> = ["/healthz", "/readyz"]

  /// What a browser or system fetches to find its proxies, with no way to send a token. Without one it is told where they are,
  /// and nothing of the rules (``API/pacFile(_:)``).
  private static let halfOpenPath = "/proxy.pac"

  /// Whether the request shows the token, or there is none.
  func isTrusted(_ request: APIRequest) -> Bool {
    guard let token else { return true }
    let values = request.all("Authorization")
    guard values.count == 1, let candidate = AccessToken.candidate(in: values[0]) else { return false }
    return token.matches(candidate)
  }

  /// Nil where the request is trusted, or needn't be.
  func tokenRefusal(of request: APIRequest) -> APIError? {
    guard !request.isTrusted else { return nil }
    let isReading = ["GET", "HEAD"].contains(request.method)
    let hasTried = request.header("Authorization") != nil
    if isReading, Gatekeeper.openPaths.contains(String(request.path)) { return nil }
    if isReading, request.path == Gatekeeper.halfOpenPath, !hasTried { return nil }
    var error = APIError(
      401,
      hasTried
        ? "this is not the daemon's token"
        : "the daemon asks for a token: Authorization: Bearer …; headwind's commands take it from --token-file, "
          + "$HEADWIND_TOKEN_FILE or $HEADWIND_TOKEN")
    error.headers["WWW-Authenticate"] = hasTried ? "Bearer error=\"invalid_token\"" : "Bearer"
    return error
  }
}
