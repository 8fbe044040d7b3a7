@testable import Conditioning

/// A channel the slow way, as an oracle: packets wait in a list, and time passes from one event to the next. When a packet
/// arrives is decided when it leaves, so that a change needs no rule.
struct NaiveChannel {
  fileprivate struct Item {
    var connection: Int32
    var number: Int
    var luck: Double
    var isLost: Bool
    /// What is still to be sent, in billionths of a byte.
    var work: Int128
    var due = Instant.distantFuture
  }

  private(set) var parameters: ChannelParameters
  private var waiting: [Item] = []
  private var flying: [Item] = []
  /// They fly, too, but have left another channel.
  private var strays: [Item] = []
  private var lastDue = Instant.distantPast
  private var traceBegan = Instant.zero
  private var nextOpportunity = 0
  private var dice: SeededGenerator
  private var isBad = false
  private(set) var now = Instant.zero
  private(set) var arrived: [Arrival] = []
  private(set) var counters = ChannelCounters()

  init(_ parameters: ChannelParameters, seed: UInt64 = 1) {
    self.parameters = parameters
    dice = SeededGenerator(seed: seed, "channel")
  }

  var isIdle: Bool { waiting.isEmpty && flying.isEmpty && strays.isEmpty }

  mutating func send(_ size: Int, of connection: Int32, at time: Instant, dice own: inout SeededGenerator) {
    advance(to: time)
    counters.packets += 1
    let work = Int128(size) * 1_000_000_000
    if let limit = parameters.queueBytes, parameters.capacity != .unlimited {
      let queued = waiting.reduce(Int128(0)) { $0 + $1.work } + work
      if queued > Int128(limit) * 1_000_000_000 {
        counters.dropped += 1
        return
      }
    }
    let isLost = draw(&own)
    if isLost { counters.lost += 1 }
    var luck = 0.0
    if !isLost, parameters.jitter > .zero {
      luck = Double(Float(parameters.jitterDistribution == .uniform ? own.symmetric() : own.normal()))
    }
    waiting.append(Item(connection: connection, number: size, luck: luck, isLost: isLost, work: work))
    advance(to: now)
  }

  private mutating func draw(_ own: inout SeededGenerator) -> Bool {
    switch parameters.loss {
    case .none: return false
    case .random(let share): return own.unit() < share
    case .bursts(let chain):
      if dice.unit() < (isBad ? chain.badToGood : chain.goodToBad) { isBad = !isBad }
      return dice.unit() < (isBad ? chain.lossInBad : chain.lossInGood)
    }
  }

  mutating func change(to parameters: ChannelParameters, at time: Instant) {
    advance(to: time)
    if case .trace = parameters.capacity {
      if parameters.capacity != self.parameters.capacity { (traceBegan, nextOpportunity) = (now, 0) }
      // A trace knows whole bytes.
      if let first = waiting.first { waiting[0].work = (first.work + 999_999_999) / 1_000_000_000 * 1_000_000_000 }
    }
    if case .bursts = parameters.loss {} else { isBad = false }
    self.parameters = parameters
    advance(to: now)
  }

  /// What a connection takes along to another channel.
  struct Baggage {
    fileprivate var flying: [Item]
    fileprivate var waiting: [Item]
  }

  mutating func take(_ connection: Int32, at time: Instant) -> Baggage {
    advance(to: time)
    func isIts(_ item: Item) -> Bool { item.connection == connection && !item.isLost }
    let baggage = Baggage(flying: (strays + flying).filter(isIts), waiting: waiting.filter(isIts))
    strays.removeAll(where: isIts)
    flying.removeAll(where: isIts)
    waiting.removeAll(where: isIts)
    lastDue = flying.last?.due ?? .distantPast
    return baggage
  }

  mutating func adopt(_ baggage: Baggage, at time: Instant) {
    advance(to: time)
    strays += baggage.flying
    for var item in baggage.waiting {
      item.work = Int128(item.number) * 1_000_000_000
      waiting.append(item)
    }
    advance(to: now)
  }

  /// Lets everything happen up to `time`.
  mutating func advance(to time: Instant) {
    switch parameters.capacity {
    case .unlimited: while !waiting.isEmpty { depart(at: now) }
    case .rate(let rate): transmit(until: time, Int128(rate))
    case .trace(let trace): useOpportunities(of: trace, until: time)
    }
    now = max(now, time)
    let due = (strays + flying).filter { $0.due <= now }.sorted { $0.due < $1.due }
    arrived += due.map { Arrival(connection: $0.connection, number: $0.number, time: $0.due) }
    strays.removeAll { $0.due <= now }
    flying.removeAll { $0.due <= now }
  }

  private mutating func depart(at time: Instant) {
    let item = waiting.removeFirst()
    if item.isLost { return }
    let jitter = Interval(rounding: Double(parameters.jitter.nanoseconds) * item.luck)
    lastDue = max(lastDue, time + max(.zero, parameters.delay + jitter))
    flying.append(item)
    flying[flying.count - 1].due = lastDue
  }

  /// Each nanosecond does `rate` of work; what a packet leaves of its last one is the next one's.
  private mutating func transmit(until time: Instant, _ rate: Int128) {
    var (clock, spare) = (now, Int128(0))
    while let first = waiting.first, rate > 0 {
      let missing = max(0, first.work - spare)
      let wait = Int64((missing + rate - 1) / rate)
      if wait > (time - clock).nanoseconds { break }
      clock = clock + .nanoseconds(wait)
      spare += Int128(wait) * rate - first.work
      depart(at: clock)
    }
    if !waiting.isEmpty { waiting[0].work -= spare + Int128((time - clock).nanoseconds) * rate }
  }

  /// Each carries 1,500 bytes of what waits, and is gone then.
  private mutating func useOpportunities(of trace: CapacityTrace, until time: Instant) {
    while traceTime(trace, nextOpportunity) <= time {
      let moment = traceTime(trace, nextOpportunity)
      var left = Int128(1_500) * 1_000_000_000
      while moment > now, left > 0, !waiting.isEmpty {
        let work = min(left, waiting[0].work)
        left -= work
        waiting[0].work -= work
        if waiting[0].work == 0 { depart(at: moment) }
      }
      nextOpportunity += 1
    }
  }

  private func traceTime(_ trace: CapacityTrace, _ index: Int) -> Instant {
    let count = trace.opportunities.count
    let round = Int64(trace.opportunities[count - 1]) * Int64(index / count)
    return traceBegan + .nanoseconds((round + Int64(trace.opportunities[index % count])) * 1_000_000)
  }
}
