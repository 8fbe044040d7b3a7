@testable import Conditioning

/// One channel in virtual time.
final class ChannelBench {
  var channel: Channel
  var dice = SeededGenerator(seed: 1, "connection")
  private(set) var arrived: [Arrival] = []
  private(set) var now = Instant.zero
  private var sentCount = 0
  let path = NetworkPath(PathTimeline(PathParameters()), seed: 1, name: "bench", at: .zero)
  let connection: TCPConnection

  struct Arrival: Equatable {
    var number: Int
    var time: Instant
  }

  init(_ parameters: ChannelParameters, seed: UInt64 = 1) {
    channel = Channel(parameters, dice: SeededGenerator(seed: seed, "channel"), at: .zero)
    connection = TCPConnection(owner: 1, path: path, isNew: false, dice: SeededGenerator(seed: seed))
  }

  func send(_ size: Int, at time: Instant) {
    advance(to: time)
    channel.send(
      Packet(connection: connection, header: TCPHeader(), size: size, isVisible: true), at: now, dice: &dice)
  }

  func advance(to time: Instant) {
    while channel.due <= time, let packet = channel.popFirst(dueAt: channel.due) {
      _ = packet
      arrived.append(Arrival(number: arrived.count, time: packet.due))
    }
    now = max(now, time)
  }

  func settle() -> [Arrival] {
    while channel.due < .distantFuture { advance(to: channel.due) }
    return arrived
  }
}
