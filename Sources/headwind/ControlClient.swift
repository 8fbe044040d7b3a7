import Reactor
import Settings

/// Talks to a running daemon.
struct ControlClient {
  static let defaultURL = "http://127.0.0.1:8474"

  /// `http://HOST:PORT` or `unix:PATH`, as messages and other commands have it.
  let url: String
  /// The token file that the command line names, for commands that this one starts.
  let tokenFile: String?
  private let host: String
  private let port: UInt16
  private let unixPath: String?
  private let token: AccessToken?
  private let asksForJSON: Bool

  /// - Parameter arguments: `--control` names the daemon and `--token-file` its token, else the environment does.
  init(_ arguments: Arguments) throws(CommandError) {
    let text = arguments.value("--control") ?? Environment.url ?? ControlClient.defaultURL
    let source = arguments.has("--control") || Environment.url == nil ? "control address" : "$HEADWIND_URL"
    switch try ControlClient.address(text, from: source, arguments) {
    case .unix(let path):
      (host, port, unixPath) = ("localhost", 80, TokenFile.absolute(path))
      url = "unix:\(TokenFile.absolute(path))"
    case .tcp(var endpoint):
      if endpoint.host.isEmpty { endpoint.host = "127.0.0.1" }
      guard let port = endpoint.port, port > 0 else {
        throw arguments.usage(
          "\(source) \"\(text.withoutAddressSecrets)\": no port; allowed: \(ControlClient.allowed)")
      }
      (host, self.port, unixPath) = (endpoint.host, port, nil)
      url = "http://\(endpoint)"
    }
    tokenFile = arguments.value("--token-file").map(TokenFile.absolute)
    token = try ControlClient.token(tokenFile)
    asksForJSON = arguments.has("--json")
  }

  private static let allowed = "http://HOST:PORT or unix:PATH"

  private static func address(
    _ text: String, from source: String, _ arguments: Arguments
  ) throws(CommandError) -> ControlAddress {
    var rest = text[...]
    if rest.hasPrefix("http://") {
      rest = rest.dropFirst("http://".count)
      if rest.hasSuffix("/") { rest = rest.dropLast() }
    }
    guard !rest.hasPrefix("https://") else {
      throw arguments.usage(
        "\(source) \"\(text.withoutAddressSecrets)\": the control API speaks http, without TLS; allowed: \(allowed)"
      )
    }
    do throws(EndpointError) {
      return try ControlAddress(parsing: String(rest))
    } catch {
      throw arguments.usage(
        "\(source) \"\(text.withoutAddressSecrets)\": \(error.reason); allowed: \(allowed)")
    }
  }

  private static func token(_ given: String?) throws(CommandError) -> AccessToken? {
    if let path = given ?? Environment.tokenFile { return try TokenFile.read(path) }
    guard let text = Environment.token else { return nil }
    do {
      return try AccessToken(text: text.utf8)
    } catch {
      throw .failure("HEADWIND_TOKEN \(error)")
    }
  }

  /// The answer's JSON.
  func get(
    _ target: String, about subject: String? = nil, wayOut: (String) -> String? = { _ in nil }
  ) throws(CommandError) -> JSON {
    try send("GET", target, about: subject, wayOut: wayOut)
  }

  /// - Parameters:
  ///   - subject: whose call it is, such as `proxy "web"`; a refusal names it.
  ///   - isQuiet: the caller tells what the daemon found odd in words of its own.
  ///   - wayOut: what to do about a refusal in these words; nil for one that says it.
  /// - Returns: the answer's JSON, null for an answer without a body.
  @discardableResult
  func send(
    _ method: String, _ target: String, body: JSON? = nil, about subject: String? = nil, isQuiet: Bool = false,
    wayOut: (String) -> String? = { _ in nil }
  ) throws(CommandError) -> JSON {
    let timeout = Duration.seconds(10)
    let outcome = exchange(method, target, body: body, timeout: timeout)
    return try read(outcome, timeout: timeout, about: subject, isQuiet: isQuiet, wayOut: wayOut)
  }

