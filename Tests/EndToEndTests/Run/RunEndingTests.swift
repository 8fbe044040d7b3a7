import Foundation
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// However a run ends, nothing of it is left.
@Suite(.blocking)
struct RunEndingTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private static let soon = Duration.seconds(1) + Machine.promptly
  /// Tells who it is and where the daemon is, then stays.
  private static let staying = "echo $$ $HEADWIND_PROXY_P ${HEADWIND_URL#http://}; while :; do sleep 0.05; done"

  /// A run that is under way: its command's process, and the addresses that the daemon listens on.
  private func underway(
    _ options: [String] = [], _ script: String = staying
  ) throws -> (program: Program, command: Int32, addresses: [Address]) {
    let (program, words) = try RunCommand.start(["--proxy", "p=127.0.0.1:1"] + options, script)
    let addresses = try words[1...].map { try Address($0) }
    for address in addresses { try #require(RunCommand.isListening(address)) }
    return (program, try #require(Int32(words[0])), addresses)
  }

  #if os(Linux)
    @Test func killingTheRunEndsTheCommandAndFreesThePorts() throws {
      let (program, command, addresses) = try underway()
      program.send(SIGKILL)
      #expect(eventually(within: Self.soon) { !addresses.contains(where: RunCommand.isListening) })
      #expect(eventually(within: Self.soon) { !RunCommand.isAlive(command) })
    }

    enum Victim: String, CaseIterable { case run, guardian, command, shell }

    /// A shell below the command, and two processes below that; one has a session of its own. All tell their numbers.
    private static let tree = """
      (echo shell $BASHPID >&4; setsid sleep 61 & echo far $! >&4; sleep 62 & echo near $! >&4; wait) &
      echo command $$ >&4; echo guardian $PPID >&4;
      """

    @Test(arguments: Victim.allCases)
    func nothingOfATreeIsLeft(victim: Victim) throws {
      let file = try directory.write("", to: "tree")
      let (program, _, addresses) = try underway([], "exec 4>>\(file); \(Self.tree) \(Self.staying)")
      var tree: [Substring: Int32] {
        let lines = ((try? String(contentsOfFile: file, encoding: .utf8)) ?? "").split(separator: "\n")
        let pairs = lines.map { $0.split(separator: " ") }.filter { $0.count == 2 }
        return Dictionary(pairs.map { ($0[0], Int32($0[1]) ?? 0) }) { $1 }
      }
      try #require(eventually { tree.count == 5 })
      let found = tree
      if victim == .run { program.send(SIGKILL) } else { kill(try #require(found[victim.rawValue[...]]), SIGKILL) }
      // The command doesn't care, and ends when it is asked to.
      if victim == .shell { program.send(SIGTERM) }
      #expect(eventually(within: Self.soon) { !found.values.contains(where: RunCommand.isAlive) })
      #expect(eventually(within: Self.soon) { !addresses.contains(where: RunCommand.isListening) })
      #expect(program.exit(within: .seconds(5)) == (victim == .run ? nil : victim == .shell ? 143 : 137))
    }

    /// What is about to end by itself is given the time to.
    @Test func whatACommandLeavesRunningIsEndedButNotWhatWasThereBefore() throws {
      let script = """
        out=$("$0" run -- /bin/bash -c 'setsid sleep 64 >/dev/null & echo $!; exec > >(sleep 0.05; cat); echo last')
        kill -0 ${out%%[^0-9]*} || echo "ended; ${out#*$'\n'}"
        /bin/bash -c 'sleep 63 >/dev/null & echo $! >"$1"; exec "$0" run --max-duration 100ms -- sleep 65' "$0" "$1"
        kill $(cat "$1") && echo there
        """
      let program = try Program("/bin/bash", ["-c", script, Program.headwind, directory.path + "/stranger"])
      #expect(program.exit(within: .seconds(20)) == 0, "\(program.errors)")
      #expect(program.output == "ended; last\nthere\n", "\(program.output)")
    }

    /// A terminal that is not theirs doesn't send them anything: they start a session of their own.
    @Test(arguments: [SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2])
    func signalsAreForTheCommand(signal: Int32) throws {
      let script = "trap 'echo got it; exit 9' \(signal); echo ready; while :; do sleep 0.02; done"
      let words = ["setsid", Program.headwind] + RunCommand.words([], script)
      let program = try Program("/usr/bin/env", words)
      #expect(try RunCommand.firstLine(of: program) == ["ready"])
      program.send(signal)
      #expect(program.exit(within: .seconds(5)) == 9)
      #expect(program.output == "ready\ngot it\n", "\(program.output)")
    }

    /// ^C is for all processes in front of a terminal: the command must not get it a second time.
    @Test func aKeyOfTheTerminalIsNotPassedOn() throws {
      let script = """
        trap 'n=$((n + 1))' INT; echo ready; until [ "$n" ]; do sleep 0.02; done
        for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.03; done; echo "n is $n"; exit 4
        """
      let file = try directory.write(script, to: "script")
      let typed = directory.path + "/typed"
      let keys = """
        ( until grep -qs ready "$1"; do sleep 0.02; done; printf '\\003'
          until grep -q 'n is' "$1"; do sleep 0.02; done ) | exec script -qefc "$2" "$1"
        """
      let command = "exec \(Program.headwind) run -- /bin/bash \(file)"
      let program = try Program("/bin/bash", ["-c", "set -o pipefail; \(keys)", "bash", typed, command])
      #expect(program.exit(within: .seconds(15)) == 4, "\(program.errors)")
      #expect(program.output.contains("n is 1"), "\(program.output)")
    }
  #endif

  @Test func killingTheCommandEndsTheRun() throws {
    let (program, command, addresses) = try underway()
    kill(command, SIGKILL)
    #expect(program.exit(within: Self.soon) == 137)
    #expect(!addresses.contains(where: RunCommand.isListening))
  }

  @Test func itWaitsForACommandThatTakesItsTimeToEnd() throws {
    let (busy, stop) = (directory.path + "/busy", directory.path + "/stop")
    let (program, command, addresses) = try underway(
      [], "trap 'touch \(busy); until [ -e \(stop) ]; do sleep 0.02; done; exit 6' TERM; \(Self.staying)")
    program.send(SIGTERM)
    #expect(eventually { FileManager.default.fileExists(atPath: busy) })
    #expect(RunCommand.isAlive(command) && RunCommand.isListening(addresses[0]))
    try directory.write("", to: "stop")
    #expect(program.exit(within: .seconds(5)) == 6)
  }

  @Test func aSignalThatWasIgnoredBeforeStaysIgnored() throws {
    let stop = directory.path + "/stop"
    let script = "echo $$; until [ -e \(stop) ]; do sleep 0.02; done; exit 3"
    let program = try Program(
      "/bin/bash", ["-c", #"trap "" HUP; exec "$@""#, "bash", Program.headwind] + RunCommand.words([], script))
    let command = try #require(Int32(try RunCommand.firstLine(of: program)[0]))
    program.send(SIGHUP)
    kill(command, SIGHUP)
    try directory.write("", to: "stop")
    #expect(program.exit(within: .seconds(5)) == 3)
  }

  @Test func whatTheParentBlocksOrIgnoresIsNoHindrance() throws {
    let script = "trap 'exit 7' TERM; echo ready; while :; do sleep 0.02; done"
    let words = ["-c", #"trap "" CHLD; exec "$@""#, "bash", Program.headwind] + RunCommand.words([], script)
    let program = try Program("/bin/bash", words, blocked: [SIGTERM, SIGCHLD])
    #expect(try RunCommand.firstLine(of: program) == ["ready"])
    program.send(SIGTERM)
    #expect(program.exit(within: .seconds(5)) == 7)
  }

  // MARK: The time limit

  @Test func aCommandThatIgnoresTheLimitIsKilledWithAllThatItStarted() throws {
    let script = "trap '' TERM; sleep 61 & echo $$ $HEADWIND_PROXY_P; echo $!; while :; do sleep 1; done"
    var found: (program: Program, command: Int32, addresses: [Address])?
    let time = try elapsed {
      found = try underway(["--max-duration", "1s"], script)
      #expect(found?.program.exit(within: .seconds(15)) == 124)
    }
    #expect(time > .milliseconds(5_900) && time < .seconds(9))
    let program = try #require(found?.program)
    let child = try #require(Int32(program.output.split(separator: "\n")[1]))
    #if os(Linux)
      #expect(eventually(within: Self.soon) { !RunCommand.isAlive(child) })
    #endif
    #expect(program.errors.contains("--max-duration"), "\(program.errors)")
  }

  @Test func aCommandThatEndsAtTheLimitLeavesNothingRunning() throws {
    let (program, words) = try RunCommand.start(
      ["--max-duration", "1s"], "(sleep 62 & echo $!); exec sleep 63")
    #expect(program.exit(within: .seconds(4)) == 124)
    #if os(Linux)
      let child = try #require(Int32(words[0]))
      #expect(eventually(within: Self.soon) { !RunCommand.isAlive(child) })
    #endif
  }

  @Test func withinTheLimitNothingIsDone() throws {
    #expect(try RunCommand.run(["--max-duration", "1h"], "exit 5").status == 5)
  }
}
