import CLibevent
import Testing

@testable import Reactor

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite struct StandardStreamsTests {
  /// A log in a pipe whose reader is stuck must not stop the daemon: without room the rest is dropped.
  @Test(.timeLimit(.minutes(1)))
  func aPipeThatNobodyReadsHoldsUpNobody() {
    let ends = privatePipe()
    let line = String(repeating: "x", count: 999) + "\n"
    for _ in 0..<1_000 { writeAll(line, to: ends[1], waits: false) }
    writeAll(String(repeating: "y", count: 1_000_000), to: ends[1], waits: false)
    var buffer = [UInt8](repeating: 0, count: 8_192)
    let count = read(ends[0], &buffer, buffer.count)
    // What there was room for did go in.
    #expect(count > 1_000 && buffer[0] == UInt8(ascii: "x"))
    // With room again, the next line does too.
    writeAll("z\n", to: ends[1], waits: false)
    close(ends[1])
    var last: UInt8 = 0
    while case let count = read(ends[0], &buffer, buffer.count), count > 0 { last = buffer[count - 2] }
    #expect(last == UInt8(ascii: "z"))
    close(ends[0])
  }
}
