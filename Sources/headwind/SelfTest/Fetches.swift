import Conditioning

/// A new connection each time: a request, then the answer until it is whole.
final class Fetches: Workload {
  static let requestBytes = 200

  /// One of them, since its connection began.
  struct Run {
    /// Bytes that had come by then, in order of time.
    var arrivals: [(milliseconds: Double, bytes: Int)] = []
    var failure: ConnectionFailure?
  }

  private let wanted: Int
  private let bytes: Int
  private var network: (any TestNetwork)?
  private var connection = 0
  private var startedAt = Instant.zero
  private var requested = 0
  private var current = Run()
  private(set) var runs: [Run] = []
  private(set) var isOver = false

  init(_ count: Int, bytes: Int) {
    wanted = count
    self.bytes = bytes
  }

  func begin(on network: any TestNetwork) {
    self.network = network
    next()
  }

  private func next() {
    guard let network else { return }
    current = Run()
    requested = 0
    startedAt = network.now
    connection = network.open()
    network.send(Fetches.requestBytes, .upstream, on: connection)
  }

  func received(_ bytes: Int, _ direction: Direction, on connection: Int) {
    guard connection == self.connection, !isOver, let network else { return }
    guard direction == .downstream else {
      requested += bytes
      if requested == Fetches.requestBytes { network.send(self.bytes, .downstream, on: connection) }
      return
    }
    let total = bytes + (current.arrivals.last?.bytes ?? 0)
    current.arrivals.append(((network.now - startedAt).milliseconds, total))
    if total == self.bytes { finish() }
  }

  func failed(_ connection: Int, _ failure: ConnectionFailure) {
    guard connection == self.connection, !isOver else { return }
    current.failure = failure
    finish()
  }

  private func finish() {
    runs.append(current)
    network?.close(connection)
    connection = -1
    isOver = runs.count == wanted
    if !isOver { network?.wake(after: .zero) }
  }

  func wake() { next() }

  var count: Int { whole.count }

  private var whole: [Run] { runs.filter { $0.failure == nil } }

  var figures: [Figure: Double] {
    let first = whole.compactMap(\.arrivals.first?.milliseconds)
    let last = whole.compactMap(\.arrivals.last?.milliseconds)
    guard let firstByte = first.median, let transfer = last.median else { return [:] }
    return [.firstByte: firstByte, .transfer: transfer]
  }
}
