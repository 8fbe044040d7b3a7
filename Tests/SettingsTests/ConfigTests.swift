import Testing

@testable import Settings

/// The words are told in full where they are listed.
private let levels =
  "debug, info, warning, error or silent (trace, warn, disabled, fatal, panic are understood too)"

private func config(_ text: String) throws -> Config { try Config(text: text.utf8, source: "hw.json") }

@Suite struct ConfigTests {
  @Test func everyKeyIsRead() throws {
    let read = try config(
      """
      { proxies: [ { name: "web", listen: "127.0.0.1:0", upstream: "localhost:80", enabled: false, profile: "3g",
                     toxics: [ { type: "latency", attributes: { latency: 5 } }, { type: "stall" } ] } ],
        profile: "Edge", profiles: ["a", "/b"], control: "[::1]:8474", seed: 18446744073709551615,
        log_format: "json", log_level: "warn", connect_timeout_ms: 1, drain_timeout_ms: 0,
        max_link_buffer_bytes: 4096, max_buffer_bytes: 1e9, max_connections: 10 }
      """)
    var expected = Config()
    var stall = ToxicSpec(.stall(milliseconds: nil), stream: nil)
    stall.isHidden = true
    expected.proxies = [
      ProxySpec(
        name: "web", listen: "127.0.0.1:0", upstream: "localhost:80", enabled: false, profile: "3g",
        toxics: [
          ToxicSpec(.latency(milliseconds: 5, jitterMilliseconds: 0), stream: .downstream),
          stall,
        ])
    ]
    expected.profile = "Edge"
    expected.profileDirectories = ["a", "/b"]
    expected.control = .tcp(Endpoint(host: "::1", service: "8474"))
    expected.seed = .max
    expected.logFormat = .json
    expected.logLevel = .warning
    expected.connectTimeoutMilliseconds = 1
    expected.drainTimeoutMilliseconds = 0
    expected.limits.set(.linkBufferBytes, 4096, place: "hw.json: max_link_buffer_bytes")
    expected.limits.set(.bufferBytes, 1_000_000_000, place: "hw.json: max_buffer_bytes")
    expected.limits.set(.connections, 10, place: "hw.json: max_connections")
    #expect(read == expected)
  }

  @Test(arguments: ["{}", "[]", "null", "{proxies: null, profile: null, seed: null}"])
  func silenceMeansDefaults(_ text: String) throws {
    #expect(try config(text) == Config())
  }

  @Test func toxiproxysArrayIsRead() throws {
    let read = try config(
      #"[{"name":"a","listen":"[::]:26379","upstream":"redis:6379","enabled":true},{"name":"b","upstream":"h:http"}]"#)
    #expect(
      read.proxies == [
        ProxySpec(name: "a", listen: "[::]:26379", upstream: "redis:6379", enabled: true),
        ProxySpec(name: "b", upstream: "h:http"),
      ])
  }

  @Test func sharedAddressesAreNoMatterWhereOneIsOffOrThePortIsFree() throws {
    let read = try config(
      "{http_proxy: 0, socks: 3128, proxies: [{name: 'a', listen: ':1', upstream: 'h:1', enabled: false},"
        + "{name: 'b', listen: ':1', upstream: 'h:1'}, {name: 'c', listen: ':0', upstream: 'h:1'},"
        + "{name: 'd', listen: ':0', upstream: 'h:1'}, {name: 'e', upstream: 'h:1'}, {name: 'f', upstream: 'h:1'}]}")
    #expect(read.httpProxy == "127.0.0.1:0" && read.socks == "127.0.0.1:3128")
  }

