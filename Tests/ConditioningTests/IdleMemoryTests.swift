import Testing

@testable import Conditioning

/// What an idle session keeps on the heap for the model, object by object: it may not creep up. Most of it is one
/// object, and the rest is gone when nothing is under way.
@Suite struct IdleMemoryTests {
  /// What glibc's malloc takes for an object: its header of 16 bytes and its properties, one behind the other, and eight more,
  /// in steps of sixteen.
  static func heapBytes(_ object: AnyObject) -> Int {
    func layout<Property>(_ property: Property) -> (size: Int, alignment: Int) {
      (MemoryLayout<Property>.size, MemoryLayout<Property>.alignment)
    }
    let end = Mirror(reflecting: object).children.reduce(16) { end, property in
      let (size, alignment) = _openExistential(property.value, do: layout)
      return (end + alignment - 1) / alignment * alignment + size
    }
    return (end + 8 + 15) / 16 * 16
  }

  /// A session that has carried messages both ways.
  private func idleSession(_ control: CongestionControl = .cubic) throws -> (LabWorld, TCPConnection) {
    let way = ChannelParameters(capacity: .rate(bytesPerSecond: 200_000), delay: .milliseconds(50))
    let world = LabWorld(seed: 1)
    let path = world.addPath(PathParameters(upstream: way, downstream: way, congestionControl: control))
    let session = world.connect(over: path)
    for _ in 0..<3 {
      session.client.toWrite += 300
      session.server.toWrite += 5_000
      session.drive(at: world.now)
      world.run(until: world.now + .seconds(5))
    }
    #expect(session.client.receivedBytes == 15_000 && session.server.receivedBytes == 900)
    return (world, try #require(session.connection))
  }

  @Test func aConnectionIsHalfAKilobyte() throws {
    let (world, connection) = try idleSession()
    #expect(Self.heapBytes(connection) <= 512)
    withExtendedLifetime(world) {
      #expect(connection.opening == nil && connection.upstream.heldBytes + connection.downstream.heldBytes == 0)
      for end in [connection.client, connection.server] {
        #expect(end.sender.flight == nil && end.receiver.holdsNothing && end.sender.congestion.holdsNothing)
      }
    }
  }

  /// Its controllers, one for each end, and nothing else.
  @Test func bbrAddsTwoSmallBoxes() throws {
    #expect(Self.heapBytes(BBR()) <= 256)
    let (world, connection) = try idleSession(.bbr)
    withExtendedLifetime(world) {
      for end in [connection.client, connection.server] {
        #expect(end.sender.flight == nil && end.receiver.holdsNothing)
      }
    }
  }

  @Test func aLinkUnderANetworkAloneHoldsNothingOfItsOwn() {
    #expect(MemoryLayout<LinkStages>.size == 8)
    let world = LabWorld(seed: 1)
    let path = world.addPath(PathParameters())
    var link = Link(.test(1), plan: LabWorld.plan(path), owner: 1, at: .zero)
    #expect(link.stages.isInPlace && link.stages.count == 1)
    // Beside another stage it lies in an array, and alone it doesn't again.
    link.change(to: LabWorld.plan(path) + [.noop()], at: .zero)
    #expect(!link.stages.isInPlace && link.stages.count == 2)
    link.change(to: LabWorld.plan(path), at: .zero)
    #expect(link.stages.isInPlace && link.stages.count == 1)
    link.change(to: [], at: .zero)
    #expect(link.stages.isInPlace && link.stages.isEmpty)
  }

  /// A timer that nobody needs any more is only taken back when its time has come. Who waits for all to be over, to give
  /// memory back, doesn't wait for that.
  @Test func aPathIsEmptyThoughATimerIsSet() throws {
    let way = ChannelParameters(delay: .milliseconds(50))
    let world = LabWorld(seed: 1)
    let path = world.addPath(PathParameters(upstream: way, downstream: way))
    #expect(path.isEmpty)
    let session = world.connect(over: path)
    session.client.toWrite = 300
    session.drive(at: world.now)
    #expect(!path.isEmpty)
    world.run(while: { session.server.receivedBytes < 300 || !path.isEmpty })
    let connection = try #require(session.connection)
    #expect(connection.client.sender.flight == nil && path.deadline != nil)
  }

  /// A burst of new sessions has that much for each handshake and message under way, which lies between what stays.
  @Test func whatIsUnderWayIsSmall() {
    #expect(Self.heapBytes(TCPOpening()) <= 64)
    #expect(Self.heapBytes(Flight(first: 0, at: .zero)) <= 224)
  }
}
