import Conditioning
import Settings
import Testing

@testable import Proxying
@testable import Reactor

/// Which lease counts, in virtual time.
@Suite struct LeaseTableTests {
  /// A table with a clock that is turned by hand.
  private struct Bench {
    var table = LeaseTable(prefix: "t")
    var now = LeaseTable.Moment(instant: .zero, wall: WallTime(nanoseconds: 0))

    mutating func take(_ profile: String, _ proxies: [String]? = nil, for milliseconds: Int64 = 60_000) -> Lease {
      let terms = LeaseTerms(profile: profile, proxies: proxies, length: .milliseconds(milliseconds))
      return table.take(terms, profile: Profile(name: profile), at: now)
    }

    mutating func end(_ lease: Lease) { table.end(lease) }

    /// Lets time go on and ends what is over then.
    mutating func wait(_ milliseconds: Int64) {
      now.instant = now.instant + .milliseconds(Double(milliseconds))
      now.wall = now.wall.advanced(nanoseconds: milliseconds * 1_000_000)
      for lease in table.expired(at: now.instant) { table.end(lease) }
    }

    func counting(for proxy: String) -> String { table.newest(covering: proxy)?.profile.name ?? "-" }
    var countingForAll: String { table.newestCoveringAll?.profile.name ?? "-" }
  }

  /// Takes three leases, for a, for all, for a and b; ends them in every order.
  @Test(arguments: [
    ([0, 1, 2], ["c c all", "c c all", "c c -"]), ([0, 2, 1], ["c c all", "c c all", "all all all"]),
    ([1, 0, 2], ["c c all", "c c -", "c c -"]), ([1, 2, 0], ["c c all", "c c -", "a - -"]),
    ([2, 0, 1], ["c c all", "all all all", "all all all"]), ([2, 1, 0], ["c c all", "all all all", "a - -"]),
  ])
  func endingOneRestoresWhatLiesBelow(order: [Int], shown: [String]) {
    var bench = Bench()
    let leases = [bench.take("a", ["a"]), bench.take("all"), bench.take("c", ["a", "b"])]
    for (index, expected) in zip(order, shown) {
      #expect(
        "\(bench.counting(for: "a")) \(bench.counting(for: "b")) \(bench.countingForAll)"
          == expected, "before \(index)")
      bench.end(leases[index])
    }
    #expect(bench.table.count == 0 && bench.counting(for: "a") == "-" && !bench.table.names("a"))
    #expect(bench.table.earliestDeadline == nil)
  }

  @Test func oneEndsWhenItsTimeIsOverAndNotBefore() {
    var bench = Bench()
    _ = bench.take("long")
    let short = bench.take("short", for: 10)
    #expect(bench.table.earliestDeadline == short.deadline)
    bench.wait(9)
    #expect(bench.countingForAll == "short")
    bench.wait(1)
    #expect(bench.countingForAll == "long")
    bench.wait(60_000)
    #expect(bench.countingForAll == "-")
  }

  @Test func aRenewedOneKeepsItsPlace() throws {
    var bench = Bench()
    let older = bench.take("older", for: 10)
    _ = bench.take("newer", for: 100)
    bench.wait(5)
    var renewed = bench.table.renew(older, for: nil, at: bench.now)
    #expect(renewed.deadline.nanoseconds == 15_000_000 && renewed.expiresAt.nanoseconds == 15_000_000)
    #expect(renewed.createdAt == older.createdAt && renewed.id == older.id)
    #expect(bench.countingForAll == "newer")
    renewed = bench.table.renew(renewed, for: .milliseconds(200), at: bench.now)
    bench.wait(100)
    #expect(bench.countingForAll == "older")
    #expect(bench.table.renew(renewed, for: nil, at: bench.now).deadline.nanoseconds == 305_000_000, "the last length")
  }

  @Test func identifiersAreThoseOfThisTable() {
    var bench = Bench()
    let lease = bench.take("3g")
    #expect(bench.table["t-1"] == lease)
    for id in ["", "t", "t-", "t-0", "t-2", "t-01", "t-+1", "1", "u-1", "t-99999999999999999999"] {
      #expect(bench.table[id] == nil, "\(id)")
    }
    bench.end(lease)
    #expect(bench.table["t-1"] == nil)
    #expect(bench.take("3g").id == "t-2", "none is used again")
  }

  @Test func everyTableHasIdentifiersOfItsOwn() {
    let ids = (0..<50).map { _ in
      var bench = Bench(table: LeaseTable())
      return bench.take("3g").id
    }
    #expect(Set(ids).count > 40, "of 160,000")
  }

  // MARK: Against an oracle

  /// What the table has to say, worked out without any index.
  private struct Oracle {
    var lease: Lease
    var profile: String
    var proxies: [String]?
    var end: Int64
  }

  @Test(arguments: 0..<20)
  func theNewestLiveOneThatCoversCounts(seed: UInt64) {
    var dice = SeededGenerator(seed: seed)
    var bench = Bench()
    var live: [Oracle] = []
    var time: Int64 = 0
    let names = ["a", "b", "c", "d"]
    for step in 0..<400 {
      switch Int.random(in: 0..<6, using: &dice) {
      case 0...2:
        let some = names.filter { _ in Bool.random(using: &dice) }
        let proxies = some.isEmpty || Int.random(in: 0..<4, using: &dice) == 0 ? nil : some
        let length = Int64.random(in: 1...50, using: &dice)
        let lease = bench.take("p\(step)", proxies, for: length)
        live.append(Oracle(lease: lease, profile: "p\(step)", proxies: proxies, end: time + length))
      case 3:
        guard let index = live.indices.randomElement(using: &dice) else { continue }
        bench.end(live.remove(at: index).lease)
      case 4:
        guard let index = live.indices.randomElement(using: &dice) else { continue }
        let length = Int64.random(in: 1...50, using: &dice)
        live[index].lease = bench.table.renew(live[index].lease, for: .milliseconds(Double(length)), at: bench.now)
        live[index].end = time + length
      default:
        let span = Int64.random(in: 0...10, using: &dice)
        time += span
        bench.wait(span)
        live.removeAll { $0.end <= time }
      }
      for name in names {
        let expected = live.last { $0.proxies?.contains(name) ?? true }?.profile ?? "-"
        #expect(bench.counting(for: name) == expected, "step \(step), \(name)")
        #expect(bench.table.names(name) == live.contains { $0.proxies?.contains(name) ?? false })
      }
      #expect(bench.countingForAll == live.last { $0.proxies == nil }?.profile ?? "-", "step \(step)")
      #expect(bench.table.newestFirst.map(\.id) == live.reversed().map(\.lease.id))
      #expect(bench.table.earliestDeadline?.nanoseconds == live.map { $0.end * 1_000_000 }.min())
    }
  }
}
