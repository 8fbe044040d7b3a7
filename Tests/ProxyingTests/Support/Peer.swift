import Testing

@testable import Reactor

/// One end of a connection: sends what it is told, keeps what comes, and knows how it ended.
final class Peer: StreamSocketDelegate {
  let socket: StreamSocket
  private(set) var received: [UInt8] = []
  /// The other side sent FIN.
  private(set) var isEnded = false
  /// The errno that the connection died of: ECONNRESET for a reset.
  private(set) var failure: Int32?
  /// False: what comes stays in the kernel, and the sender feels it.
  var isReading: Bool { didSet { pump() } }
  var onBytes: ([UInt8]) -> Void = { _ in }
  var onEnd: () -> Void = {}

  private let loop: EventLoop
  private var unsent: [UInt8] = []
  private var sentCount = 0
  private var endsAfterSending = false

  init(_ socket: StreamSocket, loop: EventLoop, isReading: Bool = true) {
    self.socket = socket
    self.loop = loop
    self.isReading = isReading
    socket.delegate = self
  }

  convenience init(_ loop: EventLoop, to address: SocketAddress, isReading: Bool = true) throws {
    self.init(try StreamSocket(loop: loop, connectingTo: address), loop: loop, isReading: isReading)
  }

  var isOver: Bool { isEnded || failure != nil }
  var text: String { String(decoding: received, as: UTF8.self) }

  func send(_ bytes: [UInt8]) {
    unsent += bytes
    pump()
  }

  func send(_ text: String) { send(Array(text.utf8)) }

  /// FIN, when all is sent.
  func finish() {
    endsAfterSending = true
    pump()
  }

  func reset() { socket.reset() }

  func close() { socket.close() }

  func socketIsReady(_ socket: StreamSocket) {
    pump()
    guard failure == nil, socket.isOpen else { return }
    let code = socket.pendingError()
    if code != 0, !isReading || isEnded { failure = code }
  }

  private func pump() {
    read()
    write()
  }

  private func read() {
    while isReading, !isOver, socket.isReadable {
      switch socket.read(upTo: ReadBuffer.capacity) {
      case .bytes(let count):
        let bytes = loop.readBuffer.copy(0..<count)
        received += bytes
        onBytes(bytes)
      case .wouldBlock: return
      case .end:
        isEnded = true
        onEnd()
      case .failed(let code): failure = code
      }
    }
  }

  private func write() {
    while sentCount < unsent.count, socket.isWritable {
      switch socket.write(unsent, from: sentCount) {
      case .wrote(let count): sentCount += count
      case .wouldBlock: return
      case .failed(let code):
        failure = failure ?? code
        return
      }
    }
    if endsAfterSending, sentCount == unsent.count, socket.isWritable {
      endsAfterSending = false
      socket.shutdownWrite()
    }
  }
}

/// A server on a free port: keeps its connections, and does with each what `onAccept` says.
final class Upstream {
  private(set) var peers: [Peer] = []
  private let listener: Listener

  init(_ loop: EventLoop, onAccept: @escaping (Peer) -> Void = { _ in }) throws {
    let address = try #require(SocketAddress(literal: "127.0.0.1", port: 0))
    listener = try Listener(loop: loop, address: address)
    listener.onAccept = { [unowned self] (accepted: consuming AcceptedSocket) in
      guard let socket = try? StreamSocket(loop: loop, accepted: accepted) else { return }
      let peer = Peer(socket, loop: loop)
      peers.append(peer)
      onAccept(peer)
    }
  }

  /// Sends back what comes, and an end for an end.
  static func echo(_ loop: EventLoop) throws -> Upstream {
    try Upstream(loop) { peer in
      peer.onBytes = { [unowned peer] bytes in peer.send(bytes) }
      peer.onEnd = { [unowned peer] in peer.finish() }
    }
  }

  var address: String { listener.localAddress.description }
}
