import LoopTesting
import Testing

@testable import Reactor

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What several reads in a row gather of a stream.
@Suite struct StreamReadTests {
  private let loop: EventLoop
  private let pair: SocketPair

  init() throws {
    loop = try EventLoop()
    pair = try SocketPair(loop: loop)
  }

  /// Has the client send `count` bytes, which have come when it returns.
  private func send(_ count: Int) throws {
    #expect(pair.client.write(Pattern.bytes(0..<count)) == .wrote(count))
    let server = pair.server.descriptor
    try loop.runUntil { SystemCall.unreadBytes(server) == count }
  }

  @Test func whatIsLittleIsHandedOnWithoutAnotherLook() throws {
    try send(100)
    #expect(pair.server.readStream(upTo: ReadBuffer.streamCapacity) == .bytes(100))
    #expect(pair.server.isReadable, "whether there is more wasn't asked")
    #expect(pair.server.readStream(upTo: ReadBuffer.streamCapacity) == .wouldBlock)
    #expect(!pair.server.isReadable)
  }

  @Test func whereMuchCameItIsReadUntilNothingIsLeft() throws {
    try send(40_000)
    #expect(pair.server.readStream(upTo: ReadBuffer.streamCapacity) == .bytes(40_000))
    #expect(!pair.server.isReadable, "that nothing is left was seen")
    #expect(loop.readBuffer.copy(0..<40_000) == Pattern.bytes(0..<40_000))
  }

  @Test func noMoreIsReadThanIsWanted() throws {
    try send(40_000)
    #expect(pair.server.readStream(upTo: 30_000) == .bytes(30_000))
    #expect(pair.server.isReadable)
    #expect(pair.server.readStream(upTo: 30_000) == .bytes(10_000))
    #expect(loop.readBuffer.copy(0..<10_000) == Pattern.bytes(30_000..<40_000))
  }

  @Test func anEndBehindBytesComesNext() throws {
    try send(40_000)
    pair.client.shutdownWrite()
    #expect(pair.server.readStream(upTo: ReadBuffer.streamCapacity) == .bytes(40_000))
    try loop.runUntil { pair.server.isReadable }
    #expect(pair.server.readStream(upTo: ReadBuffer.streamCapacity) == .end)
  }

  @Test func aResetBehindBytesComesNext() throws {
    try send(40_000)
    #expect(pair.server.pendingError() == 0)
    pair.client.reset()
    try loop.runUntil { pair.server.hasNews }
    #expect(pair.server.readStream(upTo: ReadBuffer.streamCapacity) == .bytes(40_000))
    #expect(pair.server.isReadable)
    #expect(pair.server.readStream(upTo: ReadBuffer.streamCapacity) == .failed(ECONNRESET))
  }

  /// Read bit by bit or much at once, by whatever limits: the same bytes in the same order. And more at once than one read
  /// takes, where the sender goes on while it is read.
  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func bytesAreTheSameHoweverTheyAreGathered(_ seed: UInt64) throws {
    var random = TestGenerator(seed: seed)
    let total = 12_000_000
    var (sent, received, most) = (0, 0, 0)
    while received < total {
      while pair.client.isWritable, sent < total {
        let count = min(Int.random(in: 1...200_000, using: &random), total - sent)
        if case .wrote(let written) = pair.client.write(Pattern.bytes(sent..<sent + count)) { sent += written }
      }
      try loop.runUntil { [pair] in pair.server.isReadable || pair.client.isWritable && sent < total }
      let limit = Bool.random(using: &random) ? ReadBuffer.streamCapacity : Int.random(in: 1...90_000, using: &random)
      guard case .bytes(let count) = pair.server.readStream(upTo: limit) else { continue }
      try #require(count <= limit)
      for start in stride(from: 0, to: count, by: 65_536) {
        let part = start..<min(start + 65_536, count)
        let expected = Pattern.bytes(received + part.lowerBound..<received + part.upperBound)
        let isSame = loop.readBuffer.copy(part) == expected
        try #require(isSame, "the bytes differ after \(received + start)")
      }
      received += count
      most = max(most, count)
    }
    #expect(most > ReadBuffer.capacity)
  }
}
