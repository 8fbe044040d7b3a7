internal import CLibevent

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// An evbuffer that this code owns. evhttp's own buffers are used through the static functions.
struct HTTPBuffer: ~Copyable {
  let raw: OpaquePointer

  init(_ bytes: [UInt8]) {
    guard let raw = evbuffer_new() else { fatalError("evbuffer_new: out of memory") }
    self.raw = raw
    HTTPBuffer.append(bytes, to: raw)
  }

  deinit {
    evbuffer_free(raw)
  }

  static func append(_ bytes: [UInt8], to buffer: OpaquePointer) {
    if evbuffer_add(buffer, bytes, bytes.count) != 0 { fatalError("evbuffer_add: out of memory") }
  }

  /// Removes and returns everything.
  static func take(from buffer: OpaquePointer?) -> [UInt8] {
    guard let buffer else { return [] }
    let length = evbuffer_get_length(buffer)
    // The empty array that all share is not to be written to, not even its count.
    guard length > 0 else { return [] }
    return [UInt8](unsafeUninitializedCapacity: length) { bytes, count in
      count = max(0, Int(evbuffer_remove(buffer, bytes.baseAddress, bytes.count)))
    }
  }

  /// Up to `count` bytes from `offset` on, left where they are. Works on a frozen front too, unlike evbuffer_copyout_from.
  static func copy(_ count: Int, from offset: Int, of buffer: OpaquePointer) -> [UInt8] {
    var bytes: [UInt8] = []
    forEachPiece(from: offset, of: buffer) { bytes += $0.prefix(count - bytes.count) }
    return bytes
  }

  /// Hands out the bytes from `offset` on, piece by piece, without moving them.
  static func forEachPiece(from offset: Int, of buffer: OpaquePointer, _ body: (UnsafeRawBufferPointer) -> Void) {
    var position = evbuffer_ptr()
    guard evbuffer_ptr_set(buffer, &position, offset, EVBUFFER_PTR_SET) == 0 else { return }
    let count = evbuffer_peek(buffer, -1, &position, nil, 0)
    guard count > 0 else { return }
    withUnsafeTemporaryAllocation(of: iovec.self, capacity: Int(count)) { pieces in
      let filled = evbuffer_peek(buffer, -1, &position, pieces.baseAddress, count)
      for piece in pieces.prefix(Int(min(filled, count))) {
        body(UnsafeRawBufferPointer(start: piece.iov_base, count: Int(piece.iov_len)))
      }
    }
  }

  /// Replaces all of a bufferevent's unsent output. Its front is frozen while libevent doesn't write, to keep off others.
  static func replaceOutput(_ buffer: OpaquePointer, with bytes: [UInt8]) {
    evbuffer_unfreeze(buffer, 1)
    evbuffer_drain(buffer, evbuffer_get_length(buffer))
    evbuffer_freeze(buffer, 1)
    append(bytes, to: buffer)
  }
}

/// evhttp's list of header fields.
enum HTTPFieldList {
  static func read(_ list: UnsafeMutablePointer<evkeyvalq>?) -> HTTPHeaders {
    var headers = HTTPHeaders()
    var next = list?.pointee.tqh_first
    while let field = next {
      headers.append(String(cString: field.pointee.key), String(cString: field.pointee.value))
      next = field.pointee.next.tqe_next
    }
    return headers
  }

  static func append(_ name: String, _ value: String, to list: UnsafeMutablePointer<evkeyvalq>?) {
    let code = evhttp_add_header(list, name, singleLine(value))
    precondition(code == 0, "header name with a line break")
  }

  /// evhttp refuses line breaks and C stops at a zero; values may carry text from users, so controls become spaces.
  private static func singleLine(_ value: String) -> String {
    guard value.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return value }
    return String(decoding: value.utf8.map { $0 < 0x20 || $0 == 0x7F ? 0x20 : $0 }, as: UTF8.self)
  }
}
