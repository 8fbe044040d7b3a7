import Foundation
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The environment variable `LOG_LEVEL`, under both names of the program.
@Suite(.blocking)
struct LogLevelTests {
  private let link: ServerLink

  init() throws { link = try ServerLink() }

  static let rows: [(value: String?, levels: Set<String>)] = [
    ("trace", all), ("DEBUG", all), ("-1", all), ("0", all), ("-128", all), (nil, ordinary), ("", ordinary),
    ("info", ordinary), ("Info", ordinary), ("1", ordinary), ("warn", ["warning", "error"]),
    ("WARNING", ["warning", "error"]), ("2", ["warning", "error"]), ("error", ["error"]), ("3", ["error"]),
    ("fatal", []), ("4", []), ("panic", []), ("5", []), ("disabled", []), ("7", []), ("127", []),
    ("loud", ordinary), ("1.5", ordinary), ("200", ordinary),
  ]
  private static let all: Set<String> = ["debug", "info", "warning", "error"]
  private static let ordinary: Set<String> = ["info", "warning", "error"]

  @Test(arguments: rows)
  func isHeeded(value: String?, levels: Set<String>) throws {
    // A key that isn't known is a warning, a connection debug, a switch info, a reload that fails an error.
    let file = try link.directory.write(
      #"[{"name":"p","listen":"127.0.0.1:0","upstream":"127.0.0.1:1","what":1}]"#, to: "config.json")
    let environment = value.map { ["LOG_LEVEL": $0] } ?? [:]
    let server = try link.start(["-port=0", "-config", file], environment: environment)
    let client = try Connection(to: try Address(try #require(server.ready["proxies"]["p"].string)))
    #expect(try client.outcome() == .reset)
    try server.api.use("3g")
    try link.directory.write("[", to: "config.json")
    server.program.send(SIGHUP)
    #expect(try eventually { try server.events("reload_refused").count == 1 })
    let log = try server.logAtItsEnd()
    #expect(Set(log.compactMap { $0["level"].string }) == levels)
    let complaints = log.compactMap { $0["message"].string }.filter { $0.contains("LOG_LEVEL") }
    #expect(complaints.count == (["loud", "1.5", "200"].contains(value) ? 1 : 0))
  }

  @Test func optionAndConfigWinOverIt() throws {
    let config = try link.directory.write(#"{"log_level": "info"}"#, to: "config.json")
    for (words, level, isHeard) in [
      ([], "info", true), ([], "error", false), (["--log-level", "info"], "error", true),
      (["--config", config], "error", true), (["--config", config, "--log-level", "error"], "info", false),
    ] {
      let words = ["serve", "--control", "127.0.0.1:0", "--log-format", "json"] + words
      let server = try NamedServer(try Program(Program.headwind, words, environment: ["LOG_LEVEL": level]))
      try server.api.use("3g")
      let isTold = try server.logAtItsEnd().contains { $0["message"] == "profile switched" }
      #expect(isTold == isHeard, "\(words) \(level)")
    }
  }

  /// What a reload leaves unsaid falls back to the variable, too.
  @Test func aReloadFallsBackToIt() throws {
    let config = try link.directory.write(#"{"log_level": "info"}"#, to: "config.json")
    let words = ["serve", "--control", "127.0.0.1:0", "--config", config, "--log-format", "json"]
    let server = try NamedServer(try Program(Program.headwind, words, environment: ["LOG_LEVEL": "silent"]))
    try link.directory.write("{}", to: "config.json")
    server.program.send(SIGHUP)
    #expect(try eventually { try server.events("reloaded").count == 1 })
    try server.api.use("3g")
    #expect(try server.logAtItsEnd().allSatisfy { $0["message"] != "profile switched" })
  }
}

extension NamedServer {
  func events(_ type: String) throws -> [JSONValue] {
    try api.get("/events").json["events"].array.filter { $0["type"].string == type }
  }
}
