import Conditioning

/// Three links under two shared rates: toxics come, change and go while bytes are on their way, peers read late, deadlines
/// are served late. Then all is taken away and everything has to come out, but for links that had a toxic that loses bytes.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: bytes, count: count))
  let (first, second) = (PipelineRun(input), PipelineRun(input))
  first.run()
  second.run()
  for (index, link) in first.links.enumerated() {
    let isWhole = LinkOracle.check(link)
    guard isWhole || first.isLossy[index] else {
      fatalError("\(link.receivedBytes) of \(link.sentBytes) bytes came out: \(link.table.suffix(5))")
    }
    // The same seed, and the same happens.
    let twin = second.links[index]
    guard link.outputs == twin.outputs, link.takeDecisions() == twin.takeDecisions() else { fatalError("not the same") }
  }
  return 0
}

private final class PipelineRun {
  private static let operations = 400

  let bench = Bench()
  private var program: Program
  private let rates: [SharedRate]
  let links: [BenchLink]
  private var hasEnded = [false, false, false]
  /// Whether the link has had a toxic that may end it.
  private(set) var isLossy = [false, false, false]

  init(_ input: [UInt8]) {
    program = Program(input)
    bench.lateness = program.byte() & 3 == 0 ? .milliseconds(1) : .zero
    rates = [bench.addPath(200_000), bench.addPath(30_000)]
    let bench = bench
    links = (0..<3).map { bench.addLink([], seed: 1, session: $0, direction: $0 == 2 ? .downstream : .upstream) }
  }

  func run() {
    var operations = 0
    while !program.isOver, operations < Self.operations {
      operations += 1
      act()
    }
    for index in links.indices { end(index) }
    bench.advance(by: .milliseconds(20))
    for rate in rates { bench.setRate(100_000_000, of: rate) }
    for link in links { bench.change(link, to: [.latency(10), .path(rates[0])]) }
    bench.advance(by: .milliseconds(20))
    for link in links { bench.change(link, to: []) }
    bench.settle()
  }

  private func act() {
    let operation = program.byte()
    let index = Int(operation >> 4) % links.count
    let link = links[index]
    switch operation & 15 {
    case 0...2: bench.change(link, to: plan(index))
    case 3: bench.setRate(program.choice(5) == 0 ? nil : Int64(program.length(upTo: 300_000)) - 1, of: rate())
    case 4...6: send(program.length(upTo: 20_000), opens: operation & 4 != 0, index)
    case 7...8: send(min(link.allowance, program.length(upTo: 300_000)), opens: false, index)
    case 9: end(index)
    case 10: bench.jump(to: bench.now + .microseconds(Double(program.length(upTo: 3_000_000))))
    case 11: bench.change(link, to: [])
    default: bench.advance(by: .microseconds(Double(program.length(upTo: 200_000))))
    }
    check(link)
  }

  private func send(_ count: Int, opens: Bool, _ index: Int) {
    guard count > 0, !hasEnded[index] else { return }
    bench.send(count, opens: opens, to: links[index])
  }

  private func end(_ index: Int) {
    guard !hasEnded[index] else { return }
    hasEnded[index] = true
    bench.send(.end, to: links[index])
  }

  private func check(_ link: BenchLink) {
    if let deliverable = link.deliverableBytes {
      guard (0...link.heldBytes).contains(deliverable) else { fatalError("\(deliverable) of \(link.heldBytes) held") }
    }
    guard link.receivedBytes <= link.sentBytes else { fatalError("\(link.receivedBytes) of \(link.sentBytes)") }
    guard !link.isTransparent || link.heldBytes == 0 || link.deliverableBytes != nil || link.hasClosed else {
      fatalError("transparent, and it holds \(link.heldBytes)")
    }
  }

  private func rate() -> SharedRate { rates[program.choice(2)] }

  private func plan(_ index: Int) -> [StagePlan] {
    var plan: [StagePlan] = []
    for _ in 0..<program.choice(6) {
      var stage = stage(index)
      let manner = program.byte()
      if manner & 7 == 1 { stage.toxicity = program.share() }
      if manner & 7 == 2 { stage = stage.triggered(bytes: Int64(program.length(upTo: 30_000))) }
      if manner & 7 == 3 { stage = stage.triggered(milliseconds: Double(program.length(upTo: 500))) }
      if !plan.contains(where: { $0.name == stage.name }) { plan.append(stage) }
    }
    return plan
  }

  private func stage(_ index: Int) -> StagePlan {
    let kind = program.byte()
    switch kind % 20 {
    case 0: return .latency(Double(program.choice(80)), jitter: Double(program.choice(40)))
    case 1: return .latency(Double(program.choice(80)), name: "second latency")
    case 2: return .rate(Int64(program.length(upTo: 1_000_000)) - 1)
    case 3: return .rate(Int64(program.length(upTo: 1_000_000)), name: "latency")
    case 4, 5: return .path(rate())
    case 6: return .stall(.milliseconds(Double(program.length(upTo: 300))))
    case 7: return .stall(nil)
    case 8: return .noop()
    case 9: return .slowClose(Double(program.length(upTo: 300)))
    case 10, 11:
      return .slicer(
        Int64(program.length(upTo: 3_000)), variation: Int64(program.length(upTo: 300)),
        milliseconds: Double(program.choice(3)))
    case 12: return .limit(1 << 40)
    case 13: return .drop(0, per: .exchange)
    case 14: return .resetPeer(1e12)
    default: return losing(kind, index)
    }
  }

  private func losing(_ kind: UInt8, _ index: Int) -> StagePlan {
    isLossy[index] = true
    switch kind % 20 {
    case 15: return .limit(Int64(program.length(upTo: 100_000)) - 1, name: "limit")
    case 16: return .timeout(Double(program.choice(100)))
    case 17: return .resetPeer(Double(program.choice(100)), name: "reset")
    default:
      let how = [Drop.How.reset, .close, .hang][program.choice(3)]
      return .drop(program.share(), per: kind & 1 == 0 ? .exchange : .connection, how: how, name: "drop \(how)")
    }
  }
}

extension BenchLink {
  fileprivate var hasClosed: Bool {
    outputs.last.map { if case .bytes = $0.segment { false } else { true } } ?? false
  }
}
