import Foundation
import Testing

/// `headwind completions` and `headwind man`, as shells and people call them.
@Suite(.blocking)
struct CommandLineCompletionTests {
  private func names(_ what: String, _ words: [String] = [], at url: String) throws -> [String] {
    let result = try Program.run(["completions", "--names", what, "--control", url] + words)
    #expect(result.status == 0 && result.errors == "")
    return result.output.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }
  }

  @Test func namesAreThoseOfNow() throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon(["web": upstream.address, "my db": upstream.address])
    try daemon.api.create(#"two\nlines"#, to: upstream.address)
    try daemon.api.create(String(repeating: "x", count: 300), to: upstream.address)
    try daemon.api.addToxic("bandwidth", #"{"rate":1000}"#, name: "slow", to: "web")
    let url = daemon.url
    #expect(try names("proxies", at: url) == ["my db", "web"])
    #expect(try names("toxics", ["--of", "web"], at: url) == ["slow"])
    #expect(try names("toxics", ["--of", "nobody"], at: url) == [])
    #expect(try names("toxics", at: url) == [])
    #expect(try names("attributes", ["--of", "web", "--of", "slow"], at: url) == ["rate="])
    #expect(try names("attributes", ["--of", "web", "--of", "latency"], at: url) == ["latency=", "jitter="])
    #expect(try names("attributes", at: url).contains("bytes="))
    #expect(try names("leases", at: url) == [] && names("sessions", at: url) == [])
    let lease = try daemon.api.post("/leases", #"{"profile":"3g","for":"60s"}"#).json["id"].string
    #expect(try names("leases", at: url) == [#require(lease)])
    let client = try daemon.connect("web")
    #expect(try client.echo("x") == "x")
    #expect(try names("sessions", at: url).count == 1)
    try daemon.api.put("/profiles/late", #"{"summary":"late","path":{"latency_ms":9}}"#)
    #expect(try Set(names("profiles", at: url)).isSuperset(of: ["late", "3g", "offline"]))
    let json = try Program.run(["completions", "--names", "proxies", "--control", url, "--json"]).json
    #expect(json["names"].array.count == 4)
  }

  /// Somebody waits at a prompt.
  @Test(arguments: ["http://127.0.0.1:1", "SILENT", "no address"])
  func withoutADaemonThereAreNoneAndNoWords(url: String) throws {
    let silent = try ListeningSocket()
    let url = url.replacingOccurrences(of: "SILENT", with: "http://\(silent.address)")
    #expect(try names("proxies", at: url) == [])
    #expect(try names("toxics", ["--of", "web"], at: url) == [])
    // These it has itself.
    #expect(try names("profiles", at: url).contains("3g"))
    #expect(try names("attributes", ["--of", "web", "--of", "slicer"], at: url).contains("average_size="))
  }

  @Test func profilesOfDirectoriesAreOfferedToo() throws {
    let directory = try TemporaryDirectory()
    try directory.write(#"{"summary":"mine","path":{"latency_ms":9}}"#, to: "mine.json")
    let words = ["completions", "--names", "profiles"]
    let found = try Program.run(words + ["--profiles", directory.path])
    #expect(found.output.contains("mine\tmine\n") && found.output.contains("\n3g\t"))
    let wrong = try Program.run(words + ["--profiles", "/nowhere"])
    #expect(wrong.status == 0 && wrong.errors == "" && wrong.output == "")
  }

  @Test(arguments: [
    ([], "missing: SHELL; allowed: bash, zsh, fish"), (["csh"], #"SHELL is "csh"; allowed: bash, zsh, fish"#),
    (["--names", "cats"], #"--names is "cats"; allowed: profiles, proxies, toxics, leases, sessions, attributes"#),
    (["bash", "--names", "proxies"], "exclude each other"),
  ])
  func whatIsNotUnderstoodIsTold(words: [String], says: String) throws {
    let result = try Program.run(["completions"] + words)
    #expect(result.status == 64 && result.output == "")
    #expect(result.errors.contains(says), "\(result.errors)")
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func aScriptIsPrintedAlsoAsJSON(shell: String) throws {
    let script = try Program.run(["completions", shell]).output
    #expect(script.contains("made by `headwind completions \(shell)`"))
    let json = try Program.run(["completions", shell, "--json"]).json
    #expect(json["shell"].string == shell && json["script"].string == script)
  }

  @Test func theManualIsPrintedAlsoAsJSON() throws {
    let page = try Program.run(["man"]).output
    #expect(page.contains("\n.Dt HEADWIND 1\n"))
    #expect(try Program.run(["man", "--json"]).json["page"].string == page)
  }

  @Test(arguments: ["man", "completions"])
  func areInTheHelpLikeOthers(name: String) throws {
    #expect(try Program.run(["help"]).output.contains("\n  \(name) "))
    #expect(try Program.run(["help", name]).output.contains("Usage: headwind \(name) [options]"))
  }
}
