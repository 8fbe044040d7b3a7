import Reactor
import Settings

/// Talks to a running daemon.
struct ControlClient {
  static let defaultURL = "http://127.0.0.1:8474"

  let address: Endpoint
  private let port: UInt16

  /// - Parameter arguments: `--control` names the daemon, else the environment does.
  init(_ arguments: Arguments) throws(CommandError) {
    let text = arguments.value("--control") ?? Environment.url ?? ControlClient.defaultURL
    var rest = text[...]
    if rest.hasPrefix("http://") { rest = rest.dropFirst("http://".count) }
    if rest.hasSuffix("/") { rest = rest.dropLast() }
    do {
      let endpoint = try Endpoint(parsing: String(rest))
      address = Endpoint(host: endpoint.host.isEmpty ? "127.0.0.1" : endpoint.host, service: endpoint.service)
    } catch {
      throw arguments.usage("control address \"\(text)\": \(error.reason); allowed: http://HOST:PORT")
    }
    guard let port = address.port, port > 0 else {
      throw arguments.usage("control address \"\(text)\": no port; allowed: http://HOST:PORT")
    }
    self.port = port
  }

  /// The answer's JSON.
  func get(_ target: String) throws(CommandError) -> JSON { try send("GET", target) }

  @discardableResult
  func send(_ method: String, _ target: String, timeout: Duration = .seconds(5)) throws(CommandError) -> JSON {
    let body: [UInt8]
    switch exchange(method, target, timeout: timeout) {
    case .failure(let error):
      throw .failure(
        "no daemon at http://\(address): \(error); start one with `headwind serve`, or name it with --control")
    case .success(let response):
      body = response.body
    }
    let json = try failing { () throws(JSONError) in
      body.isEmpty ? .null : try JSONReader.read(body, dialect: .lenient)
    }
    if case .string(let message)? = json["error"] { throw .failure(message) }
    return json
  }

  func exchange(
    _ method: String, _ target: String, timeout: Duration
  ) -> Result<HTTPClientResponse, HTTPClientError> {
    var request = HTTPClientRequest(host: address.host, port: port)
    request.method = method
    request.target = target
    request.timeoutNanoseconds =
      timeout.components.seconds * 1_000_000_000 + timeout.components.attoseconds / 1_000_000_000
    return HTTPClient.send(request)
  }
}

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
