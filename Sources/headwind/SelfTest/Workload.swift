import Conditioning

/// What a workload runs over: the sockets of this machine, or the model in virtual time. The applications at both ends
/// of it are the same code, so that measured and promised differ by the network alone.
protocol TestNetwork: AnyObject {
  var now: Instant { get }
  /// A client connects; what it sends goes as soon as it may.
  func open() -> Int
  /// The end that sends in `direction` writes so many bytes more; `Int.max`: without an end.
  func send(_ bytes: Int, _ direction: Direction, on connection: Int)
  /// The client closes.
  func close(_ connection: Int)
  /// ``Workload/wake()`` is called then; a later call takes the place of an earlier one.
  func wake(after interval: Interval)
}

/// How a connection failed that should not have, or should.
enum ConnectionFailure: String, CaseIterable {
  case refused, reset, closed
  /// Nothing came for too long.
  case timeout
}

/// Client and server of one measurement.
protocol Workload: AnyObject {
  func begin(on network: any TestNetwork)
  /// Bytes have come to the end that `direction` leads to.
  func received(_ bytes: Int, _ direction: Direction, on connection: Int)
  func failed(_ connection: Int, _ failure: ConnectionFailure)
  func wake()
  var isOver: Bool { get }
  /// What was found, once it is over; without an entry where there was nothing to be found.
  var figures: [Figure: Double] { get }
  /// Repetitions that the figures are made of.
  var count: Int { get }
}

extension Workload {
  func wake() {}
}

/// What is measured. The spread is half of the time within which 8 of 10 round trips lie: one that the machine delays
/// doesn't count there. Times are in ms, rates in payload bytes per second, shares and fairness from 0 to 1.
enum Figure: String, CaseIterable {
  case downstreamRate = "downstream_rate"
  case upstreamRate = "upstream_rate"
  case roundTrip = "round_trip"
  case spread = "round_trip_spread"
  case firstByte = "first_byte"
  case transfer = "transfer"
  case sharedRate = "shared_rate"
  case fairness = "fairness"
  case failures = "failures"
  case silence = "silence"
}

/// One of the measurements, with its size.
enum WorkloadSpec: Equatable {
  /// One connection: so many requests of 100 bytes one after the other, and answers of 100 bytes. Before them one exchange
  /// of more, see ``Pings/openingBytes``.
  case pings(Int, openingBytes: Int = Pings.messageBytes)
  /// New connections one after the other: a request of 200 bytes, so many bytes in answer.
  case fetches(Int, bytes: Int)
  /// A connection that sends all it can; what arrives after the beginning is counted for a while.
  case bulk(Direction, from: Interval, for: Interval)
  /// New connections at once, with so many bytes in answer for each.
  case joint(Int, bytes: Int)

  func make() -> any Workload {
    switch self {
    case .pings(let count, let openingBytes): Pings(count, openingBytes: openingBytes)
    case .fetches(let count, let bytes): Fetches(count, bytes: bytes)
    case .bulk(let direction, let beginning, let duration): BulkTransfer(direction, from: beginning, for: duration)
    case .joint(let connections, let bytes): JointTransfers(connections, bytes: bytes)
    }
  }

  /// Connections that fill one queue decide by less than a millisecond who finds it full: which of them gets how much is
  /// chance, even where the path leaves nothing to it.
  var hasChance: Bool {
    if case .joint = self { true } else { false }
  }

  var figures: [Figure] {
    switch self {
    case .pings: [.roundTrip, .spread]
    case .fetches: [.firstByte, .transfer]
    case .bulk(let direction, _, _): [direction == .downstream ? .downstreamRate : .upstreamRate]
    case .joint: [.sharedRate, .fairness]
    }
  }
}
