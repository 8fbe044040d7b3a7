import Foundation
import Synchronization

/// Answers as a daemon with leases does, notes what it was asked, and can behave badly.
final class ControlStub: Sendable {
  struct Request: Equatable {
    let line: String
    let body: String
  }

  private let handler: Handler
  private let server = Mutex<Upstream?>(nil)
  let address: Address

  /// - Parameters:
  ///   - answers: bodies by path, besides the calls about leases.
  ///   - lease: the answer to the call for one.
  init(_ answers: [String: String], lease: (Int, String) = (201, #"{"id":"L1"}"#), renewal: Int = 200) throws {
    let handler = Handler(answers: answers, lease: lease, renewal: renewal)
    let upstream = try Upstream { connection in
      guard let request = try ControlStub.read(connection) else { return }
      handler.note(request)
      try connection.send(handler.answer(to: request))
      connection.finish()
    }
    address = upstream.address
    self.handler = handler
    server.withLock { $0 = upstream }
  }

  var url: String { "http://\(address)" }
  var asked: [Request] { handler.requests.withLock { $0 } }
  func count(_ line: String) -> Int { asked.count { $0.line == line } }

  /// Nothing listens there any more.
  func stop() { server.withLock { $0 = nil } }

  private final class Handler: Sendable {
    let requests = Mutex<[Request]>([])
    let answers: [String: String]
    let lease: (Int, String)
    let renewal: Int

    init(answers: [String: String], lease: (Int, String), renewal: Int) {
      (self.answers, self.lease, self.renewal) = (answers, lease, renewal)
    }

    func note(_ request: Request) { requests.withLock { $0.append(request) } }

    func answer(to request: Request) -> String {
      let (status, body) =
        switch request.line {
        case "POST /leases": lease
        case "POST /leases/L1/renew": (renewal, renewal == 200 ? #"{"id":"L1"}"# : #"{"error":"lease ended"}"#)
        case "DELETE /leases/L1": (204, "")
        default: answers[request.line].map { (200, $0) } ?? (404, #"{"error":"not there"}"#)
        }
      return "HTTP/1.1 \(status) -\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
    }
  }

  private static func read(_ connection: Connection) throws -> Request? {
    var bytes: [UInt8] = []
    while true {
      let text = String(decoding: bytes, as: UTF8.self)
      if let end = text.range(of: "\r\n\r\n") {
        let length = text.firstMatch(of: /Content-Length: ([0-9]+)/.ignoresCase()).flatMap { Int($0.1) } ?? 0
        let body = String(text[end.upperBound...])
        let line = text.prefix { $0 != "\r\n" }.split(separator: " ").prefix(2).joined(separator: " ")
        if body.utf8.count >= length {
          return Request(line: line.components(separatedBy: "?")[0], body: body)
        }
      }
      guard case .bytes(let more) = try connection.receive() else { return nil }
      bytes += more
    }
  }
}
