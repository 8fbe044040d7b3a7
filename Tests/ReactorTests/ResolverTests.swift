import Synchronization
import LoopTesting
import Testing

@testable import Reactor

@Suite struct ResolverTests {
  private final class Answers {
    var results: [Result<[SocketAddress], ResolveError>] = []
    func add(_ result: Result<[SocketAddress], ResolveError>) { results.append(result) }
  }

  /// A lookup that a test can hold up.
  private final class Gate: Sendable {
    let isOpen = Atomic(false)
    let entered = Atomic(0)

    func pass() {
      entered.add(1, ordering: .relaxed)
      while !isOpen.load(ordering: .acquiring) { nap() }
    }
  }

  private func resolve(_ host: String, _ service: String) throws -> Result<[SocketAddress], ResolveError> {
    let loop = try EventLoop()
    let resolver = try Resolver(loop: loop)
    let answers = Answers()
    let request = resolver.resolve(host: host, service: service, completion: answers.add)
    #expect(answers.results.isEmpty, "never during the call")
    try loop.runUntil { !answers.results.isEmpty }
    _ = request
    loop.run(forMilliseconds: 1)
    #expect(answers.results.count == 1)
    return answers.results[0]
  }

  @Test(arguments: [("127.0.0.1", "127.0.0.1:80"), ("::1", "[::1]:80"), ("[::1]", "[::1]:80")])
  func literalsNeedNoThread(host: String, description: String) throws {
    let loop = try EventLoop()
    let resolver = try Resolver(loop: loop)
    let answers = Answers()
    let request = resolver.resolve(host: host, service: "80", completion: answers.add)
    try loop.runUntil { !answers.results.isEmpty }
    #expect(try answers.results[0].get().map(\.description) == [description])
    #expect(resolver.threadCount == 0)
    _ = request
  }

  @Test func localhostIsLoopback() throws {
    let addresses = try resolve("localhost", "81").get()
    #expect(!addresses.isEmpty)
    #expect(addresses.allSatisfy { $0.isLoopback && $0.port == 81 })
    #expect(Set(addresses).count == addresses.count)
  }

  @Test func serviceNamesWork() throws {
    #expect(try resolve("127.0.0.1", "http").get() == [.loopback(80)])
  }

  @Test(arguments: [
    ("no-such-host..invalid", "80"), ("127.0.0.1", "no-such-service"), ("", "80"), ("localhost", ""),
    ("localhost", "65536"), ("127.0.0.1", "99999999999999999999"), ("a\0b", "80"), ("localhost", "8\0"),
  ])
  func whatCannotBeResolvedSaysWhy(host: String, service: String) throws {
    let result = try resolve(host, service)
    guard case .failure(let error) = result else {
      Issue.record("resolved to \(result)")
      return
    }
    #expect(error.host == host)
    #expect(!error.reason.isEmpty)
    #expect("\(error)" == "resolve \(host): \(error.reason)")
  }

  @Test func aCancelledOrDroppedRequestStaysSilent() throws {
    let loop = try EventLoop()
    let resolver = try Resolver(loop: loop)
    let cancelled = resolver.resolve(host: "localhost", service: "80") { _ in Issue.record("cancelled") }
    cancelled.cancel()
    _ = resolver.resolve(host: "localhost", service: "80") { _ in Issue.record("dropped") }
    _ = resolver.resolve(host: "127.0.0.1", service: "80") { _ in Issue.record("dropped literal") }
    let answers = Answers()
    let request = resolver.resolve(host: "localhost", service: "80", completion: answers.add)
    try loop.runUntil { !answers.results.isEmpty }
    _ = request
  }

  @Test func aHungLookupTimesOutAndHoldsUpItsThreadOnly() throws {
    let loop = try EventLoop()
    let gate = Gate()
    let resolver = try Resolver(loop: loop, timeoutNanoseconds: 30_000_000) { host, _ in
      if host == "hung" { gate.pass() }
      return .success([.loopback(1)])
    }
    let (hung, quick) = (Answers(), Answers())
    let first = resolver.resolve(host: "hung", service: "1", completion: hung.add)
    let second = resolver.resolve(host: "quick", service: "1", completion: quick.add)
    try loop.runUntil { !quick.results.isEmpty && !hung.results.isEmpty }
    #expect(quick.results == [.success([.loopback(1)])])
    #expect(hung.results == [.failure(ResolveError(host: "hung", reason: "timed out after 0.03 s", isLate: true))])
    gate.isOpen.store(true, ordering: .releasing)
    loop.run(forMilliseconds: 5)
    #expect(hung.results.count == 1, "the late answer isn't heard")
    _ = (first, second)
  }

  @Test func threadsAndQueueAreLimited() throws {
    let loop = try EventLoop()
    let gate = Gate()
    let resolver = try Resolver(
      loop: loop, timeoutNanoseconds: 60_000_000_000, threadsMax: 2, queueMax: 3, idleSeconds: 0
    ) { _, _ in
      gate.pass()
      return .success([.loopback(1)])
    }
    let answers = Answers()
    var refused = 0
    resolver.onFull = { refused += 1 }
    var requests = (0..<2).map { resolver.resolve(host: "h\($0)", service: "1", completion: answers.add) }
    try loop.runUntil { gate.entered.load(ordering: .relaxed) == 2 }
    requests += (2..<6).map { resolver.resolve(host: "h\($0)", service: "1", completion: answers.add) }
    try loop.runUntil { answers.results.count == 1 }
    #expect(answers.results == [.failure(ResolveError(host: "h5", reason: "too many lookups are waiting"))])
    #expect(resolver.requestCount == 5 && refused == 1)
    // A cancelled request gives up its place.
    requests[4].cancel()
    requests.append(resolver.resolve(host: "h6", service: "1", completion: answers.add))
    loop.run(forMilliseconds: 1)
    #expect(answers.results.count == 1)
    #expect(resolver.threadCount == 2)
    gate.isOpen.store(true, ordering: .releasing)
    try loop.runUntil { answers.results.count == 6 }
    #expect(resolver.requestCount == 0 && refused == 1)
    #expect(gate.entered.load(ordering: .relaxed) == 5, "the cancelled one was never asked")
    try loop.runUntil { resolver.threadCount == 0 }
    // And they start again.
    let request = resolver.resolve(host: "again", service: "1", completion: answers.add)
    try loop.runUntil { answers.results.count == 7 }
    _ = request
  }
}
