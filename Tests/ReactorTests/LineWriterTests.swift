import CLibevent
import Testing

@testable import Reactor

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Lines into something that takes only so many.
@Suite struct LineWriterTests {
  /// Standard error under journald is a stream socket. Of a line that is longer than what is taken at once a part may have
  /// gone when there is no more room.
  @Test(.timeLimit(.minutes(1)), arguments: [true, false], [1_499, 10_000])
  func whatFindsNoRoomIsDroppedAndTheNextLineStandsAlone(isSocket: Bool, length: Int) {
    let line = String(repeating: "x", count: length) + "\n"
    var ends: [Int32] = [0, 0]
    if isSocket {
      #if canImport(Darwin)
        let stream = SOCK_STREAM
      #else
        let stream = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
      #endif
      #expect(socketpair(AF_UNIX, stream, 0, &ends) == 0)
    } else {
      ends = privatePipe()
    }
    let writer = LineWriter(descriptor: ends[1])
    var (taken, refused) = (0, 0)
    for _ in 0..<2_000 { if writer.write(line) { taken += 1 } else { refused += 1 } }
    #expect(taken > 2 && refused > 2)

    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    func read() { text += buffer[..<max(0, Self.read(ends[0], &buffer))] }
    // What was written is there, and nothing else comes meanwhile.
    while hasBytes(ends[0]) { read() }
    #expect(writer.write("after\n"))
    close(ends[1])
    while case let before = text.count, read() == (), text.count > before {}
    close(ends[0])
    let lines = String(decoding: text, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.suffix(2) == ["after", ""])
    #expect(lines.dropLast(2).count { $0.count == length } == taken)
    // One at most lacks its end: it was begun when there was room for a part of it.
    #expect(lines.dropLast(2).count { $0.count != length } <= 1)
  }

  private func hasBytes(_ descriptor: Int32) -> Bool {
    var ask = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&ask, 1, 0) == 1
  }

  private static func read(_ descriptor: Int32, _ buffer: inout [UInt8]) -> Int {
    #if canImport(Darwin)
      Darwin.read(descriptor, &buffer, buffer.count)
    #else
      Glibc.read(descriptor, &buffer, buffer.count)
    #endif
  }

  @Test func aClosedPipeIsToldAndNoMore() {
    let ends = privatePipe()
    close(ends[0])
    signal(SIGPIPE, SIG_IGN)
    let writer = LineWriter(descriptor: ends[1])
    #expect(!writer.write("x\n") && !writer.write("x\n"))
    close(ends[1])
    #expect(!writer.write("x\n"))
  }

  // MARK: journald

  @Test(arguments: [nil, "", ":", "1", "1:", ":1", "1:2:3", "x:y", "-1:-1", "99999999999999999999:1"] as [String?])
  func whatNamesNoFileNamesNone(_ name: String?) {
    #expect(!StandardError.isFile(named: name, STDERR_FILENO))
  }

  @Test func aFileIsKnownByDeviceAndInode() {
    let ends = privatePipe()
    var status = stat()
    #expect(fstat(ends[0], &status) == 0)
    #expect(StandardError.isFile(named: "\(status.st_dev):\(status.st_ino)", ends[0]))
    #expect(!StandardError.isFile(named: "\(status.st_dev):\(status.st_ino + 1)", ends[0]))
    #expect(!StandardError.isFile(named: "\(status.st_dev + 1):\(status.st_ino)", ends[0]))
    close(ends[0])
    close(ends[1])
    #expect(!StandardError.isFile(named: "\(status.st_dev):\(status.st_ino)", ends[0]))
  }
}
