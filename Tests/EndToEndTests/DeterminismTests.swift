import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The seed decides, by proxy and session number: whatever else goes on, the same traffic meets the same fate.
@Suite(.blocking)
struct DeterminismTests {
  /// What was decided, without when and in which order among sessions.
  private struct Decision: Hashable, Comparable, CustomStringConvertible {
    let description: String

    init(_ event: JSONValue) {
      let keys = ["proxy", "number", "toxic", "toxic_type", "stream", "exchange", "outcome", "how"]
      let values = keys.map { key in event[key].string ?? event[key].int.map { "\($0 + 100_000)" } ?? "-" }
      description = values.joined(separator: " ")
    }

    static func < (a: Self, b: Self) -> Bool { a.description < b.description }
  }

  private static let profile = #"""
    {"toxics":[{"name":"half","type":"latency","toxicity":0.5,"attributes":{"latency":1}},
      {"name":"cut","type":"drop","attributes":{"probability":0.3,"per":"exchange","how":"reset"}},
      {"name":"away","type":"drop","attributes":{"probability":0.2,"per":"connection","how":"close"}}]}
    """#

  /// Twenty sessions of up to three requests each, one after another.
  private func talk(_ daemon: Daemon, _ proxy: String) throws {
    for _ in 0..<20 {
      let client = try daemon.connect(proxy)
      for _ in 0..<3 {
        do {
          try client.send("ping")
          guard try client.receive(exactly: 4) == Array("ping".utf8) else { break }
        } catch is SocketError {
          break
        }
      }
      client.close()
    }
  }

  /// The decisions about the sessions of the proxy `web`.
  private func decisions(seed: Int, beside: Bool = false) throws -> [Decision] {
    let upstream = try Upstream.echo()
    let daemon = try Daemon(["web": upstream.address, "other": upstream.address], ["--seed", "\(seed)"])
    #expect(try daemon.api.put("/profiles/dice", Self.profile).status == 201)
    try daemon.api.use("dice")
    let noise = beside ? Worker { try talk(daemon, "other") } : nil
    try talk(daemon, "web")
    try noise?.value()
    #expect(try eventually { try daemon.sessions.isEmpty })
    let events = try daemon.events("decision")
    let others = events.filter { $0["proxy"] == "other" }
    #expect(others.isEmpty != beside)
    let decisions = events.filter { $0["proxy"] == "web" }.map(Decision.init)
    // Each session's come in order; sessions may overlap in their ends.
    #expect(Set(decisions).count == decisions.count, "each is told once")
    return decisions.sorted()
  }

  @Test func theSameSeedDecidesTheSame() throws {
    let first = try decisions(seed: 7)
    for outcome in ["applied", "skipped", "passed", "dropped"] {
      #expect(first.contains { $0.description.contains(" \(outcome) ") }, "\(outcome) in \(first)")
    }
    #expect(try decisions(seed: 7) == first)
    #expect(try decisions(seed: 7, beside: true) == first, "whatever goes on beside it")
    #expect(try decisions(seed: 8) != first)
  }
}
