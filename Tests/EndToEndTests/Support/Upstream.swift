import Foundation
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A server for the daemon to forward to; each connection is served on a thread of its own.
final class Upstream: Sendable {
  typealias Handler = @Sendable (Connection) throws -> Void

  let address: Address
  private let socket: ListeningSocket
  private let isStopped = Atomic(false)
  private let connections = Mutex<[Connection]>([])

  /// Connections so far; they stay counted when they have ended.
  var count: Int { connections.withLock { $0.count } }

  /// - Parameter handler: nil keeps the connections open and does nothing with them.
  init(host: String = "127.0.0.1", _ handler: Handler?) throws {
    socket = try ListeningSocket(host: host)
    address = socket.address
    let socket = socket
    Thread.detachNewThread { [weak self] in
      while self?.isStopped.load(ordering: .relaxed) == false {
        guard let connection = socket.accept(within: .milliseconds(50)) else { continue }
        self?.keep(connection)
        guard let handler else { continue }
        // A handler ends when its peer does, by an error as well as not: that is no finding.
        Thread.detachNewThread {
          try? handler(connection)
          connection.interrupt()
        }
      }
    }
  }

  deinit {
    isStopped.store(true, ordering: .relaxed)
    for connection in connections.withLock({ $0 }) { connection.interrupt() }
  }

  private func keep(_ connection: Connection) {
    connections.withLock { $0.append(connection) }
  }

  /// The newest connection.
  func accepted(within limit: Duration = .seconds(10)) throws -> Connection {
    guard eventually(within: limit, { count > 0 }), let newest = connections.withLock({ $0.last }) else {
      throw Overdue(what: "a connection at the upstream")
    }
    return newest
  }
}

extension Upstream {
  /// Sends back what comes.
  static func echo(host: String = "127.0.0.1") throws -> Upstream {
    try Upstream(host: host) { connection in
      while case .bytes(let bytes) = try connection.receive() { try connection.send(bytes) }
      connection.finish()
    }
  }

  /// Accepts, and leaves the connection to the test.
  static func silent() throws -> Upstream { try Upstream(nil) }

  /// Sends ``NumberedStream`` without end, whatever comes.
  static func flood() throws -> Upstream { try Upstream { try NumberedStream.flood($0) } }

  /// Answers each line with `size` bytes of ``NumberedStream``, counted from 0.
  static func answering(_ size: Int) throws -> Upstream {
    try Upstream { connection in
      while case .bytes = try connection.receive() { try connection.send(NumberedStream.bytes(0..<size)) }
    }
  }

  /// Reads to the end, then answers with the number of bytes that came.
  static func counting() throws -> Upstream {
    try Upstream { connection in
      try connection.send("\(connection.receiveToEnd().count)")
      connection.finish()
    }
  }
}

/// Numbered words of 8 bytes, so that a gap, a repetition or a wrong order shows.
///
/// The numbers start again after a period that is no multiple of any block or buffer size.
enum NumberedStream {
  private static let words = 1_000_003
  private static let table: [UInt8] = {
    let numbers = (0..<UInt64(words)).map(\.bigEndian)
    return numbers.withUnsafeBytes { Array($0) }
  }()

  static func bytes(_ range: Range<Int>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(range.count)
    var offset = range.lowerBound
    while offset < range.upperBound {
      let start = offset % table.count
      let count = min(table.count - start, range.upperBound - offset)
      bytes += table[start..<start + count]
      offset += count
    }
    return bytes
  }

  /// Sends without end; throws when the peer is gone.
  static func flood(_ connection: Connection, counting sent: Counter? = nil) throws {
    var offset = 0
    while true {
      let start = offset % table.count
      let count = try table.withUnsafeBytes { whole in
        try connection.sendSome(UnsafeRawBufferPointer(rebasing: whole[start..<min(start + 262_144, whole.count)]))
      }
      offset += count
      sent?.add(count)
    }
  }

  /// Follows the stream from its start.
  struct Checker {
    private(set) var offset = 0

    struct Gap: Error { let offset: Int }

    /// Reads on until `target` bytes were seen in all. Throws when something else comes, or less within 20 s of silence.
    mutating func read(_ connection: Connection, to target: Int) throws {
      while offset < target {
        let received = try connection.receive(upTo: 1 << 20)
        guard case .bytes(let bytes) = received else {
          throw SocketError(call: "\(received) at \(offset), before \(target)", code: 0)
        }
        guard bytes == NumberedStream.bytes(offset..<offset + bytes.count) else { throw Gap(offset: offset) }
        offset += bytes.count
      }
    }
  }
}

final class Counter: Sendable {
  private let count = Atomic(0)
  var value: Int { count.load(ordering: .relaxed) }
  func add(_ n: Int) { count.add(n, ordering: .relaxed) }
}
