import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// `headwind serve` as a process of its own, on free ports.
final class Daemon: Sendable {
  static let control = ["--control", "127.0.0.1:0"]

  let program: Program
  /// The line that it printed when it was ready.
  let ready: JSONValue
  let api: API

  /// Starts it and waits until it is ready.
  ///
  /// - Parameters:
  ///   - upstreams: proxies by name, each on a free port of 127.0.0.1.
  ///   - control: where the control API listens, a free port without.
  ///   - descriptors: the most file descriptors that it may have, nil for what this process may.
  ///   - blocked: signals that its parent blocks.
  ///   - environment: added to a bare one.
  init(
    _ upstreams: [String: Address] = [:], _ options: [String] = [], control: String = "127.0.0.1:0",
    descriptors: Int? = nil, blocked: [Int32] = [], environment: [String: String] = [:]
  ) throws {
    var words = ["serve", "--control", control]
    for (name, upstream) in upstreams { words += ["--proxy", "\(name)=127.0.0.1:0,\(upstream)"] }
    words += options
    // All that is tested here must hold with any number of loops, too.
    if let loops = getenv("HEADWIND_TEST_LOOPS"), !options.contains("--loops") {
      words += ["--loops", String(cString: loops)]
    }
    if let descriptors {
      let script = "ulimit -n \(descriptors); exec \"$@\""
      program = try Program("/bin/sh", ["-c", script, "sh", Program.headwind] + words)
    } else {
      program = try Program(Program.headwind, words, environment: environment, blocked: blocked)
    }
    ready = try Daemon.readyLine(of: program)
    api = API(address: try Address(try #require(ready["control"].string)))
  }

  deinit {
    // Nothing that a peer does may end it: whatever else a test looks at, this is looked at too. (A sanitizer's finding
    // ends it with a status of its own.)
    guard let ending = program.ended(), ending.exit != 0, ending.signal != SIGKILL else { return }
    Issue.record("the daemon ended with \(ending): \(program.errors.suffix(4000))")
  }

  static func readyLine(of program: Program) throws -> JSONValue {
    _ = eventually(within: .seconds(20)) { program.output.contains("\n") || program.ended() != nil }
    guard program.output.contains("\n") else {
      throw NotReady(errors: program.errors, ending: program.ended())
    }
    return try JSONValue(program.output)
  }

  struct NotReady: Error {
    let errors: String
    let ending: Program.Ending?
  }

  var log: String { program.errors }
  var url: String { "http://\(api.address)" }

  /// Where a proxy listens; as it was at the start for those of the command line.
  func listen(_ proxy: String = "p") throws -> Address {
    if let text = ready["proxies"][proxy].string { return try Address(text) }
    return try Address(try #require(api.get("/proxies/\(proxy)").json["listen"].string))
  }

  func connect(_ proxy: String = "p", receiveBuffer: Int32? = nil) throws -> Connection {
    try Connection(to: try listen(proxy), receiveBuffer: receiveBuffer)
  }

  var sessions: [JSONValue] {
    get throws { try api.get("/sessions").json["sessions"].array }
  }

  /// The events of one type so far.
  func events(_ type: String) throws -> [JSONValue] {
    try api.get("/events").json["events"].array.filter { $0["type"].string == type }
  }

  /// True when a new connection through the proxy carries bytes there and back.
  func isEchoing(_ proxy: String = "p") -> Bool {
    (try? connect(proxy).echo("are you there?")) == "are you there?"
  }
}
