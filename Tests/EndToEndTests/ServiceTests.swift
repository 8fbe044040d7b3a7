import Foundation
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What a service manager hears (sd_notify(3)). A datagram socket plays it.
@Suite(.blocking)
struct ServiceTests {
  private let directory: TemporaryDirectory
  private let manager: ServiceManager

  init() throws {
    directory = try TemporaryDirectory()
    manager = try ServiceManager("\(directory.path)/notify")
  }

  private func start(
    _ words: [String] = [], socket: String? = nil, environment: [String: String] = [:]
  ) throws -> NamedServer {
    let variables = ["NOTIFY_SOCKET": socket ?? manager.name].merging(environment) { $1 }
    return try NamedServer(
      try Program(Program.headwind, ["serve"] + Daemon.control + words, environment: variables))
  }

  @Test func hearsTheWholeLife() throws {
    let config = try directory.write("{}", to: "config.json")
    let server = try start(["--config", config, "--drain-timeout", "3s"])
    #expect(manager.next() == ["READY=1", "STATUS=0 proxies, profile none, 0 sessions"])

    try directory.write(
      #"{profile: "3g", proxies: [{name: "p", listen: "127.0.0.1:0", upstream: "127.0.0.1:1"}]}"#, to: "config.json")
    for (text, status) in [(nil, "1 proxy, profile 3g, 0 sessions"), ("[", "1 proxy, profile 3g, 0 sessions")] {
      if let text { try directory.write(text, to: "config.json") }
      let before = ServiceManager.monotonicMicroseconds
      server.program.send(SIGHUP)
      let reloading = manager.next()
      #expect(reloading.first == "RELOADING=1" && reloading.count == 2)
      let began = Int64(reloading.last?.dropFirst("MONOTONIC_USEC=".count) ?? "")
      #expect(try before...ServiceManager.monotonicMicroseconds ~= #require(began))
      #expect(manager.next() == ["READY=1", "STATUS=\(status)"])
    }

    server.program.send(SIGTERM)
    let stopping = manager.next()
    #expect(stopping.prefix(2) == ["STOPPING=1", "STATUS=stopping: 1 proxy, profile 3g, 0 sessions"])
    let more = Int64(stopping.last?.dropFirst("EXTEND_TIMEOUT_USEC=".count) ?? "")
    // The three seconds for what is delayed, and some for the rest.
    #expect(try 3_000_001...8_000_000 ~= #require(more))
    #expect(server.program.exit() == 0)
    #expect(manager.isSilent)
  }

  @Test func isToldWhatTheDaemonDoes() throws {
    let upstream = try Upstream.echo()
    let server = try start(["--proxy", "p=127.0.0.1:0,\(upstream.address)"])
    #expect(manager.next().contains("STATUS=1 proxy, profile none, 0 sessions"))
    let client = try Connection(to: try Address(try #require(server.ready["proxies"]["p"].string)))
    #expect(try client.echo("hello") == "hello")
    #expect(manager.next() == ["STATUS=1 proxy, profile none, 1 session"])
    try server.api.use("lte")
    #expect(manager.next() == ["STATUS=1 proxy, profile lte, 1 session"])
  }

  #if os(Linux)
    @Test func anAbstractSocketIsOneToo() throws {
      let manager = try ServiceManager("@headwind-test-\(getpid())-\(UInt64.random(in: 0...UInt64.max))")
      let server = try start(socket: manager.name)
      #expect(manager.next().first == "READY=1")
      server.program.send(SIGTERM)
      #expect(manager.next().first == "STOPPING=1")
      #expect(server.program.exit() == 0)
    }
  #endif

  @Test(arguments: ["/nowhere/notify", "relative", "@", "/" + String(repeating: "x", count: 200)])
  func aSocketThatIsNoneHurtsNobody(name: String) throws {
    let server = try start(socket: name, environment: ["WATCHDOG_USEC": "100000"])
    server.program.send(SIGTERM)
    #expect(server.program.exit() == 0)
  }

  @Test func aStartThatFailsSaysWhy() throws {
    let taken = try ListeningSocket()
    let program = try Program(
      Program.headwind, ["serve", "--control", "\(taken.address)"], environment: ["NOTIFY_SOCKET": manager.name])
    #expect(program.exit() == 1)
    let told = manager.next()
    #expect(told.count == 1 && told[0].hasPrefix("STATUS=failed: control address \(taken.address): "), "\(told)")
  }

  // MARK: Watchdog

  @Test func theLoopItselfFeedsTheWatchdog() throws {
    let server = try start(environment: ["WATCHDOG_USEC": "200000"])
    #expect(manager.next().first == "READY=1")
    let began = ServiceManager.monotonicMicroseconds
    for _ in 0..<10 { #expect(manager.next() == ["WATCHDOG=1"]) }
    // Half the interval each: neither all at once nor late by whole seconds.
    #expect(ServiceManager.monotonicMicroseconds - began > 800_000)
    server.program.send(SIGSTOP)
    #expect(eventually { manager.isSilent(for: .milliseconds(400)) })
    server.program.send(SIGCONT)
    #expect(manager.next() == ["WATCHDOG=1"])
  }

  @Test(arguments: [("$$", true), ("1", false), ("x", false)])
  func aWatchdogOfAnotherProcessIsNotFed(process: String, isFed: Bool) throws {
    let script = "WATCHDOG_PID=\(process) exec \"$@\""
    let variables = ["NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "100000"]
    let program = try Program(
      "/bin/sh", ["-c", script, "sh", Program.headwind, "serve"] + Daemon.control, environment: variables)
    #expect(manager.next().first == "READY=1")
    if isFed { #expect(manager.next() == ["WATCHDOG=1"]) } else { #expect(manager.isSilent(for: .milliseconds(400))) }
    program.send(SIGTERM)
    #expect(program.exit() == 0)
  }

  // MARK: Other commands

  @Test func whatRunStartsIsToldNothingOfIt() throws {
    let variables = [
      "NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "100000", "WATCHDOG_PID": "1", "LISTEN_PID": "1",
      "LISTEN_FDS": "1",
      "LISTEN_FDNAMES": "x", "KEPT": "yes",
    ]
    let result = try Program.run(["run", "--quiet", "--", "/usr/bin/env"], environment: variables)
    #expect(result.status == 0)
    let names = result.output.split(separator: "\n").map { String($0.prefix { $0 != "=" }) }
    #expect(names.contains("KEPT"))
    for name in variables.keys where name != "KEPT" { #expect(!names.contains(name)) }
    #expect(manager.isSilent)
  }
}

/// A socket that hears what a service says.
private final class ServiceManager {
  /// As `NOTIFY_SOCKET` names it.
  let name: String
  private let socket: Socket

  init(_ name: String) throws {
    self.name = name
    #if canImport(Darwin)
      let datagram = SOCK_DGRAM
    #else
      let datagram = Int32(SOCK_DGRAM.rawValue)
    #endif
    socket = Socket(
      descriptor: try Inheritance.descriptor("socket") {
        #if canImport(Darwin)
          Darwin.socket(AF_UNIX, datagram, 0)
        #else
          Glibc.socket(AF_UNIX, datagram, 0)
        #endif
      })
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var bytes = Array(name.utf8)
    if name.hasPrefix("@") { bytes[0] = 0 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.offset(of: \.sun_path)! + bytes.count)
    let descriptor = socket.descriptor
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
    }
    guard result == 0 else { throw SocketError.last("bind") }
  }

  /// The assignments of the next datagram; empty when none comes.
  func next() -> [String] {
    guard socket.isReady(Int(POLLIN), within: .seconds(20)) else { return [] }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(socket.descriptor, &buffer, buffer.count, 0)
    return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self).split(separator: "\n").map(String.init)
  }

  var isSilent: Bool { !socket.isReady(Int(POLLIN), within: .zero) }

  /// Also takes what is there.
  func isSilent(for time: Duration) -> Bool {
    guard socket.isReady(Int(POLLIN), within: time) else { return true }
    _ = next()
    return false
  }

  static var monotonicMicroseconds: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
  }
}
