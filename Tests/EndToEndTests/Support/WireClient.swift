import Foundation
import Testing

/// How a client library of toxiproxy looks from the wire.
///
/// The shapes were recorded: each library ran the examples of its README against a daemon, with a relay between them that
/// wrote down every segment.
protocol ClientShape: Sendable {
  /// False: each call has a connection of its own.
  static var keepsConnection: Bool { get }

  /// One request as the client sends it, a text for each of its segments.
  static func request(_ method: String, _ path: String, _ body: String?, host: String) -> [String]
}

extension ClientShape {
  static func head(_ method: String, _ path: String, _ fields: [String]) -> String {
    ([method + " " + path + " HTTP/1.1"] + fields).map { $0 + "\r\n" }.joined() + "\r\n"
  }
}

/// Makes calls in the shape of one client library, over real connections.
final class WireClient<Shape: ClientShape> {
  private let address: Address
  private var kept: Connection?

  init(_ daemon: Daemon, as shape: Shape.Type) { address = daemon.api.address }

  /// - Parameter path: with names that are encoded already.
  @discardableResult
  func call(_ method: String, _ path: String, _ body: String? = nil) throws -> API.Response {
    let connection = try kept ?? Connection(to: address)
    let response = try connection.exchange(Shape.request(method, path, body, host: address.description))
    // Every one of these clients gives up after some seconds, the quickest after five.
    #expect(response.time < Machine.promptly, "\(method) \(path)")
    if Shape.keepsConnection {
      #expect(response.header("Connection")?.lowercased() != "close", "\(method) \(path)")
      kept = connection
    } else {
      connection.close()
    }
    return response
  }
}

extension Connection {
  /// Sends the segments of one request apart, so that they come apart, and reads the answer.
  func exchange(_ segments: [String]) throws -> API.Response {
    let start = ContinuousClock.now
    for (index, segment) in segments.enumerated() {
      if index > 0 { pause(.milliseconds(2)) }
      try send(segment)
    }
    return try receiveResponse(since: start)
  }

  /// Reads one HTTP response up to the end that its framing says. More than that is an error: nothing else was asked for.
  func receiveResponse(since start: ContinuousClock.Instant = .now) throws -> API.Response {
    var bytes: [UInt8] = []
    let separator = Array("\r\n\r\n".utf8)
    while bytes.firstRange(of: separator) == nil { bytes += try more() }
    let head = try API.parse(bytes)
    let bodiless = head.status == 204 || (100...199).contains(head.status)
    if bodiless { try #require(head.header("Content-Length") == nil, "a \(head.status) with a length") }
    // The daemon always sends a length (toxiproxy sends chunks beyond 2048 bytes: clients cope with both).
    let length = bodiless ? 0 : try #require(head.header("Content-Length").flatMap { Int($0) }, "no length")
    var body = head.body
    while body.count < length { body += try more() }
    try #require(body.count == length, "bytes behind the body: \(String(decoding: body, as: UTF8.self))")
    return API.Response(status: head.status, headers: head.headers, body: body, time: .now - start)
  }

  private func more() throws -> [UInt8] {
    let received = try receive()
    guard case .bytes(let bytes) = received else { throw SocketError(call: "\(received) in a response", code: 0) }
    return bytes
  }
}

extension API.Response {
  /// The body, as strictly typed as a client with types of its own reads it.
  func decoded<T: Decodable>(as type: T.Type) throws -> T {
    try JSONDecoder().decode(type, from: Data(body))
  }

  var text: String { String(decoding: body, as: UTF8.self) }
}

/// One kind of toxic as a client makes it, and what the answer must show.
struct ToxicSample: Sendable, CustomTestStringConvertible {
  let type: String
  /// In the order of the contract.
  let attributes: KeyValuePairs<String, Int>

  var testDescription: String { type }

  var json: String { "{" + attributes.map { #""\#($0.key)":\#($0.value)"# }.joined(separator: ",") + "}" }

  /// The seven kinds that client libraries know.
  static let all = [
    ToxicSample(type: "latency", attributes: ["latency": 1000, "jitter": 100]),
    ToxicSample(type: "bandwidth", attributes: ["rate": 1000]),
    ToxicSample(type: "slow_close", attributes: ["delay": 1000]),
    ToxicSample(type: "timeout", attributes: ["timeout": 5000]),
    ToxicSample(type: "reset_peer", attributes: ["timeout": 1000]),
    ToxicSample(type: "slicer", attributes: ["average_size": 1000, "size_variation": 1000, "delay": 1000]),
    ToxicSample(type: "limit_data", attributes: ["bytes": 1000]),
  ]
}

extension Daemon {
  /// With a proxy "p" whose config entry has a toxic that clients of toxiproxy know, and two that they don't.
  static func withToxicsOfItsOwn(_ upstream: Address) throws -> Daemon {
    let config = #"""
      [{"name":"p","listen":"127.0.0.1:0","upstream":"\#(upstream)","toxics":[
        {"type":"stall","toxicity":0},
        {"type":"latency","name":"known","stream":"downstream","attributes":{"latency":1}},
        {"type":"drop","attributes":{"probability":0,"per":"connection"}}
      ]}]
      """#
    let directory = try TemporaryDirectory()
    return try Daemon([:], ["--config", try directory.write(config, to: "config.json")])
  }
}
