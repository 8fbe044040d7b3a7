/// Who is young on a loop. Most connections are gone within milliseconds; what only those need that last (a timer for the end
/// of a dial, probes of a silent peer) is done when they have grown up, and costs the others no call of the system.
///
/// To be in it costs a place in an array. While there is anybody, an alarm rings once in a period; who has been there for a
/// whole one by then is told, a few in a turn of the loop, and leaves.
final class Nursery {
  /// One second.
  static let usualPeriodNanoseconds: Int64 = 1_000_000_000
  /// Told in one turn: a few calls of the system each.
  private static let toldPerTurnMax = 32
  private static let seenPerTurnMax = 1_024

  private struct Entry {
    /// Its member takes it away before it goes.
    unowned(unsafe) let member: any NurseryMember
    /// How often the alarm had rung when it came.
    let rings: UInt32
  }

  let periodNanoseconds: Int64
  private unowned let loop: EventLoop
  private var entries: [Entry] = []
  private var rings: UInt32 = 0
  /// While those are told who have grown up: how many at the front haven't been looked at.
  private var unseen = 0
  private lazy var alarm = Alarm(loop: loop) { [unowned self] in alarmRang() }

  init(loop: EventLoop, periodNanoseconds: Int64 = Nursery.usualPeriodNanoseconds) {
    self.loop = loop
    self.periodNanoseconds = periodNanoseconds
    _ = alarm
  }

  var count: Int { entries.count }
  var holdsNothing: Bool { entries.capacity == 0 }

  /// Who hasn't left by then is told after one to two periods, and a period or more later where a great many have grown up at
  /// once.
  func add(_ member: any NurseryMember) {
    assert(member.nurseryPlace < 0, "is there already")
    member.nurseryPlace = Int32(truncatingIfNeeded: entries.count)
    entries.append(Entry(member: member, rings: rings))
    alarm.set(afterNanoseconds: periodNanoseconds)
  }

  /// Does nothing for those who aren't there.
  func remove(_ member: any NurseryMember) {
    let place = Int(member.nurseryPlace)
    guard place >= 0 else { return }
    member.nurseryPlace = -1
    let last = entries.removeLast()
    guard place < entries.count else { return }
    entries[place] = last
    last.member.nurseryPlace = Int32(truncatingIfNeeded: place)
  }

  private func alarmRang() {
    // Those who came before the ring before this one are told.
    rings &+= 1
    guard !entries.isEmpty else { return }
    alarm.set(afterNanoseconds: periodNanoseconds)
    if unseen == 0 { loop.turns.append(self) }
    unseen = entries.count
  }
}

extension Nursery: TurnTaker {
  package func takeTurn() {
    var (told, seen) = (0, 0)
    unseen = min(unseen, entries.count)
    // From the end: who leaves is replaced by one who has been looked at.
    while unseen > 0, told < Nursery.toldPerTurnMax, seen < Nursery.seenPerTurnMax {
      unseen -= 1
      seen += 1
      let entry = entries[unseen]
      guard rings &- entry.rings >= 2 else { continue }
      remove(entry.member)
      entry.member.grewUp()
      told += 1
      unseen = min(unseen, entries.count)
    }
    if unseen > 0 { loop.turns.append(self) }
    // Behind a crowd it would keep 24 bytes for each who was in it.
    if entries.isEmpty { entries = [] }
  }
}

@available(*, unavailable)
extension Nursery: Sendable {}

/// Who may be in a ``Nursery``; must leave it before it goes.
protocol NurseryMember: AnyObject {
  /// Its place there, -1 outside. Only the nursery changes it.
  var nurseryPlace: Int32 { get set }
  /// Called once, when it has left the nursery. May do anything.
  func grewUp()
}