  /// What came of an exchange as JSON, or the reason why nothing did.
  func read(
    _ outcome: Result<HTTPClientResponse, HTTPClientError>, timeout: Duration, about subject: String? = nil,
    isQuiet: Bool = false, wayOut: (String) -> String? = { _ in nil }
  ) throws(CommandError) -> JSON {
    switch outcome {
    case .failure(.timedOut):
      throw .failure("no answer from \(url) within \(timeout)")
    case .failure(let error) where "\(error)".lowercased().hasSuffix("permission denied"):
      throw .failure("\(url): \(error); the socket is another user's")
    case .failure(let error):
      throw .failure(
        "no daemon at \(url): \(error); start one with `headwind serve`, or name it with --control")
    case .success(let response):
      let json = try read(response)
      guard response.status < 400 else { throw refusal(response, json, subject, wayOut) }
      if !isQuiet { showWarnings(of: response) }
      return json
    }
  }

  private func read(_ response: HTTPClientResponse) throws(CommandError) -> JSON {
    guard !response.body.isEmpty else { return .null }
    do {
      return try JSONReader.read(response.body, dialect: .lenient)
    } catch {
      throw .failure("\(url) doesn't answer like a daemon (status \(response.status), no JSON)")
    }
  }

  private func refusal(
    _ response: HTTPClientResponse, _ json: JSON, _ subject: String?, _ wayOut: (String) -> String?
  ) -> CommandError {
    var message = json["error"]?.string ?? "status \(response.status)"
    // What the body is made of is not the user's business.
    for prefix in ["bad request body: ", "request body: "] where message.hasPrefix(prefix) {
      message.removeFirst(prefix.count)
    }
    let hint = wayOut(message).map { "; \($0)" } ?? ""
    return .failure((subject.map { "\($0): " } ?? "") + message.printable + hint)
  }

  /// What the daemon found odd but let pass (RFC 9111 §5.5): `299 headwind "unknown key …"`.
  private func showWarnings(of response: HTTPClientResponse) {
    for warning in response.headers.all("Warning") {
      let parts = warning.split(separator: "\"", omittingEmptySubsequences: false)
      warn(parts.count >= 3 ? parts[1...parts.count - 2].joined(separator: "\"") : warning)
    }
  }

  /// Tells on standard error what is no failure, but perhaps not what was meant.
  func warn(_ text: String) {
    StandardError.write(
      asksForJSON ? JSON.object([("warning", .string(text))]).text + "\n" : "headwind: warning: \(text.printable)\n")
  }

  func exchange(
    _ method: String, _ target: String, body: JSON? = nil, timeout: Duration
  ) -> Result<HTTPClientResponse, HTTPClientError> {
    HTTPClient.send(request(method, target, body: body, timeout: timeout))
  }

  func request(_ method: String, _ target: String, body: JSON? = nil, timeout: Duration) -> HTTPClientRequest {
    var request = HTTPClientRequest(host: host, port: port)
    request.method = method
    request.target = target
    request.unixPath = unixPath
    if unixPath != nil { request.headers.append("Host", host) }
    if let token { request.headers.append("Authorization", token.authorization) }
    if let body {
      request.headers.append("Content-Type", "application/json")
      request.body = Array(body.text.utf8)
    }
    request.timeoutNanoseconds =
      timeout.components.seconds * 1_000_000_000 + timeout.components.attoseconds / 1_000_000_000
    return request
  }
}

/// A name as it stands in a message.
func quoted(_ name: String) -> String { "\"\(name.printable)\"" }

/// A name as one segment of a path (RFC 3986 §3.3; everything but unreserved characters is encoded).
func percentEncoded(_ name: String) -> String {
  name.utf8.map { byte in
    let scalar = Unicode.Scalar(byte)
    let isPlain =
      byte < 0x80 && (scalar.properties.isAlphabetic || (0x30...0x39).contains(byte) || "-._~".utf8.contains(byte))
    let digits = String(byte, radix: 16, uppercase: true)
    return isPlain ? String(Character(scalar)) : "%" + (byte < 16 ? "0" : "") + digits
  }.joined()
}
