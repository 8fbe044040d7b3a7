import Foundation
import Testing

/// Profiles on their way to other tools and from their files, as the binary prints them.
@Suite(.blocking)
struct CommandLineProfilesTests {
  @Test func anExportIsWithoutADaemonAndWithOneTheSame() throws {
    let daemon = try Daemon()
    for format in ["dnctl", "tc", "devtools", "toxiproxy"] {
      let local = try Program.run(["profiles", "export", "very-bad", "--format", format, "--json"])
      #expect(local.status == 0 && local.errors.isEmpty)
      #expect(local.json["profile"] == "very-bad-network")
      let asked = try Program.run(
        ["profiles", "export", "very-bad", "--format", format, "--json", "--control", daemon.url])
      #expect(asked.json == local.json)
      let text = try Program.run(["profiles", "export", "very-bad", "--format", format])
      #expect(text.status == 0)
      let isJSON = (try? JSONValue(text.output)) != nil
      #expect(isJSON == ["devtools", "toxiproxy"].contains(format), "notes don't stand in JSON")
      #expect(text.errors.contains("note: ") == isJSON)
    }
    #expect(try daemon.api.put("/profiles/mine", #"{"path":{"latency_ms":44}}"#).status == 201)
    let own = try Program.run(["profiles", "export", "mine", "--format", "devtools", "--control", daemon.url])
    #expect(own.json["params"]["latency"] == 44)
  }

  @Test func shellsUnderstandTheCommands() throws {
    for format in ["dnctl", "tc"] {
      let script = try Program.run(["profiles", "export", "elevator", "--format", format]).output
      #expect(script.contains("\n# To undo it:\n"))
      let directory = try TemporaryDirectory()
      try directory.write(script, to: "script")
      let shell = try Program("/bin/sh", ["-n", "\(directory.path)/script"])
      #expect(shell.exit() == 0, "\(shell.errors)")
    }
  }

  /// What is meant for toxiproxy is what our own classic API takes.
  @Test func populateTakesTheExport() throws {
    let daemon = try Daemon()
    let directory = try TemporaryDirectory()
    let words = ["--format", "toxiproxy", "--upstream", "127.0.0.1:9"]
    let export = try Program.run(["profiles", "export", "edge"] + words)
    try directory.write(export.output, to: "edge.json")
    let made = try Program.run(["populate", "\(directory.path)/edge.json", "--control", daemon.url])
    #expect(made.status == 0, "\(made.errors)")
    let proxy = try daemon.api.get("/proxies/edge").json
    #expect(proxy["upstream"] == "127.0.0.1:9")
    // The API lists them by stream.
    let toxics = proxy["toxics"].array
    #expect(toxics.count == 4)
    for toxic in export.json[0]["toxics"].array { #expect(toxics.contains(toxic), "\(toxic)") }
    let proxies = String(decoding: try daemon.api.get("/proxies").body, as: UTF8.self)
    try directory.write(proxies, to: "proxies.json")
    let again = try Program.run(["profiles", "import", "\(directory.path)/proxies.json", "--json"])
    let shown = try Program.run(["profiles", "show", "edge", "--json"])
    #expect(again.json["path"] == shown.json["path"])
  }

  @Test func anEmptyFileIsNone() throws {
    let directory = try TemporaryDirectory()
    try directory.write("", to: "empty.plist")
    let result = try Program.run(["profiles", "import", "\(directory.path)/empty.plist"])
    #expect(result.status == 1 && result.errors.contains("empty.plist: is empty"), "\(result.errors)")
  }

  @Test func anImportIsAFileForADirectoryOfProfiles() throws {
    let directory = try TemporaryDirectory()
    try directory.write("[Slow] label=\"s\", bwIn=800000, bwOut=400000, latency=90, plr=1\n", to: "connectivity.ini")
    let output = "\(directory.path)/profiles/slow.json"
    let words = ["profiles", "import", "\(directory.path)/connectivity.ini", "--output", output]
    let missing = try Program.run(words)
    #expect(missing.status == 1 && missing.output.isEmpty && missing.errors.contains(output), "\(missing.errors)")
    try FileManager.default.createDirectory(atPath: "\(directory.path)/profiles", withIntermediateDirectories: false)
    let made = try Program.run(words)
    #expect(made.status == 0 && made.output == "wrote \(output)\n", "\(made.errors)")
    let daemon = try Daemon([:], ["--profiles", "\(directory.path)/profiles", "--profile", "slow"])
    #expect(try daemon.api.get("/profile").json["name"] == "slow")
    let path = try daemon.api.get("/profiles/slow").json["path"]
    #expect(path["latency_ms"] == 90 && path["upstream_bytes_per_second"] == 50_000 && path["downstream_loss"] == 0.01)
    let printed = try Program.run(["profiles", "import", "\(directory.path)/connectivity.ini"])
    #expect(try daemon.api.put("/profiles/slow", printed.output.withoutComments).status == 200)
  }

  @Test(arguments: [
    (["export", "3g"], "--format is missing"), (["export", "3g", "--format", "ipfw"], #""ipfw""#),
    (["export", "--format", "tc"], "missing: PROFILE"),
    (["export", "3g", "--format", "tc", "--upstream", "a:1"], "--upstream is for --format toxiproxy only"),
    (["export", "3g", "--format", "toxiproxy", "--upstream", "a"], #"--upstream is "a""#),
    (["import"], "missing: FILE"),
    (["import", "x", "--format", "har"], #""har""#),
    (["import", "x", "--name", "a", "--output", "b.json"], #"keeps the profile "b""#),
  ])
  func whatCanNotBeUnderstoodIsAUsageError(words: [String], says: String) throws {
    let result = try Program.run(["profiles"] + words)
    #expect(result.status == 64 && result.output.isEmpty)
    #expect(result.errors.contains(says), "\(result.errors)")
  }

  @Test(arguments: [
    (["export", "3gg", "--format", "tc"], #"did you mean "3g""#),
    (["import", "/nonexistent.plist"], "/nonexistent.plist"),
  ])
  func whatCanNotBeDoneFails(words: [String], says: String) throws {
    let result = try Program.run(["profiles"] + words)
    #expect(result.status == 1 && result.output.isEmpty)
    #expect(result.errors.contains(says), "\(result.errors)")
  }
}

extension String {
  fileprivate var withoutComments: String {
    split(separator: "\n").filter { !$0.hasPrefix("//") }.joined(separator: "\n")
  }
}
