import LoopTesting
import Testing

@testable import Reactor

import CLibevent

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The limit of descriptors is the whole process's, so these run in processes of their own.
@Suite struct ExhaustionTests {
  @Test func theSoftLimitRisesToTheHardOne() async {
    await #expect(processExitsWith: .success) {
      try Descriptors.setSoftLimit(100)
      let limit = try Descriptors.raiseLimit()
      #expect(limit > 100)
      #expect(try Descriptors.softLimit() == limit)
    }
  }

  @Test func acceptingBacksOffCountsAndResumes() async {
    await #expect(processExitsWith: .success) {
      let loop = try EventLoop()
      let listener = try Listener(loop: loop, address: .loopback())
      var accepted: [StreamSocket] = []
      listener.onAccept = { if let socket = try? StreamSocket(loop: loop, accepted: $0) { accepted.append(socket) } }
      let clients = try (0..<8).map { _ in try RawSocket(to: listener.localAddress) }
      let limit = try Descriptors.softLimit()
      let firstFree = dup(0)
      close(firstFree)
      try Descriptors.setSoftLimit(UInt64(firstFree) + 3)
      let start = loop.now
      try loop.runUntil { listener.exhaustions >= 4 }
      #expect(accepted.count < clients.count)
      // At least 10 ms lie before each new attempt; without them there would be thousands. They double only as long as
      // nothing succeeds, and a thread of the test library may give back a descriptor in between.
      #expect(loop.now - start >= Int64(listener.exhaustions - 1) * 10_000_000)
      try Descriptors.setSoftLimit(limit)
      try loop.runUntil { accepted.count == clients.count }
    }
  }
}
