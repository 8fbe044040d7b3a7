import LoopTesting
import Testing

@testable import Proxying
@testable import Reactor
@testable import Settings

/// A registry with further loops, which run while it does.
@Suite struct RegistryLoopTests {
  private let loop: EventLoop

  init() throws { loop = try EventLoop() }

  private func registry() throws -> ProxyRegistry {
    let registry = try ProxyRegistry(
      loop: loop, loops: 3, catalogue: ProfileCatalogue(), seed: 1, log: Log(level: .silent) { (_: String) in })
    try registry.startLoops()
    return registry
  }

  /// Whoever lets it go needs not have stopped them.
  @Test func itEndsItsLoopsWhenItIsDropped() throws {
    var registry: ProxyRegistry? = try registry()
    #expect(registry?.loopCount == 3)
    registry = nil
    #expect(try self.registry().sessionCount == 0)
  }

  @Test func proxiesAreSharedOut() throws {
    let registry = try registry()
    var homes: [Int: Int] = [:]
    for number in 0..<7 {
      var bindings: [Result<Binding, RegistryError>]?
      registry.resolve(["127.0.0.1:0"]) { bindings = $0 }
      try loop.runUntil { bindings != nil }
      registry.beginCall()
      let spec = ProxySpec(name: "p\(number)", listen: "127.0.0.1:0", upstream: "127.0.0.1:1")
      let proxy = try registry.create(spec, binding: try bindings?[0].get())
      let home = try #require(registry.tables.firstIndex { $0 === proxy.home })
      #expect(proxy.sessions === proxy.home)
      homes[home, default: 0] += 1
    }
    #expect(homes == [0: 2, 1: 2, 2: 3])
    registry.stopLoops()
  }
}
