import Conditioning
import Settings
import LoopTesting
import Testing

@testable import Proxying
@testable import Reactor

@Suite struct ProfileSlotTests {
  /// A slot, and each change as "before→after cause".
  private final class Slot {
    let loop: EventLoop
    private(set) var changes: [String] = []
    private(set) lazy var slot: ProfileSlot = ProfileSlot(loop: loop) { [unowned self] before, cause in
      changes.append("\(before?.name ?? "-")→\(slot.current?.name ?? "-") \(cause)")
    }

    init() throws { loop = try EventLoop() }
  }

  private let lasting = Profile(name: "lasting")
  private let short = Profile(name: "short")
  private let other = Profile(name: "other")
  private let moment = Interval.milliseconds(5)

  @Test func aTemporaryOneGivesWay() throws {
    let bench = try Slot()
    bench.slot.set(lasting, cause: .set)
    #expect(bench.slot.revertsAt == nil)
    bench.slot.set(short, for: moment, cause: .set)
    #expect(bench.slot.current == short)
    let reverts = try #require(bench.slot.revertsAt)
    #expect(reverts.nanoseconds - bench.slot.since.nanoseconds <= moment.nanoseconds)
    try bench.loop.runUntil { bench.slot.current == lasting }
    #expect(bench.slot.revertsAt == nil)
    #expect(WallTime.now >= reverts)
    #expect(bench.changes == ["-→lasting set", "lasting→short set", "short→lasting expired"])
  }

  @Test func temporaryOverTemporaryReturnsToTheLastLastingOne() throws {
    let bench = try Slot()
    bench.slot.set(lasting, cause: .set)
    bench.slot.set(short, for: .seconds(3600), cause: .set)
    bench.slot.set(other, for: moment, cause: .set)
    try bench.loop.runUntil { bench.slot.current != other }
    #expect(bench.slot.current == lasting)
  }

  @Test func withoutALastingOneNothingReturns() throws {
    let bench = try Slot()
    bench.slot.set(short, for: moment, cause: .set)
    try bench.loop.runUntil { bench.slot.current == nil }
    #expect(bench.changes == ["-→short set", "short→- expired"])
  }

  @Test func aLastingOneEndsTheTemporary() throws {
    let bench = try Slot()
    bench.slot.set(short, for: moment, cause: .set)
    bench.slot.set(lasting, cause: .set)
    bench.loop.run(forMilliseconds: 20)
    #expect(bench.slot.current == lasting)
    #expect(bench.changes.count == 2)
  }

  @Test func clearingEndsTheTemporaryToo() throws {
    let bench = try Slot()
    bench.slot.set(lasting, cause: .set)
    bench.slot.set(short, for: moment, cause: .set)
    bench.slot.set(nil, cause: .cleared)
    bench.loop.run(forMilliseconds: 20)
    #expect(bench.slot.current == nil)
    #expect(bench.changes.last == "short→- cleared")
  }

  @Test func holdsWhatIsInForceAndWhatWillReturn() throws {
    let bench = try Slot()
    #expect(!bench.slot.holds("lasting"))
    bench.slot.set(lasting, cause: .set)
    bench.slot.set(short, for: .seconds(60), cause: .set)
    #expect(bench.slot.holds("lasting"))
    #expect(bench.slot.holds("short"))
    #expect(!bench.slot.holds("other"))
  }

  @Test func aRefreshTakesNewDefinitions() throws {
    let bench = try Slot()
    var catalogue = try ProfileCatalogue()
    try catalogue.define(lasting)
    try catalogue.define(short)
    bench.slot.set(lasting, cause: .set)
    bench.slot.set(short, for: moment, cause: .set)
    bench.slot.refresh(from: catalogue)
    #expect(bench.changes.count == 2, "nothing differs")

    var slower = lasting
    slower.path.latencyMilliseconds = 9
    var shorter = short
    shorter.path.latencyMilliseconds = 1
    try catalogue.define(slower)
    try catalogue.define(shorter)
    bench.slot.refresh(from: catalogue)
    #expect(bench.slot.current == shorter)
    #expect(bench.changes.last == "short→short reloaded")
    try bench.loop.runUntil { bench.slot.current != shorter }
    #expect(bench.slot.current == slower, "what returns is the new definition")
  }

  @Test func whatIsGoneFromTheCatalogueStaysInForce() throws {
    let bench = try Slot()
    bench.slot.set(lasting, cause: .set)
    bench.slot.refresh(from: try ProfileCatalogue())
    #expect(bench.slot.current == lasting)
    #expect(bench.changes.count == 1)
  }
}
