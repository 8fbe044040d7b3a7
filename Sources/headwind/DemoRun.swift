import Proxying
import Reactor
import Settings

/// Fetches through one profile after another, all on one loop, and prints the table.
final class DemoRun {
  private struct Row {
    let profile: Profile
    var fetches: [DemoFetch.Outcome] = []
  }

  /// How often a profile is tried that fails by chance.
  private static let attemptsByChance = 20

  private let loop: EventLoop
  private let registry: ProxyRegistry
  private let upstream: DemoUpstream
  private let bytes: Int
  private let asJSON: Bool
  private var rows: [Row]
  private var current = 0
  private var fetch: DemoFetch?
  private var failure: CommandError?

  init(profiles: [Profile], bytes: Int, catalogue: ProfileCatalogue, seed: UInt64, asJSON: Bool) throws(CommandError) {
    let loop = try failing { () throws(LoopError) in try EventLoop() }
    self.loop = loop
    self.bytes = bytes
    self.asJSON = asJSON
    rows = profiles.map { Row(profile: $0) }
    // Dropped connections are what is shown here, not worth a line each.
    registry = try failing { () throws(LoopError) in
      try ProxyRegistry(loop: loop, catalogue: catalogue, seed: seed, log: Log(level: .error))
    }
    upstream = try failing { () throws(LoopError) in try DemoUpstream(loop: loop) }
  }

  func run() throws(CommandError) {
    let proxy = upstream.proxy
    registry.resolve([proxy.listen]) { [self] bindings in
      do throws(RegistryError) {
        _ = try registry.create(proxy, binding: try bindings[0].get())
        next()
      } catch {
        stop(.failure(error.description))
      }
    }
    loop.run()
    if let failure { throw failure }
    StandardOutput.write(asJSON ? json.text + "\n" : table)
  }

  private func stop(_ failure: CommandError? = nil) {
    self.failure = failure
    loop.stop()
  }

  /// One more fetch, or the end.
  private func next() {
    guard current < rows.count else {
      clearProgress()
      return stop()
    }
    let row = rows[current]
    registry.profile.set(row.profile, cause: .set)
    showProgress(row)
    guard let listen = (try? registry.proxy(named: DemoUpstream.proxyName))?.listen,
      let endpoint = try? Endpoint(parsing: listen), let port = endpoint.port
    else { return stop(.failure("the demo's proxy is gone")) }
    var request = HTTPClientRequest(host: endpoint.host, port: port)
    request.target = "/bytes/\(bytes)"
    request.timeoutNanoseconds = row.profile.patience(bytes)
    fetch = DemoFetch(loop: loop, request: request) { [self] outcome in took(outcome) }
  }

  private func took(_ outcome: DemoFetch.Outcome) {
    rows[current].fetches.append(outcome)
    let wanted = rows[current].profile.failsByChance ? DemoRun.attemptsByChance : 1
    if rows[current].fetches.count >= wanted { current += 1 }
    // Not from inside the fetch that has just ended.
    loop.later { [self] in next() }
  }

  // MARK: What is shown

  private func showProgress(_ row: Row) {
    guard StandardError.isTerminal, !asJSON else { return }
    let attempt = row.fetches.isEmpty ? "" : ", attempt \(row.fetches.count + 1)"
    StandardError.write("\r\u{1B}[K[\(current + 1)/\(rows.count)] \(row.profile.name)\(attempt) …")
  }

  private func clearProgress() {
    if StandardError.isTerminal, !asJSON { StandardError.write("\r\u{1B}[K") }
  }

  private var table: String {
    var table = TextTable(
      ["PROFILE", "EXPECTED", "FIRST BYTE", "EXPECTED", "TOTAL", "OUTCOME"], rightAligned: [1, 2, 3, 4])
    for row in rows {
      let ok = row.fetches.filter { $0.error == nil }
      table.add([
        row.profile.name, row.profile.expectedFirstByteText, DemoRun.median(ok.map(\.firstByteMilliseconds)),
        row.profile.expectedTotalText(bytes), DemoRun.median(ok.map(\.totalMilliseconds)), outcome(row),
      ])
    }
    return "\(bytes) bytes over HTTP, a new connection each; times in ms from the start of connecting.\n\n"
      + table.text()
  }

  private func outcome(_ row: Row) -> String {
    let failed = row.fetches.compactMap(\.error)
    guard let error = failed.last else { return "ok" }
    guard row.fetches.count > 1 else { return error }
    return "\(failed.count) of \(row.fetches.count) failed: \(error)"
  }

  private static func median(_ times: [Double]) -> String {
    guard !times.isEmpty else { return "-" }
    return rounded(times.sorted()[times.count / 2])
  }

  static func rounded(_ milliseconds: Double) -> String {
    let tenths = Int((milliseconds * 10).rounded())
    return milliseconds < 100 ? "\(tenths / 10).\(tenths % 10)" : "\(Int(milliseconds.rounded()))"
  }

  private var json: JSON {
    .object([
      ("bytes", .integer(Int64(bytes))),
      (
        "profiles",
        .array(
          rows.map { row in
            .object([
              ("name", .string(row.profile.name)),
              ("expected_first_byte_ms", row.profile.expectedFirstByteMilliseconds.map(JSON.number)),
              ("expected_total_ms", row.profile.expectedTotalMilliseconds(bytes).map(JSON.number)),
              ("fetches", .array(row.fetches.map(\.json))),
            ])
          })
      ),
    ])
  }
}
