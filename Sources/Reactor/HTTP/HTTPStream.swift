internal import CLibevent

/// A reply whose body comes bit by bit, such as `text/event-stream`. No time limit applies: whoever sends watches
/// ``bufferedBytes`` and calls ``abort()`` on a client that doesn't keep up. Dropping it ends it.
package final class HTTPStream {
  /// Called once when the connection goes before ``end()``: the client left, or the server closed.
  package var onClose: (() -> Void)?

  private var connection: HTTPServerConnection?
  private let serial: UInt64

  init(_ connection: HTTPServerConnection?, serial: UInt64) {
    self.connection = connection
    self.serial = serial
  }

  deinit {
    end()
  }

  /// False once ended or closed; sending does nothing then.
  package var isOpen: Bool { request != nil }

  /// Bytes sent that the client's socket hasn't taken yet.
  package var bufferedBytes: Int { isOpen ? connection?.bufferedBytes ?? 0 : 0 }

  package func send(_ bytes: [UInt8]) {
    guard let request, let connection, !bytes.isEmpty else { return }
    let buffer = HTTPBuffer(bytes)
    connection.emit(thenEnter: .streaming) { evhttp_send_reply_chunk(request, buffer.raw) }
  }

  /// Ends the body. What is buffered is still delivered, within the write timeout.
  package func end() {
    guard let request, let connection else { return }
    self.connection = nil
    onClose = nil
    connection.emit(thenEnter: .writing) { evhttp_send_reply_end(request) }
  }

  /// Ends the connection at the end of this loop iteration; what is buffered is lost, and the client can tell.
  package func abort() {
    guard isOpen, let connection else { return }
    self.connection = nil
    onClose = nil
    connection.loop.later { connection.drop() }
  }

  func connectionClosed() {
    guard connection != nil else { return }
    connection = nil
    let onClose = onClose
    self.onClose = nil
    onClose?()
  }

  private var request: UnsafeMutablePointer<evhttp_request>? {
    guard let connection, connection.serial == serial, connection.phase == .streaming else { return nil }
    return connection.request
  }
}

@available(*, unavailable)
extension HTTPStream: Sendable {}
