import Conditioning

/// Requests on new connections, several at a time: how many fail, and how.
final class Attempts: Workload {
  static let answerBytes = 1_000
  private static let atATime = 20

  private let wanted: Int
  /// After that a connection that says nothing has failed.
  private let patience: Interval
  private var network: (any TestNetwork)?
  /// Connections of this batch that are under way, and the bytes that have come for each.
  private var open: [Int: (up: Int, down: Int)] = [:]
  private(set) var failures: [ConnectionFailure: Int] = [:]
  private(set) var count = 0
  private var isResting = false
  var isOver: Bool { count == wanted }

  init(_ count: Int, patience: Interval) {
    wanted = count
    self.patience = patience
  }

  func begin(on network: any TestNetwork) {
    self.network = network
    next()
  }

  private func next() {
    guard let network else { return }
    isResting = false
    for _ in 0..<min(Attempts.atATime, wanted - count) {
      let connection = network.open()
      open[connection] = (0, 0)
      network.send(Fetches.requestBytes, .upstream, on: connection)
    }
    network.wake(after: patience)
  }

  func received(_ bytes: Int, _ direction: Direction, on connection: Int) {
    guard var come = open[connection] else { return }
    if direction == .upstream { come.up += bytes } else { come.down += bytes }
    open[connection] = come
    if direction == .downstream, come.down == Attempts.answerBytes {
      finish(connection, nil)
    } else if direction == .upstream, come.up == Fetches.requestBytes {
      network?.send(Attempts.answerBytes, .downstream, on: connection)
    }
  }

  func failed(_ connection: Int, _ failure: ConnectionFailure) { finish(connection, failure) }

  private func finish(_ connection: Int, _ failure: ConnectionFailure?) {
    guard open.removeValue(forKey: connection) != nil else { return }
    if let failure { failures[failure, default: 0] += 1 }
    count += 1
    network?.close(connection)
    guard open.isEmpty, !isOver else { return }
    isResting = true
    network?.wake(after: .zero)
  }

  func wake() {
    if isResting { return next() }
    for connection in open.keys.sorted() { finish(connection, .timeout) }
  }

  var figures: [Figure: Double] {
    guard count > 0 else { return [:] }
    return [.failures: Double(failures.values.reduce(0, +)) / Double(count)]
  }
}

/// A request over a path that lets nothing through: what comes all the same.
final class Silence: Workload {
  private let duration: Interval
  private var bytes = 0
  private(set) var isOver = false
  let count = 1

  init(for duration: Interval) { self.duration = duration }

  func begin(on network: any TestNetwork) {
    network.send(Fetches.requestBytes, .upstream, on: network.open())
    network.wake(after: duration)
  }

  func received(_ bytes: Int, _ direction: Direction, on connection: Int) { self.bytes += bytes }
  func failed(_ connection: Int, _ failure: ConnectionFailure) {}
  func wake() { isOver = true }

  var figures: [Figure: Double] { [.silence: Double(bytes)] }
}
