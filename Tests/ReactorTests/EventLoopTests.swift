import Testing

@testable import Reactor

@Suite struct EventLoopTests {
  @Test func laterWorkRunsAfterTheCallbacksOfItsIteration() throws {
    let loop = try EventLoop()
    var order: [String] = []
    let first = LoopTimer(loop: loop) {
      order.append("first")
      loop.later {
        order.append("later")
        loop.later {
          order.append("later still")
          loop.stop()
        }
      }
    }
    let second = LoopTimer(loop: loop) { order.append("second") }
    first.arm(at: 0)
    second.arm(at: 0)
    loop.run()
    #expect(order == ["first", "second", "later", "later still"])
  }

  @Test func laterWorkQueuedBeforeTheEndIsDone() throws {
    let loop = try EventLoop()
    var done = false
    loop.later {
      loop.stop()
      loop.later { done = true }
    }
    loop.run()
    #expect(done)
  }

  @Test func runsAgainAfterStop() throws {
    let loop = try EventLoop()
    for _ in 0..<3 {
      let timer = LoopTimer(loop: loop) { loop.stop() }
      timer.arm(at: 0)
      loop.run()
    }
  }

  @Test func errorsNameTheCallAndTheReason() {
    #expect("\(LoopError(call: "bind", code: 98))" == "bind: Address already in use")
  }
}