  @Test func directoriesAreRelativeToTheFile() throws {
    try withDirectory(["hw.json": "{profiles: ['mine', '/etc/profiles']}", "one.json": "{profiles: 'p'}"]) { path in
      let several = try Config.load(path: "\(path)/hw.json")
      #expect(several.profileDirectories == ["\(path)/mine", "/etc/profiles"])
      let one = try Config.load(path: "\(path)/one.json")
      #expect(one.profileDirectories == ["\(path)/p"])
      #expect(
        message { _ = try Config.load(path: "\(path)/absent.json") }
          == "\(path)/absent.json: cannot be read: no such file or directory")
      #expect(message { _ = try Config.load(path: path) } == "\(path): cannot be read: it is a directory")
    }
  }

  @Test(arguments: [
    Row("", "is empty; allowed: JSON or JSON5"), Row("// later\n", "is empty; allowed: JSON or JSON5"),
    Row("7", "the top level is 7; allowed: an object"),
    Row(
      "{proxys: []}",
      "proxys is not a known key; did you mean \"proxies\"? known: proxies, http_proxy, socks, "
        + "rules, via, allow_clients, profile, profiles, control, token_file, seed, loops, log_format, log_level, connect_timeout_ms, drain_timeout_ms, "
        + Limit.allCases.map(\.key).joined(separator: ", ")),
    Row("{proxies: {}}", "proxies is {}; allowed: an array of proxies"),
    Row("[5]", "proxies[0] is 5; allowed: an object"),
    Row("[{}]", "proxies[0].name is missing; allowed: a string that is not empty"),
    Row("[{name: ''}]", "proxies[0].name is \"\"; allowed: a string that is not empty"),
    Row("[{name: 'a'}]", "proxies[0].upstream is missing; allowed: a string that is not empty"),
    Row("[{name: 'a', upstream: 'h'}]", "proxies[0].upstream is wrong: address h: missing port in address"),
    Row(
      "[{name: 'a', upstream: 'h:1', listen: '::1:0'}]",
      "proxies[0].listen is wrong: address ::1:0: too many colons in address"),
    Row(
      "[{name: 'a', upstream: 'h:1', Name: 'b'}]",
      "proxies[0].Name is not a known key; did you mean \"name\"? "
        + "known: name, listen, upstream, mode, enabled, profile, toxics"),
    Row("[{name: 'a', upstream: 'h:1', enabled: 1}]", "proxies[0].enabled is 1; allowed: true or false"),
    Row(
      "[{name: 'a', upstream: 'h:1', toxics: [{type: 'noop', x: 1}]}]",
      "proxies[0].toxics[0].x is not a known key; known: " + ToxicSpec.keys.joined(separator: ", ")),
    Row(
      "[{name: 'a', upstream: 'h:1'}, {name: 'a', upstream: 'h:1'}]",
      "proxies[1].name is \"a\"; allowed: a name that no other proxy here has"),
    Row(
      "{control: '127.0.0.1:80', http_proxy: '80'}",
      "http_proxy is \"127.0.0.1:80\"; allowed: an address that control doesn't have"),
    Row(
      "[{name: 'a', listen: ':1', upstream: 'h:1'}, {name: 'b', listen: ':1', upstream: 'h:1'}]",
      "proxies[1].listen is \":1\"; allowed: an address that proxies[0].listen doesn't have"),
    Row("{profile: '3 g'}", "profile is \"3 g\"; allowed: the name of a profile"),
    Row("{profiles: 5}", "profiles is 5; allowed: a directory or an array of directories"),
    Row("{profiles: ['a', null]}", "profiles[1] is null; allowed: a string"),
    Row(
      "{control: 'nonsense'}",
      "control is wrong: address nonsense: missing port in address; allowed: \(ControlAddress.allowed)"),
    Row(
      "{control: 'unix:@headwind'}",
      "control is wrong: address unix:@headwind: an abstract socket has no owner and no mode, everybody on this machine "
        + "may connect to it; allowed: \(ControlAddress.allowed)"),
    Row("{token_file: ''}", "token_file is \"\"; allowed: the path of a file"),
    Row("{token_file: 7}", "token_file is 7; allowed: a string"),
    Row("{seed: -1}", "seed is -1; allowed: a whole number from 0 to 18446744073709551615"),
    Row(
      "{seed: 18446744073709551616}",
      "seed is 18446744073709552000; allowed: a whole number from 0 to 18446744073709551615"),
    Row("{seed: 1.5}", "seed is 1.5; allowed: a whole number from 0 to 18446744073709551615"),
    Row("{loops: 0}", "loops is 0; allowed: a whole number from 1 to 64"),
    Row("{loops: 65}", "loops is 65; allowed: a whole number from 1 to 64"),
    Row("{log_format: 'xml'}", "log_format is \"xml\"; allowed: \"auto\", \"text\", \"journal\", \"json\""),
    Row("{log_level: 7}", "log_level is 7; allowed: \(levels)"),
    Row("{log_level: 'loud'}", "log_level is \"loud\"; allowed: \(levels)"),
    Row("{connect_timeout_ms: 0}", "connect_timeout_ms is 0; allowed: a whole number from 1 to 3600000"),
    Row("{max_connections: 1e300}", "max_connections is 1e+300; allowed: a whole number from 1 to 10000000"),
    Row("{seed: 1, seed: 2}", "line 1, column 11: the key \"seed\" is there twice"),
  ]) func refuses(_ row: Row) {
    #expect(message { _ = try config(row.input) } == "hw.json: \(row.expected)")
  }
}
