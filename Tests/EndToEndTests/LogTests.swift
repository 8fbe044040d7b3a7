import Foundation
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What the daemon logs, and what becomes of that when nobody can take it.
@Suite(.blocking)
struct LogTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  // MARK: What is told

  /// Sessions that are opened, closed, reset, dropped or refused as their profile has it are nothing that a person must know.
  @Test func aThousandOrdinarySessionsAreNotWorthALine() throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon(["p": upstream.address], ["--http-proxy", "0", "--log-level", "info"])
    for number in 0..<1_000 {
      let client = try daemon.connect()
      if number.isMultiple(of: 3) { client.abort() } else { #expect(try client.echo("x") == "x") }
    }
    #expect(daemon.log == "")

    try daemon.api.use("flaky")
    for _ in 0..<40 { _ = try? daemon.connect().echo("x") }
    try daemon.api.use("offline")
    for _ in 0..<20 {
      let client = try Connection(to: try Address(try #require(daemon.ready["http_proxy"].string)))
      try client.send("CONNECT \(upstream.address) HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try String(decoding: client.receiveToEnd(), as: UTF8.self).hasPrefix("HTTP/1.1 502"))
    }
    #expect(try eventually { try daemon.sessions.isEmpty })
    let lines = daemon.log.split(separator: "\n")
    #expect(lines.count == 2 && lines.allSatisfy { $0.hasPrefix("info: profile switched ") }, "\(daemon.log)")
  }

  @Test(arguments: ["text", "journal", "json"])
  func aNameFromOutsideStaysInItsLine(format: String) throws {
    // Longer than a line may be: names are bounded long before that by themselves.
    let daemon = try Daemon([:], ["--log-format", format, "--max-name-bytes", "65536"])
    let nasty = String(repeating: #"a\nb\u001b[31m\u202e\u0085<0>"#, count: 1_000)
    let made = try daemon.api.post("/proxies", #"{"name":"\#(nasty)","listen":"127.0.0.1:0","upstream":"127.0.0.1:1"}"#)
    try #require(made.status == 201, "\(made.error)")
    let client = try Connection(to: try Address(try #require(made.json["listen"].string)))
    #expect(try client.outcome() == .reset)
    #expect(eventually { daemon.log.hasSuffix("\n") })
    let log = daemon.log
    #expect(log.contains("upstream not reached") && log.utf8.count <= 4_096)
    #expect(log.unicodeScalars.dropLast().allSatisfy { (" "..."~").contains($0) || $0 == "…" }, "\(log)")
  }

  // MARK: Under journald

  /// A file plays journald's socket: what counts is that the variable names it.
  private func underJournal(_ words: [String], isNamed: Bool = true, executable: String = Program.headwind) throws -> (
    program: Program, log: () throws -> String
  ) {
    let file = try directory.write("", to: "journal")
    let attributes = try FileManager.default.attributesOfItem(atPath: file)
    let device = try #require(attributes[.systemNumber] as? NSNumber)
    let inode = try #require(attributes[.systemFileNumber] as? NSNumber)
    let name = "\(device):\(isNamed ? inode.uint64Value : inode.uint64Value + 1)"
    let program = try Program(
      "/bin/sh", ["-c", #"log=$1; shift; exec "$@" 2>>"$log""#, "sh", file, executable] + words,
      environment: ["JOURNAL_STREAM": name])
    return (program, { try String(contentsOfFile: file, encoding: .utf8) })
  }

  @Test(arguments: [
    ([], true, "<6>profile switched proxy=* from=none to=3g "), ([], false, "info: profile switched "),
    (["--log-format", "auto"], true, "<6>profile switched "),
    (["--log-format", "journal"], false, "<6>profile switched "),
    (["--log-format", "text"], true, "info: profile switched "), (["--log-format", "json"], true, #"{"time":"#),
    (["--config", #"{log_format: "journal"}"#], false, "<6>profile switched "),
    (["--config", #"{log_format: "text"}"#], true, "info: profile switched "),
  ])
  func linesHaveThePriority(words: [String], isNamed: Bool, expected: String) throws {
    var words = words
    if words.first == "--config" { words[1] = try directory.write(words[1], to: "config.json") }
    let (program, log) = try underJournal(["serve"] + Daemon.control + words, isNamed: isNamed)
    let server = try NamedServer(program)
    try server.api.use("3g")
    #expect(try eventually { try log().hasSuffix("\n") })
    let text = try log()
    #expect(text.hasPrefix(expected), "\(text)")
    server.program.send(SIGTERM)
    #expect(server.program.exit() == 0)
    #expect(try !log().contains("\n\n"))
  }

  @Test func whyAStartFailsIsAnErrorThere() throws {
    let (program, log) = try underJournal(["serve", "--profile", "3gg"])
    #expect(program.exit() == 1)
    #expect(try log().hasPrefix(#"<3>headwind: unknown profile "3gg"; did you mean "3g"?"#))
    let (usage, usageLog) = try underJournal(["serve", "--bogus"])
    #expect(usage.exit() == 64)
    #expect(try usageLog().split(separator: "\n").suffix(2).allSatisfy { $0.hasPrefix("<3>") })
  }

  // MARK: Nobody takes it

  private func dropped(_ server: NamedServer) throws -> Int {
    let text = String(decoding: try server.api.get("/metrics").body, as: UTF8.self)
    let line = text.split(separator: "\n").first { $0.hasPrefix("headwind_log_lines_dropped_total ") }
    return try #require(line.flatMap { Int($0.split(separator: " ")[1]) })
  }

  /// A pipe that is full to the brim at the start.
  @Test func aPipeThatNobodyReadsHoldsUpNobody() throws {
    let path = directory.path + "/pipe"
    try #require(mkfifo(path, 0o600) == 0)
    let pipe = try Inheritance.descriptor("open") { open(path, O_RDWR | O_NONBLOCK) }
    let owner = Socket(descriptor: pipe)
    defer { owner.close() }
    var filling = [UInt8](repeating: UInt8(ascii: "x"), count: 65_536)
    for count in [65_536, 1] { while write(pipe, filling, count) > 0 {} }

    let words = ["-c", #"pipe=$1; shift; exec "$@" 2>"$pipe""#, "sh", path, Program.headwind, "serve"] + Daemon.control
    let server = try NamedServer(try Program("/bin/sh", words))
    for _ in 0..<10 {
      try server.api.use("3g")
      try server.api.use("lte")
    }
    #expect(try dropped(server) == 20)

    while read(pipe, &filling, filling.count) > 0 {}
    func next() -> String {
      guard owner.isReady(Int(POLLIN), within: .seconds(20)) else { return "" }
      let count = read(pipe, &filling, filling.count)
      return String(decoding: filling.prefix(max(0, count)), as: UTF8.self)
    }
    // It needs no other line.
    #expect(next() == "warning: log lines were dropped: nobody took them count=20\n")
    try server.api.use("edge")
    #expect(next().hasPrefix("info: profile switched proxy=* from=lte to=edge "))
    #expect(try dropped(server) == 20)

    // A reader that has gone: EPIPE.
    owner.close()
    try server.api.use("3g")
    #expect(try dropped(server) == 21)
    server.program.send(SIGTERM)
    #expect(server.program.exit() == 0)
  }

  #if os(Linux)
    @Test func aFullDiskEndsNobody() throws {
      let words = ["-c", #"exec "$@" 2>/dev/full"#, "sh", Program.headwind, "serve"] + Daemon.control
      let server = try NamedServer(try Program("/bin/sh", words))
      try server.api.use("3g")
      try server.api.use("lte")
      #expect(try dropped(server) == 2)
      server.program.send(SIGTERM)
      #expect(server.program.exit() == 0)
    }
  #endif
}
