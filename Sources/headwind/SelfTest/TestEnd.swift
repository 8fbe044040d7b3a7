import Conditioning
import Reactor

/// One end of a test's connection: reads all that comes, writes as much as it is told to.
final class TestEnd: StreamSocketDelegate {
  private static let filler = [UInt8](repeating: UInt8(ascii: "x"), count: 64 << 10)
  private static let numberBytes = 8

  let socket: StreamSocket
  let sends: Direction
  /// The client's, which its first bytes say.
  var number: Int?
  private unowned let network: MeasuredNetwork
  private var isConnected: Bool
  private var waitingBytes = 0
  private var introduction: [UInt8] = []
  /// What the server has read of the client's.
  private var introduced: [UInt8] = []

  init(_ socket: StreamSocket, sends: Direction, number: Int?, network: MeasuredNetwork) {
    self.socket = socket
    self.sends = sends
    self.number = number
    self.network = network
    isConnected = sends == .downstream
    if let number { introduction = TestEnd.bytes(of: number) }
    socket.delegate = self
  }

  private static func bytes(of number: Int) -> [UInt8] {
    (0..<numberBytes).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  func send(_ bytes: Int) {
    waitingBytes = bytes == .max ? .max : waitingBytes + bytes
    write()
  }

  func socketIsReady(_ socket: StreamSocket) {
    if !isConnected {
      guard socket.isWritable else { return }
      guard socket.pendingError() == 0 else { return network.ended(self, socket.wasRefused ? .refused : .reset) }
      isConnected = true
    }
    read()
    write()
  }

  private func read() {
    while socket.isReadable {
      switch socket.read(upTo: ReadBuffer.capacity) {
      case .bytes(let count):
        if number == nil { learnNumber(count) }
        network.received(count, by: self)
      case .wouldBlock: return
      case .end: return network.ended(self, .closed)
      case .failed: return network.ended(self, .reset)
      }
    }
  }

  private func learnNumber(_ count: Int) {
    introduced += network.loop.readBuffer.copy(0..<min(count, TestEnd.numberBytes - introduced.count))
    guard introduced.count == TestEnd.numberBytes else { return }
    let number = introduced.enumerated().reduce(0) { $0 | Int($1.element) << (8 * $1.offset) }
    self.number = number
    network.introduce(self, as: number)
  }

  private func write() {
    while isConnected, socket.isOpen, socket.isWritable, waitingBytes > 0 {
      let (bytes, start) = nextPiece
      guard case .wrote(let count) = socket.write(bytes, from: start) else { return }
      introduction.removeFirst(min(count, introduction.count))
      if waitingBytes != .max { waitingBytes -= count }
    }
  }

  /// Bytes to write, from an index on.
  private var nextPiece: (bytes: [UInt8], start: Int) {
    let filler = TestEnd.filler
    guard introduction.isEmpty else { return (Array((introduction + filler).prefix(waitingBytes)), 0) }
    return (filler, filler.count - min(filler.count, waitingBytes))
  }
}
