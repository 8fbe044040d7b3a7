import LoopTesting
import Testing

@testable import Reactor

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Signals belong to the whole process, so these run in processes of their own.
@Suite struct SignalTests {
  @Test func signalsArriveOnTheLoop() async {
    await #expect(processExitsWith: .success) {
      let loop = try EventLoop()
      var seen: [Int32] = []
      let sources = try [SIGTERM, SIGHUP].map { number in
        try SignalSource(loop: loop, signal: number) { seen.append(number) }
      }
      kill(getpid(), SIGTERM)
      try loop.runUntil { seen == [SIGTERM] }
      kill(getpid(), SIGHUP)
      try loop.runUntil { seen == [SIGTERM, SIGHUP] }
      kill(getpid(), SIGTERM)
      try loop.runUntil { seen == [SIGTERM, SIGHUP, SIGTERM] }
      #expect(sources.count == 2)
    }
  }

  @Test func aDroppedSourceLeavesTheSignalAsItWas() async {
    await #expect(processExitsWith: .signal(SIGTERM)) {
      let loop = try EventLoop()
      var source: SignalSource? = try SignalSource(loop: loop, signal: SIGTERM) {}
      loop.run(forMilliseconds: 1)
      #expect(source != nil)
      source = nil
      kill(getpid(), SIGTERM)
    }
  }

  @Test func aBrokenPipeEndsNothing() async {
    await #expect(processExitsWith: .success) {
      ignoreBrokenPipes()
      let ends = try SystemCall.pipe()
      close(ends.read)
      var byte: UInt8 = 1
      #expect(write(ends.write, &byte, 1) == -1)
      #expect(errno == EPIPE)
    }
  }
}
