import Foundation
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// `headwind run` with one command: its status, its environment, and that it is left alone otherwise.
@Suite(.blocking)
struct RunTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  // MARK: Exit status

  static let endings: [(script: String, status: Int32)] = [
    ("exit 0", 0), ("exit 7", 7), ("exit 255", 255), ("kill -KILL $$", 137), ("kill -TERM $$", 143),
    ("kill -USR1 $$", 138),
  ]

  @Test(arguments: endings)
  func theStatusIsTheCommands(script: String, status: Int32) throws {
    #expect(try RunCommand.run([], script).status == status)
  }

  @Test func aCommandThatIsNotThereOrNotAProgram() throws {
    let missing = try Program.run(["run", "--", "no-such-command"])
    #expect(missing.status == 127)
    #expect(missing.errors.contains("headwind: command not found: no-such-command\n"), "\(missing.errors)")
    let file = try directory.write("text", to: "file")
    let refused = try Program.run(["run", "--", file])
    #expect(refused.status == 126)
    #expect(refused.errors.contains("headwind: \(file): Permission denied\n"), "\(refused.errors)")
    #expect(try Program.run(["run", "--", directory.path + "/absent"]).status == 127)
  }

  static let usageErrors: [(words: [String], says: String)] = [
    (["run"], "missing: -- COMMAND"), (["run", "--"], "missing: -- COMMAND"), (["run", "--", ""], "COMMAND is empty"),
    (["run", "ls"], #"unexpected argument "ls"; the command stands behind --"#),
    (["run", "--profiles", "3g,,lte", "--", "true"], "an empty name"),
    (["run", "--profiles", "3g,3g", "--", "true"], "3g twice"),
    (["run", "--profile", "3g", "--profiles", "lte", "--", "true"], "exclude each other"),
    (["run", "--repeat", "0", "--", "true"], #"--repeat is "0"; allowed: a whole number from 1"#),
    (["run", "--repeat", "x", "--", "true"], #""x""#),
    (["run", "--max-duration", "5", "--", "true"], "--max-duration"),
    (["run", "--expect-traffic", "--no-expect-traffic", "--", "true"], "exclude each other"),
    (["run", "--control", "http://127.0.0.1:1", "--", "true"], "--control needs --profile"),
    (["run", "--control", "http://127.0.0.1:1", "--seed", "1", "--profile", "3g", "--", "true"], "--seed"),
    (["run", "--proxy", "socks=127.0.0.1:1", "--", "true"], "--no-forward"),
    (["run", "--json", "--", "true"], "--json"), (["with"], "missing: PROFILE"),
    (["with", "3g"], "missing: -- COMMAND"), (["with", "--", "true"], "missing: PROFILE"),
    (["with", "3g", "lte", "--", "true"], #""lte""#),
  ]

  @Test(arguments: usageErrors)
  func aCommandLineThatCantBeUnderstood(words: [String], says: String) throws {
    let result = try Program.run(words)
    #expect(result.status == 64)
    #expect(result.errors.contains(says), "\(result.errors)")
    #expect(result.output.isEmpty)
  }

  @Test func nothingIsRunWhenItCouldNotBeReported() throws {
    let mark = directory.path + "/mark"
    let failing: [([String], String)] = [
      (["--report", "/nowhere/report"], "/nowhere/report: No such file"),
      (["--junit", directory.path], "Is a directory"), (["--profile", "3gg"], #"did you mean "3g""#),
      (["--profiles", "3g,3gg"], #"did you mean "3g""#), (["--proxy", "p=192.0.2.1:0,x:1"], "192.0.2.1"),
      (["--proxy", "a-b=x:1", "--proxy", "a.b=x:1"], "HEADWIND_PROXY_A_B"),
    ]
    for (options, says) in failing {
      let result = try RunCommand.run(options, "touch \(mark)")
      #expect(result.status == 1 && result.errors.contains(says), "\(options): \(result.errors)")
    }
    #expect(!FileManager.default.fileExists(atPath: mark))
  }

  @Test func withoutForwardProxiesTheCallersStay() throws {
    let result = try RunCommand.run(
      ["--no-forward"], "echo $HTTP_PROXY; echo ${!HEADWIND_PROXY_*}", environment: ["HTTP_PROXY": "http://corporate:1"]
    )
    #expect(result.output == "http://corporate:1\n\n", "\(result.output)")
    let one = try RunCommand.run(["--socks", "0"], "echo $HTTP_PROXY; echo $HEADWIND_PROXY_SOCKS")
    #expect(one.output.contains(#/^http:\/\/127\.0\.0\.1:\d+\n127\.0\.0\.1:\d+\n$/#), "\(one.output)")
  }

  // MARK: What the command finds

  @Test func theEnvironmentTellsOfTheDaemon() throws {
    let upstream = try Upstream.echo()
    let script = "env; \(RunCommand.echo) && exec \(Program.headwind) profiles show 3g --json"
    let result = try RunCommand.run(
      ["--proxy", "p=\(upstream.address)", "--proxy", "my-äpi.2=127.0.0.1:0,\(upstream.address)", "--profile", "3g"]
        + ["--seed", "42"], script,
      environment: ["HEADWIND_PROXY_STALE": "x", "NO_PROXY": "example.com, other", "LEFT": "a=b\nc"])
    #expect(result.status == 0, "\(result.errors)")
    let lines = result.output.split(separator: "\n").map(String.init)
    func value(_ name: String) -> String? {
      lines.first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
    }
    #expect(value("HEADWIND_PROFILE") == "3g" && value("HEADWIND_SEED") == "42")
    #expect(value("HEADWIND_PROXY_STALE") == nil && value("LEFT") == "a=b")
    let first = try #require(value("HEADWIND_PROXY_P")), second = try #require(value("HEADWIND_PROXY_MY__PI_2"))
    let http = try #require(value("HEADWIND_PROXY_HTTP_PROXY")), socks = try #require(value("HEADWIND_PROXY_SOCKS"))
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"] {
      #expect(value(name) == "http://\(http)")
    }
    #expect(value("ALL_PROXY") == "socks5h://\(socks)" && value("all_proxy") == "socks5h://\(socks)")
    let control = try #require(value("HEADWIND_URL")).dropFirst("http://".count)
    for name in ["NO_PROXY", "no_proxy"] {
      let exempt = value(name)?.split(separator: ",").map(String.init) ?? []
      #expect(Set(exempt).isSuperset(of: ["example.com", "other", first, second, String(control)]), "\(exempt)")
    }
  }

  @Test func theCommandIsLeftAlone() throws {
    let result = try RunCommand.run([], "yes | head -n 1 >/dev/null; echo ${PIPESTATUS[0]}")
    #expect(result.output == "141\n", "a broken pipe ends it as anywhere else")
    // Signals, descriptors, limits and bytes as they were.
    let script = """
      printf 'in' | (ulimit -Sn 300; exec "$0" run -- /bin/bash -c 'cat; ulimit -Sn')
      "$0" run -- printf %s "$(printf '\\377')" | od -An -tx1
      "$0" run -- printf '<%s>' '' 'a b' --help
      """
    let program = try Program("/bin/bash", ["-c", script, Program.headwind])
    #expect(program.exit() == 0, "\(program.errors)")
    #expect(program.output == "in300\n ff\n<><a b><--help>", "\(program.output)")
  }

  #if os(Linux)
    @Test func theCommandGetsNoDescriptorOfTheDaemons() throws {
      // Those that it inherits are passed on.
      let script = #"list='cd /proc/self/fd && echo *'; /bin/bash -c "$list"; exec "$@" /bin/bash -c "$list""#
      let words = ["-c", script, "bash", Program.headwind, "run", "--proxy", "p=127.0.0.1:1", "--"]
      let program = try Program("/bin/bash", words)
      #expect(program.exit() == 0)
      let lists = program.output.split(separator: "\n")
      #expect(lists.count == 2 && lists.first == lists.last, "\(lists)")
    }
  #endif

  @Test func theDaemonCanBeChangedByTheCommand() throws {
    let result = try RunCommand.run(
      ["--proxy", "p=127.0.0.1:1"], "exec \(Program.headwind) use lte --proxy p --json")
    #expect(result.status == 0 && result.output.contains(#""name":"lte""#), "\(result.output)\(result.errors)")
  }

  #if os(Linux)
    /// curl, as many others, reads the hosts of NO_PROXY without their ports: so the control API has one of its own.
    @Test func theControlAPIIsReachedPastTheForwardProxiesAndAllElseThroughThem() throws {
      let local = try Daemon()
      let script = """
        count() { curl -sS "$HEADWIND_URL/proxies/http-proxy/counters" | tr -d ' ' | grep -o '"sessions":[0-9]*'; }
        curl -sS -X PUT "$HEADWIND_URL/profile/none" && count && curl -sS http://\(local.api.address)/readyz && count
        """
      let result = try RunCommand.run(["--profile", "3g", "--no-expect-traffic"], script)
      #expect(result.status == 0, "\(result.errors)")
      let answers = try #require(result.output.firstMatch(of: #/"sessions":0\n(?s:.*)"sessions":1\n$/#))
      #expect(answers.0.contains(#""pid""#) && result.output.contains(#""none""#), "\(result.output)")
    }
  #endif

  @Test func theSeedIsToldWithTheWayToRepeatIt() throws {
    let result = try RunCommand.run(["--profile", "edge", "--connect-timeout", "2s"], "exit 3 # it's")
    let line = try #require(result.errors.split(separator: "\n").last)
    let seed = try #require(line.firstMatch(of: #/seed ([0-9]+); again: /#)?.1)
    let again = "headwind run --seed \(seed) --profile edge --connect-timeout 2s -- /bin/bash -c 'exit 3 # it'\\''s'"
    #expect(line.hasSuffix(again), "\(line)")
    let path = URL(fileURLWithPath: Program.headwind).deletingLastPathComponent().path
    let shell = try Program("/bin/sh", ["-c", again], environment: ["PATH": "\(path):/usr/bin:/bin"])
    #expect(shell.exit() == 3)
    #expect(shell.errors.contains("seed \(seed);"))
  }
}
