import Testing

/// Files in a directory of profiles that are none.
@Suite(.blocking)
struct ProfileFileTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func run(_ script: String, _ words: [String]) throws -> Program.Result {
    let program = try Program("/bin/sh", ["-c", "cd \"$0\"; \(script)", directory.path, Program.headwind] + words)
    let status = program.exit()
    return Program.Result(status: status, output: program.output, errors: program.errors)
  }

  private static let check = #""$@" --profiles ."#

  #if os(Linux)
    /// With so little memory it can't be read first and measured then.
    @Test(arguments: ["p.json", "trace"]) func aFileOfGigabytesIsNotRead(_ name: String) throws {
      try directory.write(#"{"path":{"latency_ms":50,"trace":{"downstream_file":"trace"}}}"#, to: "p.json")
      let large = "dd if=/dev/zero of=\(name) bs=1 count=1 seek=2000000000 2>/dev/null"
      let result = try run("\(large); ulimit -v 1000000; exec \(Self.check)", ["check-config"])
      #expect(result.status == 1)
      #expect(result.errors.contains("has 2000000001 bytes; allowed: at most "), "\(result.errors)")
    }
  #endif

  @Test(arguments: [
    ("mkfifo p.json", "p.json: cannot be read: not a regular file"),
    ("ln -s /dev/zero p.json", "p.json: cannot be read: not a regular file"),
    ("ln -s p.json p.json", "p.json: cannot be read: "), ("mkdir p.json", "p.json: cannot be read: it is a directory"),
    ("ln -s nothing p.json", "p.json: cannot be read: no such file or directory"),
    (#"echo {} > "$(printf 'a\nb').json""#, #"./a\nb.json: name is "a\nb"; allowed: "#),
  ]) func whatIsNoProfileIsTold(_ script: String, _ says: String) throws {
    let result = try run("\(script); exec \(Self.check)", ["check-config"])
    #expect(result.status == 1)
    #expect(result.errors.contains(says), "\(result.errors)")
    #expect(result.errors.split(separator: "\n").count == 1)
  }

  @Test func aLinkIsFollowed() throws {
    let script = "mkdir q; echo '{}' > q/it; ln -s q/it p.json; exec \(Self.check)"
    #expect(try run(script, ["check-config"]).status == 0)
  }
}
