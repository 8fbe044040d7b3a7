@testable import Conditioning

/// What has come out of a channel: whose packet, which of that connection's, and when.
struct Arrival: Equatable, CustomStringConvertible {
  var connection: Int32
  var number: Int
  var time: Instant

  var description: String { "\(connection)/\(number) at \((time - .zero).milliseconds) ms" }
}

extension PathSeat {
  /// That of a connection that is nowhere.
  static func test(_ connection: Int32) -> PathSeat { PathSeat(number: connection, identity: 1) }
}

extension Packet {
  /// One that says nothing.
  static func test(of seat: PathSeat, size: Int, isVisible: Bool) -> Packet {
    Packet(seat: seat, header: TCPHeader(), size: size, isVisible: isVisible)
  }
}

/// A channel in virtual time. Packets of a connection are told apart by their sizes: 1,000 and more, counted up.
final class ChannelBench {
  var channel: Channel
  private(set) var arrived: [Arrival] = []
  private(set) var now = Instant.zero

  init(_ parameters: ChannelParameters, seed: UInt64 = 1) {
    channel = Channel(parameters, dice: SeededGenerator(seed: seed, "channel"), at: .zero)
  }

  func send(
    _ size: Int, of connection: Int32 = 1, isVisible: Bool = true, at time: Instant, dice: inout SeededGenerator
  ) {
    advance(to: time)
    let packet = Packet.test(of: .test(connection), size: size, isVisible: isVisible)
    channel.send(packet, at: now, dice: &dice)
  }

  func change(to parameters: ChannelParameters, at time: Instant) {
    advance(to: time)
    channel.change(to: parameters, at: now)
  }

  /// Takes out what is due, each at its own time.
  func advance(to time: Instant) {
    if time > now { channel.settle() }
    while channel.due <= time, channel.due < .distantFuture, let packet = channel.popFirst(dueAt: channel.due) {
      guard packet.seat != .none else { continue }
      arrived.append(Arrival(connection: packet.seat.number, number: packet.size, time: packet.due))
    }
    now = max(now, time)
  }

  func settle() {
    channel.settle()
    while channel.due < .distantFuture { advance(to: channel.due) }
  }
}
