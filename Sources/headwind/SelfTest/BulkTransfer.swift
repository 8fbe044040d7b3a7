import Conditioning

/// One connection that sends without an end: what arrives per second once it is at speed.
final class BulkTransfer: Workload {
  private let direction: Direction
  private let beginning: Interval
  private let duration: Interval
  private var network: (any TestNetwork)?
  private var connection = 0
  private var startedAt = Instant.zero
  private var requested = 0
  private var arrivals: [(at: Instant, bytes: Int)] = []
  private var hasFailed = false
  private(set) var isOver = false

  /// - Parameters:
  ///   - direction: which way the bytes go.
  ///   - beginning: since the connection was opened; what comes before isn't counted.
  init(_ direction: Direction, from beginning: Interval, for duration: Interval) {
    self.direction = direction
    self.beginning = beginning
    self.duration = duration
  }

  func begin(on network: any TestNetwork) {
    self.network = network
    startedAt = network.now
    connection = network.open()
    network.send(direction == .upstream ? .max : Fetches.requestBytes, .upstream, on: connection)
    network.wake(after: beginning + duration)
  }

  func received(_ bytes: Int, _ direction: Direction, on connection: Int) {
    guard !isOver, let network else { return }
    if direction == self.direction { return arrivals.append((network.now, bytes)) }
    // Only a download is asked for.
    requested += bytes
    if requested == Fetches.requestBytes { network.send(.max, .downstream, on: connection) }
  }

  func failed(_ connection: Int, _ failure: ConnectionFailure) {
    hasFailed = true
    isOver = true
  }

  func wake() {
    isOver = true
    network?.close(connection)
  }

  var count: Int { 1 }

  var figures: [Figure: Double] {
    guard !hasFailed else { return [:] }
    return [direction == .downstream ? .downstreamRate : .upstreamRate: rate(from: beginning)]
  }

  /// Bytes per second of what came from then on: from the first arrival to the last, so that no packet counts half; but
  /// over all of the time where the link was silent for long at one end, as one that loses packets is.
  func rate(from beginning: Interval) -> Double {
    let late = arrivals.drop { $0.at < startedAt + beginning }
    guard let first = late.first, let last = late.last else { return 0 }
    let bytes = late.dropFirst().reduce(0) { $0 + Double($1.bytes) }
    let all = self.beginning + duration - beginning
    let time = last.at - first.at
    return bytes / (time.seconds > 0.8 * all.seconds ? time : all).seconds
  }
}
