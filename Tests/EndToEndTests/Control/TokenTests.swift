import Foundation
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A daemon that asks for a token, and whoever has it or not.
@Suite(.blocking)
struct TokenTests {
  private static let token = "one-token-of-thirty-two-letters!"
  private static let other = "another-token-altogether-it-is"
  private let directory: TemporaryDirectory
  private let file: String

  init() throws {
    directory = try TemporaryDirectory()
    file = try directory.writeSecret(Self.token + "\n")
  }

  private func status(_ daemon: Daemon, _ token: String?, _ target: String = "/proxies") throws -> Int {
    try daemon.api.send("GET", target, headers: token.map { ["Authorization": "Bearer \($0)"] } ?? [:]).status
  }

  private func reload(_ daemon: Daemon, to message: String, times: Int = 1) {
    daemon.program.send(SIGHUP)
    #expect(eventually { daemon.log.components(separatedBy: message).count == times + 1 }, "\(daemon.log)")
  }

  // MARK: Serving

  @Test func withoutItOnlyProbesAreAnswered() throws {
    let daemon = try Daemon([:], ["--token-file", file])
    for (target, expected) in [("/proxies", 401), ("/metrics", 401), ("/healthz", 200), ("/readyz", 200), ("/", 401)] {
      #expect(try status(daemon, nil, target) == expected, "\(target)")
    }
    #expect(try status(daemon, Self.token) == 200)
    #expect(try daemon.api.get("/proxies").header("WWW-Authenticate") == "Bearer")
    let stream = try daemon.api.send("GET", "/events", headers: ["Accept": "text/event-stream"])
    #expect(stream.status == 401)
  }

