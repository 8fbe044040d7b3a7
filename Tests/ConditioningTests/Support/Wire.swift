import Conditioning

/// Two fake peers and the two links of their session, under one clock.
final class Wire {
  let bench = Bench()
  let upstream: BenchLink
  let downstream: BenchLink

  /// Called with each segment that reaches a peer; it may answer with `send`.
  var onServer: (Segment) -> Void = { _ in }
  var onClient: (Segment) -> Void = { _ in }
  private var seenByServer = 0
  private var seenByClient = 0
  private var wakeUps: [WakeUp] = []

  private struct WakeUp {
    var time: Instant
    var action: () -> Void
  }

  init(upstream: [StagePlan], downstream: [StagePlan], seed: UInt64 = 1) {
    self.upstream = bench.addLink(upstream, seed: seed, direction: .upstream)
    self.downstream = bench.addLink(downstream, seed: seed, direction: .downstream)
  }

  var now: Instant { bench.now }

  func clientSends(_ count: Int, opens: Bool = false) {
    bench.send(count, opens: opens, to: upstream)
  }

  func serverSends(_ count: Int) {
    bench.send(count, to: downstream)
  }

  /// Runs `action` when `interval` has passed.
  func after(_ interval: Interval, _ action: @escaping () -> Void) {
    wakeUps.append(WakeUp(time: now + interval, action: action))
  }

  /// Delivers what has come out; else jumps to the next deadline or wake-up. False when nothing is left to do.
  func step() -> Bool {
    if deliver() { return true }
    guard let index = wakeUps.indices.min(by: { wakeUps[$0].time < wakeUps[$1].time }) else { return bench.step() }
    let time = wakeUps[index].time
    if bench.step(notAfter: time) { return true }
    bench.advance(to: time)
    wakeUps.remove(at: index).action()
    return true
  }

  private func deliver() -> Bool {
    let before = (seenByServer, seenByClient)
    while seenByServer < upstream.outputs.count {
      seenByServer += 1
      onServer(upstream.outputs[seenByServer - 1].segment)
    }
    while seenByClient < downstream.outputs.count {
      seenByClient += 1
      onClient(downstream.outputs[seenByClient - 1].segment)
    }
    return before != (seenByServer, seenByClient)
  }
}
