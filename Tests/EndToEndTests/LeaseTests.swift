import Foundation
import Testing

/// Leases as those who share a daemon see them.
@Suite(.blocking)
struct LeaseTests {
  private let upstream: Upstream
  private let daemon: Daemon

  init() throws {
    upstream = try Upstream.echo()
    daemon = try Daemon(["a": upstream.address, "b": upstream.address])
  }

  private var here: [String: String] { ["HEADWIND_URL": daemon.url] }

  private func take(_ terms: String) throws -> String {
    let response = try daemon.api.post("/leases", terms)
    try #require(response.status == 201, "\(response.error)")
    return try #require(response.json["id"].string)
  }

  // MARK: Over the API

  @Test func aLiveSessionFollowsALeaseAndReturns() throws {
    let client = try daemon.connect("a")
    #expect(try client.echo("x") == "x")
    let id = try take(#"{"profile":"edge","proxies":["a"]}"#)
    #expect(try client.echoTime("slow") >= .milliseconds(300))
    let other = try take(#"{"profile":"lte","proxies":["a"]}"#)
    #expect(try (50..<300).contains(client.echoTime("middling").milliseconds))
    #expect(try daemon.api.delete("/leases/\(id)").status == 204)
    #expect(try client.echoTime("middling") >= .milliseconds(50), "the other one counts")
    #expect(try daemon.api.delete("/leases/\(other)").status == 204)
    #expect(try client.echoTime("quick") < .milliseconds(300))
  }

  @Test func itEndsByItself() throws {
    let id = try take(#"{"profile":"offline","proxies":["a"],"for":"300ms","by":"suite"}"#)
    #expect(daemon.isEchoing("b") && !daemon.isEchoing("a"))
    #expect(eventually { daemon.isEchoing("a") })
    #expect(try daemon.api.get("/leases/\(id)").status == 404)
    let ended = try #require(daemon.events("lease_ended").last)
    #expect(ended["lease"].string == id && ended["cause"] == "expired" && ended["by"] == "suite")
  }

  /// Each suite works on a proxy of its own, and on its own alone.
  @Test func twoSuitesInParallelDoNotUndoEachOther() async throws {
    let (api, daemon) = (daemon.api, daemon)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (proxy, profile) in [("a", "offline"), ("b", "lte")] {
        group.addTask {
          for round in 0..<15 {
            let terms = #"{"profile":"\#(profile)","proxies":["\#(proxy)"],"reason":"round \#(round)"}"#
            let id = try #require(api.post("/leases", terms).json["id"].string)
            let path = "/proxies/\(proxy)/profile"
            #expect(try api.get(path).json["lease"]["id"].string == id)
            #expect(daemon.isEchoing(proxy) == (profile != "offline"))
            #expect(try api.post("/leases/\(id)/renew").status == 200)
            #expect(try api.delete("/leases/\(id)").status == 204)
            #expect(try api.get(path).json["name"] == "none")
            #expect(daemon.isEchoing(proxy))
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try daemon.events("lease_ended").count == 30)
  }

  // MARK: On the command line

  @Test func theCommandsTakeListRenewAndRelease() throws {
    let taken = try Program.run(
      ["leases", "take", "offline", "--proxy", "a", "--proxy=b", "--for", "90s", "--by", "me", "--reason", "why not"],
      environment: here)
    #expect(taken.status == 0 && taken.errors.isEmpty)
    let id = taken.output.trimmingCharacters(in: .newlines)
    #expect(try daemon.api.get("/leases/\(id)").json["proxies"] == ["a", "b"])
    let all = try Program.run(["leases", "take", "3g", "--json"], environment: here).json
    #expect(all["by"] == "headwind leases" && all["proxies"] == .null)
    let listed = try Program.run(["leases"], environment: here).output.split(separator: "\n")
    #expect(listed.count == 3 && listed[0].hasPrefix("LEASE"))
    let words = listed[2].split(separator: " ")
    #expect(words[..<5] == [Substring(id), "offline", "a,", "b", "me"] && listed[2].hasSuffix("why not"), "\(listed)")
    #expect(try Program.run(["leases", "ls", "--json"], environment: here).json["leases"].array.count == 2)
    let status = try Program.run(["status", "--json"], environment: here).json
    #expect(status["leases"].array.count == 2 && status["profile"]["name"] == "3g")
    let shown = try Program.run(["status"], environment: here).output
    #expect(shown.contains("3g (lease \(all["id"].string ?? "-"))") && shown.contains("why not"), "\(shown)")

    let renewed = try Program.run(["leases", "renew", id, "--for", "2h"], environment: here)
    #expect(renewed.output.hasPrefix("lease \(id): offline, until "))
    #expect(try daemon.api.get("/leases/\(id)").json["expires_in_ms"].number ?? 0 > 7_000_000)
    let released = try Program.run(["leases", "release", id, "x-1"], environment: here)
    #expect(released.status == 1 && released.output == "lease \(id): released\n")
    #expect(released.errors == "headwind: lease \"x-1\": no lease has this id, or it has ended\n")
    let none = try Program.run(["leases", "renew", id, "--json"], environment: here)
    #expect(none.status == 1 && none.output.isEmpty)
    let unknown = try Program.run(["leases", "take", "3gg"], environment: here)
    #expect(unknown.status == 1 && unknown.errors.contains(#"did you mean "3g"?"#))
    let nobody = try Program.run(["leases", "take", "3g", "--by", ""], environment: here)
    #expect(nobody.status == 1 && nobody.errors.hasPrefix(#"headwind: by is ""; allowed: 1 to 200 characters"#))
  }

  @Test func useForIsALeaseAndTheLastWordCounts() throws {
    #expect(try Program.run(["use", "lte"], environment: here).status == 0)
    let short = try Program.run(["use", "offline", "--for", "60s"], environment: here)
    #expect(short.status == 0 && short.output.hasPrefix("all proxies: offline, until ") && short.errors.isEmpty)
    #expect(try daemon.api.get("/leases").json["leases"].array.map { $0["by"].string } == ["headwind use"])
    let own = try Program.run(["use", "edge", "--for", "60s", "--proxy", "a", "--json"], environment: here)
    #expect(own.json["name"] == "edge" && own.json["lease"]["by"] == "headwind use")
    // Of the same scope: the lease before it ends, the one for the proxy stays.
    let next = try Program.run(["use", "3g", "--for", "60s"], environment: here)
    #expect(next.output.hasPrefix("all proxies: 3g, until "))
    #expect(try daemon.api.get("/leases").json["leases"].array.map { $0["profile"].string } == ["3g", "edge"])
    let lasting = try Program.run(["use", "none"], environment: here)
    #expect(lasting.output == "all proxies: none\n")
    #expect(lasting.errors.contains("warning: proxy a: edge stays in force, by lease "), "\(lasting.errors)")
    let cleared = try Program.run(["use", "--proxy", "a", "--clear"], environment: here)
    #expect(cleared.output == "proxy a: no profile of its own, that of all proxies is none\n")
    #expect(try daemon.api.get("/leases").json["leases"].array.isEmpty)
    let unknown = try Program.run(["use", "3g", "--for", "1s", "--proxy", "nope"], environment: here)
    #expect(unknown.status == 1 && unknown.errors.hasPrefix("headwind: proxy \"nope\": proxy not found; known: "))
  }

  @Test func useNamesTheLeaseOfAnother() throws {
    let id = try take(#"{"profile":"offline","by":"suite-a"}"#)
    let lasting = try Program.run(["use", "3g"], environment: here)
    #expect(lasting.status == 0 && lasting.output.hasPrefix("all proxies: offline, until "))
    for part in ["headwind: warning: ", "offline stays in force", "suite-a", "headwind leases release \(id)\n"] {
      #expect(lasting.errors.contains(part), "\(lasting.errors)")
    }
    let own = try Program.run(["use", "3g", "--proxy", "a", "--json"], environment: here)
    #expect(own.json["lease"]["id"].string == id)
    #expect(try JSONValue(own.errors)["warning"].string?.contains(id) == true)
    let short = try Program.run(["use", "3g", "--for", "60s"], environment: here)
    #expect(short.output.hasPrefix("all proxies: 3g, until ") && short.errors.isEmpty, "the newest counts")
    #expect(try daemon.api.get("/leases/\(id)").status == 200, "another's lease is left alone")
  }
}
