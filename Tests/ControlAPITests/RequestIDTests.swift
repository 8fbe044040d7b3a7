import Reactor
import Testing

@testable import ControlAPI

@Suite struct RequestIDTests {
  private static let digits = Array("0123456789abcdefghijklmnopqrstuv")

  /// The number that the first characters of an identifier stand for.
  private func leadingBits(_ id: String, characters: Int) -> UInt64 {
    id.prefix(characters).reduce(0) { $0 << 5 | UInt64(Self.digits.firstIndex(of: $1) ?? 0) }
  }

  @Test func haveTheirShapeAreUniqueAndSorted() {
    let source = RequestIDs()
    let ids = (0..<5_000).map { _ in source.next() }
    #expect(ids.allSatisfy { $0.count == 20 && $0.allSatisfy(Self.digits.contains) })
    #expect(Set(ids).count == ids.count)
    #expect(ids == ids.sorted())
  }

  @Test func beginWithTheTimeInSeconds() {
    let before = WallTime.now.nanoseconds / 1_000_000_000
    let seconds = Int64(leadingBits(RequestIDs().next(), characters: 7) >> 3)
    #expect((before...WallTime.now.nanoseconds / 1_000_000_000).contains(seconds))
  }

  @Test func differBetweenProcesses() {
    let parts = (0..<16).map { _ in RequestIDs().next().dropFirst(7).prefix(7) }
    #expect(Set(parts).count == parts.count)
  }

  @Test(arguments: Way.allCases)
  func standOnEveryAnswerOfAKnownRoute(_ way: Way) throws {
    let desk = try Desk(way)
    for (method, path) in [
      ("GET", "/version"), ("GET", "/proxies"), ("GET", "/proxies/nobody"), ("POST", "/proxies"), ("POST", "/reset"),
      ("POST", "/populate"), ("GET", "/profile"),
    ] {
      #expect(try desk.call(method, path).header("X-Toxiproxy-Request-Id")?.count == 20, "\(method) \(path)")
    }
    for (method, path) in [("GET", "/nowhere"), ("PUT", "/proxies"), ("GET", "//proxies")] {
      #expect(try desk.call(method, path).header("X-Toxiproxy-Request-Id") == nil, "\(method) \(path)")
    }
    let copied = try desk.call("GET", "/version", headers: [("X-Toxiproxy-Request-Id", "mine")])
    #expect(copied.all("X-Toxiproxy-Request-Id").count == 1 && copied.header("X-Toxiproxy-Request-Id") != "mine")
  }
}
