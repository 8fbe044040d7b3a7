import Conditioning

/// Request and answer of 100 bytes again and again on one open connection: the round trip and how it varies.
final class Pings: Workload {
  static let messageBytes = 100

  /// A receiver acknowledges the first 16 packets of a connection at once, apart from what it answers. Where packets don't
  /// overtake, an answer may then have to wait for an acknowledgement that is late. So many bytes each way are more.
  static let openingBytes = 17 * 1448

  private let wanted: Int
  private let openingBytes: Int
  private var network: (any TestNetwork)?
  private var connection = 0
  private var sentAt = Instant.zero
  private var arrived: (up: Int, down: Int) = (0, 0)
  /// The first exchange carries the handshake, so it isn't among them.
  private var isOpening = true
  private(set) var milliseconds: [Double] = []
  private(set) var isOver = false

  /// - Parameter openingBytes: of the first request and answer.
  init(_ count: Int, openingBytes: Int = messageBytes) {
    wanted = count
    self.openingBytes = openingBytes
    milliseconds.reserveCapacity(count)
  }

  func begin(on network: any TestNetwork) {
    self.network = network
    connection = network.open()
    ping()
  }

  private var bytes: Int { isOpening ? openingBytes : Pings.messageBytes }

  private func ping() {
    arrived = (0, 0)
    sentAt = network?.now ?? .zero
    network?.send(bytes, .upstream, on: connection)
  }

  func received(_ bytes: Int, _ direction: Direction, on connection: Int) {
    guard let network, !isOver else { return }
    if direction == .upstream {
      arrived.up += bytes
      if arrived.up == self.bytes { network.send(self.bytes, .downstream, on: connection) }
      return
    }
    arrived.down += bytes
    if arrived.down == self.bytes { answered(network) }
  }

  private func answered(_ network: any TestNetwork) {
    if !isOpening { milliseconds.append((network.now - sentAt).milliseconds) }
    isOpening = false
    if milliseconds.count < wanted { return ping() }
    isOver = true
    network.close(connection)
  }

  func failed(_ connection: Int, _ failure: ConnectionFailure) { isOver = true }

  var count: Int { milliseconds.count }

  var figures: [Figure: Double] {
    guard let median = milliseconds.median, let low = milliseconds.quantile(0.1),
      let high = milliseconds.quantile(0.9)
    else { return [:] }
    return [.roundTrip: median, .spread: (high - low) / 2]
  }
}
