import LoopTesting
import Testing

@testable import Reactor

@Suite struct NurseryTests {
  private final class Child: NurseryMember {
    var nurseryPlace: Int32 = -1
    var told = 0
    var onGrowingUp: () -> Void = {}

    func grewUp() {
      told += 1
      onGrowingUp()
    }
  }

  private let loop: EventLoop
  private let nursery: Nursery

  init() throws {
    loop = try EventLoop()
    nursery = Nursery(loop: loop, periodNanoseconds: 2_000_000)
  }

  @Test func whoStaysIsToldOnceAfterAPeriod() throws {
    let child = Child()
    let begin = loop.now
    nursery.add(child)
    try loop.runUntil { child.told > 0 }
    #expect(loop.now - begin >= nursery.periodNanoseconds)
    #expect(nursery.count == 0 && child.nurseryPlace == -1)
    loop.run(forMilliseconds: 8)
    #expect(child.told == 1)
    // And again, as if it were new.
    nursery.add(child)
    try loop.runUntil { child.told == 2 }
  }

  @Test func whoLeavesIsNotTold() throws {
    let (gone, stays) = (Child(), Child())
    nursery.add(gone)
    nursery.add(stays)
    nursery.remove(gone)
    nursery.remove(gone)
    try loop.runUntil { stays.told > 0 }
    #expect(gone.told == 0)
  }

  @Test func manyWhoGrowUpAtOnceAreAllTold() throws {
    let children = (0..<500).map { _ in Child() }
    for child in children { nursery.add(child) }
    // Who leaves or comes meanwhile changes nothing for the others.
    let late = Child()
    children[499].onGrowingUp = { [nursery] in
      nursery.remove(children[0])
      nursery.add(late)
    }
    try loop.runUntil { children[1...].allSatisfy { $0.told == 1 } && late.told == 1 }
    #expect(children[0].told == 0 && nursery.count == 0 && nursery.holdsNothing)
  }

  @Test func placesStayTrueWhoeverLeaves() {
    var generator = SystemRandomNumberGenerator()
    var there: [Child] = []
    for _ in 0..<2_000 {
      if there.isEmpty || Bool.random(using: &generator) {
        there.append(Child())
        nursery.add(there[there.count - 1])
      } else {
        nursery.remove(there.remove(at: .random(in: there.indices, using: &generator)))
      }
      #expect(Set(there.map { Int($0.nurseryPlace) }) == Set(0..<there.count))
      #expect(nursery.count == there.count)
    }
    for child in there { nursery.remove(child) }
  }

  @Test func itKeepsTheLoopNoLongerThanItself() throws {
    weak var gone: EventLoop?
    do {
      let loop = try EventLoop()
      gone = loop
      let child = Child()
      loop.nursery?.add(child)
      loop.nursery?.remove(child)
    }
    #expect(gone == nil)
  }
}
