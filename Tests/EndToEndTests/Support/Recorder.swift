import Synchronization
import Testing

/// Stands in for a daemon: notes what it is asked, and answers each call the same.
final class Recorder: Sendable {
  struct Call: Equatable {
    let method: String
    let target: String
    let contentType: String?
    let body: JSONValue
  }

  private let upstream: Upstream
  private let noted: NotedCalls

  /// - Parameters:
  ///   - answer: the body of each answer.
  ///   - headers: of each answer, with their line ends.
  init(_ answer: String = "{}", status: Int = 200, headers: String = "") throws {
    let noted = NotedCalls()
    self.noted = noted
    upstream = try Upstream { connection in
      try noted.add(Recorder.readCall(connection))
      try connection.send(
        "HTTP/1.1 \(status) X\r\nContent-Length: \(answer.utf8.count)\r\nConnection: close\r\n\(headers)\r\n\(answer)")
      connection.finish()
    }
  }

  var url: String { "http://\(upstream.address)" }
  var calls: [Call] { noted.all }

  private static func readCall(_ connection: Connection) throws -> Call {
    var bytes: [UInt8] = []
    let end = Array("\r\n\r\n".utf8)
    while bytes.firstRange(of: end) == nil { bytes += try connection.receive(exactly: 1) }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n").map(String.init)
    func header(_ name: String) -> String? {
      lines.first { $0.lowercased().hasPrefix(name + ":") }.map {
        String($0.dropFirst(name.count + 1).drop { $0 == " " })
      }
    }
    let body = try connection.receive(exactly: header("content-length").flatMap { Int($0) } ?? 0)
    let words = lines[0].split(separator: " ").map(String.init)
    return Call(
      method: words[0], target: words[1], contentType: header("content-type"),
      body: body.isEmpty ? .null : try JSONValue(body))
  }
}

private final class NotedCalls: Sendable {
  private let calls = Mutex<[Recorder.Call]>([])
  var all: [Recorder.Call] { calls.withLock { $0 } }
  func add(_ call: Recorder.Call) { calls.withLock { $0.append(call) } }
}