  /// Every kind of call that headwind's own commands make.
  static let commands: [[String]] = [
    ["status"], ["proxies"], ["proxies", "create", "q", "--upstream", "127.0.0.1:1"], ["proxies", "show", "p"],
    ["toxics", "p"],
    ["toxics", "add", "p", "latency", "-a", "latency=1"], ["rules"], ["rules", "add", "a.test=direct"], ["sessions"],
    ["events"], ["events", "--last-id"], ["leases"], ["use", "3g"], ["use", "none", "--for", "1s"], ["reset"],
    ["assert", "--proxy", "p", "--max-connections", "0"], ["profiles"], ["profiles", "show", "3g"],
    ["with", "3g", "--", "true"],
    ["run", "--profile", "3g", "--quiet", "--", "true"],
  ]

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/bin/true")))
  func everyCommandSendsIt() throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon(["p": upstream.address], ["--token-file", file])
    for words in Self.commands {
      let place = words.firstIndex(of: "--") ?? words.endIndex
      let (own, rest) = (words[..<place] + ["--control", daemon.url], words[place...])
      let refused = try Program.run(Array(own + rest))
      #expect(refused.status == 1 && refused.errors.contains("asks for a token"), "\(words): \(refused)")
      for (options, environment) in [
        (["--token-file", file], [:]), ([], ["HEADWIND_TOKEN_FILE": file]), ([], ["HEADWIND_TOKEN": Self.token]),
        (["--token-file", file], ["HEADWIND_TOKEN": Self.other]),
      ] {
        // What it makes is there from the second time on.
        let allowed: Set<Int32?> = words.contains("create") || words.contains("add") ? [0, 1] : [0]
        let result = try Program.run(Array(own + options + rest), environment: environment)
        #expect(allowed.contains(result.status) && !result.errors.contains("a token"), "\(words): \(result)")
      }
    }
    #expect(!daemon.log.contains(Self.token))
  }

  @Test func whatCommandsSayOfOneThatIsWrong() throws {
    let daemon = try Daemon([:], ["--token-file", file])
    let wrong = try directory.writeSecret(Self.other, to: "wrong")
    let result = try Program.run(["status", "--control", daemon.url, "--token-file", wrong])
    #expect(result.status == 1 && result.errors.contains("not the daemon's token"))
    #expect(!result.errors.contains(Self.other))
    let short = try Program.run(["status", "--control", daemon.url], environment: ["HEADWIND_TOKEN": "S3CRET"])
    #expect(short.status == 1 && short.errors.contains("HEADWIND_TOKEN has 6 characters; allowed"))
    #expect(!short.errors.contains("S3CRET"))
  }

  // MARK: The file

  static let badFiles: [(text: String, mode: mode_t, says: String)] = [
    ("one-token-of-thirty-two-letters!", 0o644, "has mode 0644"),
    ("one-token-of-thirty-two-letters!", 0o640, "has mode 0640"),
    ("S3CRET", 0o600, "has 6 characters; allowed: one line of 16 to 4096"), ("", 0o600, "has 0 characters"),
    ("S3CRET-in-two\nlines-of-text", 0o600, "has something else at byte 14"),
  ]

  @Test func aFileThatWontDoEndsTheStart() throws {
    for row in Self.badFiles {
      let file = try directory.writeSecret(row.text, to: "bad")
      #expect(chmod(file, row.mode) == 0)
      let result = try Program.run(["serve", "--control", "127.0.0.1:0", "--token-file", file])
      #expect(result.status == 1 && result.errors.contains("token file \(file) \(row.says)"), "\(result)")
      #expect(result.errors.split(separator: "\n").count == 1 && !result.errors.contains("S3CRET"))
    }
    let none = try Program.run(["serve", "--control", "127.0.0.1:0", "--token-file", "/nowhere"])
    #expect(none.errors == "headwind: token file /nowhere cannot be read: No such file or directory\n")
  }

  /// systemd lets the service's user read a credential by an access list, which shows as the group's right.
  @Test func aCredentialMayBeReadByItsGroup() throws {
    let credentials = ["CREDENTIALS_DIRECTORY": directory.path]
    for (mode, environment, isTaken) in [
      (0o440, credentials, true), (0o440, [:], false), (0o444, credentials, false), (0o460, credentials, false),
      (0o440, ["CREDENTIALS_DIRECTORY": directory.path + "x"], false),
    ] as [(mode_t, [String: String], Bool)] {
      #expect(chmod(file, mode) == 0)
      guard isTaken else {
        let result = try Program.run(
          ["serve", "--control", "127.0.0.1:0", "--token-file", file], environment: environment)
        #expect(result.status == 1 && result.errors.contains("has mode"), "\(result)")
        continue
      }
      let daemon = try Daemon([:], ["--token-file", file], environment: environment)
      #expect(try status(daemon, Self.token) == 200)
    }
  }

  // MARK: Reload

  @Test func aReloadReadsItAgainOrChangesNothing() throws {
    let config = try directory.write("{token_file: 'token', profile: '3g'}", to: "config.json5")
    let daemon = try Daemon([:], ["--config", config])
    #expect(try status(daemon, Self.token) == 200)
    _ = try directory.writeSecret(Self.other)
    #expect(try status(daemon, Self.token) == 200)
    reload(daemon, to: "reloaded")
    #expect(try status(daemon, Self.token) == 401)
    #expect(try status(daemon, Self.other) == 200)

    // The profile is changed, too; but the file is everybody's.
    try directory.write("{token_file: 'token', profile: 'edge'}", to: "config.json5")
    #expect(chmod(file, 0o604) == 0)
    reload(daemon, to: "not reloaded")
    #expect(daemon.log.contains("has mode 0604"))
    #expect(try status(daemon, Self.other) == 200)
    let profile = try daemon.api.send("GET", "/profile", headers: ["Authorization": "Bearer \(Self.other)"])
    #expect(profile.json["name"] == "3g")

    try directory.write("{profile: 'edge'}", to: "config.json5")
    reload(daemon, to: "reloaded\n", times: 2)
    #expect(try status(daemon, nil) == 200)
    #expect(!daemon.log.contains(Self.token) && !daemon.log.contains(Self.other))
  }

  /// Other machines must not be let in by a reload.
  @Test func otherMachinesNeedItAsLongAsTheDaemonRuns() throws {
    let config = try directory.write("{token_file: 'token', control: '0.0.0.0:0'}", to: "config.json5")
    let program = try Program(Program.headwind, ["serve", "--config", config])
    let ready = try Daemon.readyLine(of: program)
    let port = try Address(try #require(ready["control"].string)).port
    let api = API(address: Address(host: "127.0.0.1", port: port))
    #expect(try api.get("/proxies").status == 401)
    try directory.write("{control: '0.0.0.0:0'}", to: "config.json5")
    program.send(SIGHUP)
    #expect(eventually { program.errors.contains("not reloaded") })
    #expect(program.errors.contains("--token-file, or --allow-remote"))
    #expect(try api.get("/proxies").status == 401)
  }

  // MARK: Where it is not

  @Test func runsCommandFindsTheFileAndNotTheToken() throws {
    // The command asks the daemon itself: with what it finds in its environment, and without it.
    let script = #"env; "$0" use edge && env -u HEADWIND_TOKEN_FILE "$0" use lte"#
    let words = ["run", "--token-file", file, "--quiet", "--", "/bin/sh", "-c", script, Program.headwind]
    let result = try Program.run(words, environment: ["HEADWIND_TOKEN": Self.other])
    #expect(result.status == 1 && result.errors.contains("asks for a token"), "\(result)")
    #expect(result.output.contains("HEADWIND_TOKEN_FILE=\(file)\n") && result.output.contains("all proxies: edge"))
    #expect(!(result.output + result.errors).contains(Self.token) && !result.output.contains(Self.other))
  }

  /// One that is for another daemon is no business of a command that speaks to its own.
  @Test func runsCommandDoesntFindAnotherDaemonsToken() throws {
    let result = try Program.run(
      ["run", "--quiet", "--", "/usr/bin/env"],
      environment: ["HEADWIND_TOKEN": Self.other, "HEADWIND_TOKEN_FILE": "/nowhere"])
    #expect(result.status == 0 && result.output.contains("HEADWIND_URL=") && !result.output.contains("HEADWIND_TOKEN"))
  }

  #if os(Linux)
    /// Who lists processes sees arguments, and a process's own user its environment.
    @Test func noProcessShowsIt() throws {
      let daemon = try Daemon([:], ["--token-file", file])
      for name in ["cmdline", "environ"] {
        let data = try #require(FileManager.default.contents(atPath: "/proc/\(daemon.program.identifier)/\(name)"))
        #expect(!String(decoding: data, as: UTF8.self).contains(Self.token))
      }
      #expect(try Program.run(["status", "--token", Self.token]).errors.contains("unknown option --token"))
      #expect(try !Program.run(["status", "--token=\(Self.token)"]).errors.contains(Self.token))
    }
  #endif
}
