import Foundation
import Testing

/// What a terminal gets besides: colours, where nobody has said no. `script` of util-linux is the terminal.
#if os(Linux)
  @Suite(.blocking)
  struct CommandLineTerminalTests {
    private func onTerminal(_ words: [String], _ environment: [String: String]) throws -> String {
      let command = ([Program.headwind] + words).map { "'\($0)'" }.joined(separator: " ")
      let script = "exec script -qec \"$0\" /dev/null </dev/null"
      let program = try Program("/bin/sh", ["-c", script, command], environment: environment)
      #expect(program.exit() == 0, "\(program.errors)")
      return program.output
    }

    /// In place, and ^C leaves the terminal as it was: nothing about it has been changed.
    @Test func aWatchedStatusIsDrawnOverItself() throws {
      let daemon = try Daemon(["web": Address(host: "127.0.0.1", port: 1)])
      let command = "'\(Program.headwind)' status --watch --control '\(daemon.url)'"
      let script = "exec script -qec \"$0\" /dev/null </dev/null"
      let watch = try Program("/bin/sh", ["-c", script, command], environment: ["TERM": "xterm"])
      let home = "\u{1B}[H"
      #expect(eventually { watch.output.components(separatedBy: home).count > 3 }, "\(watch.output)")
      watch.send(SIGTERM)
      #expect(eventually { watch.ended() != nil })
      #expect(watch.output.components(separatedBy: "\u{1B}[2J").count == 2, "cleared once")
      // Colours, the place to write at, and what is cleared: nothing that would have to be taken back.
      let left = watch.output.replacing(/\u{1B}\[[0-9;]*[mHJK]/, with: "")
      #expect(!left.contains("\u{1B}"), "\(left)")
    }

    @Test func theStateHasAColourOnATerminalAlone() throws {
      let daemon = try Daemon(["web": Address(host: "127.0.0.1", port: 1)])
      let words = ["proxies", "--control", daemon.url]
      #expect(try onTerminal(words, ["TERM": "xterm"]).contains("\u{1B}[32menabled\u{1B}[0m  "))
      for environment in [["TERM": "xterm", "NO_COLOR": "1"], ["TERM": "dumb"]] {
        let plain = try onTerminal(words, environment)
        #expect(plain.contains(" enabled ") && !plain.contains("\u{1B}"), "\(plain)")
      }
      #expect(try !Program.run(words, environment: ["TERM": "xterm"]).output.contains("\u{1B}"))
    }
  }
#endif
