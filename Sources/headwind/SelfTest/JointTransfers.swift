import Conditioning

/// Several new connections at once, each of which fetches as much: what they get together, and how evenly.
///
/// Whole transfers, because what comes behind a lost packet arrives only with it: a part of one would be all or nothing.
final class JointTransfers: Workload {
  static let connections = 4

  private let wanted: Int
  private let bytes: Int
  private var network: (any TestNetwork)?
  private var startedAt = Instant.zero
  /// By connection.
  private var requested: [Int: Int] = [:]
  private var arrived: [Int: Int] = [:]
  /// Of those that are over, in the order of their ends.
  private(set) var seconds: [Double] = []
  private(set) var isOver = false

  init(_ connections: Int, bytes: Int) {
    wanted = connections
    self.bytes = bytes
  }

  func begin(on network: any TestNetwork) {
    self.network = network
    startedAt = network.now
    for _ in 0..<wanted { network.send(Fetches.requestBytes, .upstream, on: network.open()) }
  }

  func received(_ bytes: Int, _ direction: Direction, on connection: Int) {
    guard !isOver, let network else { return }
    if direction == .upstream {
      requested[connection, default: 0] += bytes
      if requested[connection] == Fetches.requestBytes { network.send(self.bytes, .downstream, on: connection) }
      return
    }
    arrived[connection, default: 0] += bytes
    guard arrived[connection] == self.bytes else { return }
    seconds.append((network.now - startedAt).seconds)
    network.close(connection)
    isOver = seconds.count == wanted
  }

  func failed(_ connection: Int, _ failure: ConnectionFailure) { isOver = true }

  var count: Int { seconds.count }

  var figures: [Figure: Double] {
    guard seconds.count == wanted, let last = seconds.last, last > 0 else { return [:] }
    let speeds = seconds.map { Double(bytes) / $0 }
    let sum = speeds.reduce(0, +)
    // Jain's index: 1 when all are as fast, 1/n when one gets all.
    let squares = speeds.reduce(0) { $0 + $1 * $1 }
    return [
      .sharedRate: Double(bytes * wanted) / last, .fairness: sum * sum / (Double(wanted) * squares),
    ]
  }
}
