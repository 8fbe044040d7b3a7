import Testing

/// `headwind toxics`: against a running daemon, and the calls that it makes against a stand-in.
@Suite(.blocking)
struct CommandLineToxicsTests {
  let daemon: Daemon

  init() throws {
    daemon = try Daemon(["web": Address(host: "127.0.0.1", port: 1)])
  }

  private func run(_ words: [String]) throws -> Program.Result {
    try Program.run(["toxics"] + words, environment: ["HEADWIND_URL": daemon.url])
  }

  @discardableResult
  private func succeed(_ words: String..., at location: SourceLocation = #_sourceLocation) throws -> Program.Result {
    let result = try run(words)
    #expect(result.status == 0, sourceLocation: location)
    #expect(result.errors == "", sourceLocation: location)
    return result
  }

  private func toxic(_ name: String) throws -> JSONValue { try daemon.api.get("/proxies/web/toxics/\(name)").json }

  // MARK: A running daemon

  @Test func addListUpdateRemove() throws {
    #expect(try succeed("web").output == "no toxics\n")
    #expect(
      try succeed("add", "web", "latency", "latency=100", "jitter=20").output
        == "proxy web: added toxic latency_downstream: latency downstream, 100 ms ± 20 ms\n")
    #expect(
      try succeed("add", "web", "-t", "bandwidth", "-a", "rate=1e3", "-u", "--toxicity", "0.5", "-n", "slow").output
        == "proxy web: added toxic slow: bandwidth upstream, 1 MB/s, toxicity 50 %\n")
    #expect(
      try succeed("list", "web").output == """
        TOXIC               TYPE       STREAM      TOXICITY  EFFECT
        slow                bandwidth  upstream        50 %  1 MB/s
        latency_downstream  latency    downstream     100 %  100 ms ± 20 ms

        """)
    #expect(try succeed("ls", "web", "--json").json == (try daemon.api.get("/proxies/web/toxics").json))
    #expect(
      try succeed("update", "web", "slow", "rate=30").output
        == "proxy web: updated toxic slow: bandwidth upstream, 30 kB/s, toxicity 50 %\n")
    #expect(try succeed("u", "-n", "slow", "--tox", "0.25", "web", "--json").json == (try toxic("slow")))
    #expect(try toxic("slow")["toxicity"] == 0.25)
    #expect(try toxic("slow")["attributes"]["rate"] == 30)
    #expect(try succeed("remove", "web", "slow").output == "proxy web: removed toxic slow\n")
    #expect(
      try succeed("r", "-n", "latency_downstream", "web", "--json").output == "{\"removed\":[\"latency_downstream\"]}\n"
    )
    #expect(try daemon.api.get("/proxies/web/toxics").json == [])
  }

  /// toxiproxy-cli sends toxicity 1 when none is given.
  @Test func anUpdateLeavesToxicityAndOtherAttributesAlone() throws {
    try succeed("add", "web", "latency", "latency=100", "jitter=20", "--toxicity=0.3", "--name", "t")
    try succeed("update", "web", "t", "latency=5")
    #expect(try toxic("t")["toxicity"] == 0.3)
    #expect(try toxic("t")["attributes"] == ["latency": 5, "jitter": 20])
  }

  @Test func removeTakesSeveralAndTellsThoseThatAreNotThere() throws {
    for name in ["a", "b"] { try succeed("add", "web", "noop", "-n", name) }
    let result = try run(["rm", "web", "a", "nope", "b"])
    #expect(result.status == 1)
    #expect(result.output == "proxy web: removed toxic a\nproxy web: removed toxic b\n")
    #expect(result.errors == "headwind: proxy \"web\", toxic \"nope\": toxic not found; known: b\n")
  }

  @Test(arguments: [
    (["latency", "latency=1.5s", "jitter=20ms"], "latency", 1500), (["latency", "latency=1e3"], "latency", 1000),
    (["slicer", "average_size=10", "delay=5ms"], "delay", 5000), (["timeout", "timeout=295149ms"], "timeout", 295_149),
    (["timeout", "timeout=1m"], "timeout", 60_000),
    (["stall", "for_ms=2s"], "for_ms", 2000),
  ]) func timesMayHaveUnits(words: [String], key: String, value: Int) throws {
    #expect(try run(["add", "web", "-n", "t"] + words).errors == "")
    #expect(try toxic("t")["attributes"][key].int == value)
  }

  static let failures: [(words: [String], says: String)] = [
    (["nope"], #"proxy "nope": proxy not found; known: web"#),
    (["remove", "web", "tt"], #"proxy "web", toxic "tt": toxic not found; did you mean "t"?"#),
    (["add", "nope", "latency"], #"proxy "nope": proxy not found"#),
    (["update", "web", "nope", "latency=1"], #"proxy "web", toxic "nope": toxic not found"#),
    (["update", "nope", "t", "latency=1"], #"proxy "nope", toxic "t": proxy not found"#),
    (["remove", "nope", "t"], #"proxy "nope", toxic "t": proxy not found"#),
    (
      ["add", "web", "latency", "-n", "t"],
      #"proxy "web", toxic "t": toxic already exists; `headwind toxics update` changes it"#
    ),
    (["add", "web", "drop", "probability=2"], #"proxy "web": attributes.probability is 2; allowed"#),
  ]

  @Test(arguments: failures)
  func aRefusalNamesProxyAndToxicAndFails(words: [String], says: String) throws {
    try succeed("add", "web", "latency", "-n", "t")
    let result = try run(words)
    #expect(result.status == 1)
    #expect(result.output.isEmpty)
    #expect(result.errors.hasPrefix("headwind: \(says)"), "\(result.errors)")
  }

  static let usageErrors: [(words: [String], says: String)] = [
    ([], "missing: PROXY"), (["add"], "missing: PROXY"), (["add", "web"], "missing: TYPE"),
    (["add", "web", "latncy"], #"unknown type of toxic "latncy"; did you mean "latency"? known: latency, "#),
    (["add", "web", "latency", "100"], #""100" is no attribute; allowed: KEY=VALUE"#),
    (["add", "web", "-t", "latency", "latency"], #""latency" is no attribute"#),
    (["add", "web", "latency", "-a", "latency"], #""latency" is no attribute"#),
    (["add", "web", "latency", "latncy=1"], #"latency has no attribute "latncy"; did you mean "latency"?"#),
    (["add", "web", "latency", "--toxicity", "2"], #"--toxicity is "2"; allowed: a number from 0 to 1"#),
    (["add", "web", "latency", "--toxicity", "nan"], #"--toxicity is "nan""#),
    (
      ["add", "web", "latency", "latency=soon"],
      #"latency is "soon"; allowed: a whole number of milliseconds from 0 to"#
    ),
    (["add", "web", "latency", "jitter=-1"], #"jitter is "-1"; allowed: a whole number of milliseconds from 0 to"#),
    (["add", "web", "latency", "latency=1.5"], #"latency is "1.5"; allowed: "#),
    (["add", "web", "latency", "latency=0.5ms"], "or a time such as 20ms or 1.5s"),
    (
      ["add", "web", "bandwidth", "rate=-1"],
      #"rate is "-1"; allowed: a whole number of 1,000 bytes per second from 0 to"#
    ),
    (
      ["add", "web", "bandwidth", "rate=1MB/s"], #"rate is "1MB/s"; allowed: a whole number of 1,000 bytes per second"#
    ),
    (["add", "web", "limit_data", "bytes=1kB"], #"bytes is "1kB"; allowed: a whole number of bytes"#),
    (["add", "web", "latency", "-u", "-d"], "more than one stream"),
    (["add", "web", "latency", "--stream", "up"], #"--stream is "up"; allowed: upstream, downstream"#),
    (["add", "web", "latency", "--every", "x"], #"--every is "x"; allowed: a whole number"#),
    (["add", "web", "latency", "-n", ""], "--name is empty"), (["add", "web", "latency", "--bogus"], "--bogus"),
    (["update", "web"], "missing: TOXIC"), (["update", "web", "t"], "nothing to change; give attributes"),
    (["remove", "web"], "missing: TOXIC..."), (["remove"], "missing: PROXY"),
    (["rmove", "web", "t"], #"unknown command "toxics rmove"; did you mean "toxics remove"?"#),
  ]

  @Test(arguments: usageErrors)
  func whatIsMissingOrUnknownIsTold(words: [String], says: String) throws {
    let result = try run(words)
    #expect(result.status == 64)
    #expect(result.output.isEmpty)
    #expect(result.errors.hasPrefix("headwind: ") && result.errors.contains(says), "\(result.errors)")
    #expect(try daemon.api.get("/proxies/web/toxics").json == [])
  }

  @Test func anAttributeIsLookedUpInTheKindOfTheToxic() throws {
    try succeed("add", "web", "bandwidth", "rate=5", "-n", "t")
    let result = try run(["update", "web", "t", "latency=1"])
    #expect(result.status == 64)
    #expect(result.errors.contains(#"bandwidth has no attribute "latency"; known: rate"#), "\(result.errors)")
  }

  // MARK: What is sent

  static let calls: [(words: [String], calls: [Recorder.Call])] = [
    (["proxies", "--json"], [get("/proxies?all=true")]), (["toxics", "a/b"], [get("/proxies/a%2Fb/toxics?all=true")]),
    (
      ["toxics", "add", "web", "latency", "latency=100"],
      [post("/proxies/web/toxics", ["type": "latency", "attributes": ["latency": 100]])]
    ),
    (
      ["toxics", "add", "web", "drop", "probability=0.5", "how=close", "--stream", "UpStream", "--toxicity", "1"],
      [
        post(
          "/proxies/web/toxics",
          [
            "type": "drop", "stream": "UpStream", "toxicity": 1, "attributes": ["probability": 0.5, "how": "close"],
          ])
      ]
    ),
    (
      [
        "toxics", "add", "web", "noop", "--after-bytes=10", "--after-ms=20", "--first-connections=3", "--every=4", "-d",
      ],
      [
        post(
          "/proxies/web/toxics",
          [
            "type": "noop", "stream": "downstream", "after_bytes": 10, "after_ms": 20, "first_connections": 3,
            "every": 4,
          ])
      ]
    ),
    (
      ["toxics", "update", "web", "t", "--every", "2", "x=1e3", "-a", "y=z"],
      [
        get("/proxies/web/toxics/t"),
        Recorder.Call(
          method: "PATCH", target: "/proxies/web/toxics/t", contentType: "application/json",
          body: ["every": 2, "attributes": ["x": 1000, "y": "z"]]),
      ]
    ),
    (
      ["proxies", "create", "web", "-u", "x:1"],
      [post("/proxies", ["name": "web", "listen": "127.0.0.1:0", "upstream": "x:1"])]
    ),
    (["proxies", "enable", "web"], [post("/proxies/web", ["enabled": true])]),
  ]

  private static func get(_ target: String) -> Recorder.Call {
    Recorder.Call(method: "GET", target: target, contentType: nil, body: .null)
  }

  private static func post(_ target: String, _ body: JSONValue) -> Recorder.Call {
    Recorder.Call(method: "POST", target: target, contentType: "application/json", body: body)
  }

  @Test(arguments: calls)
  func onlyWhatIsNamedIsSent(words: [String], calls: [Recorder.Call]) throws {
    let recorder = try Recorder()
    #expect(try Program.run(words, environment: ["HEADWIND_URL": recorder.url]).status == 0)
    #expect(recorder.calls == calls)
  }

  @Test func aWarningOfTheDaemonIsShown() throws {
    let recorder = try Recorder(
      #"{"name":"t"}"#, headers: "Warning: 299 headwind \"unknown key 'x' was ignored\"\r\nWarning: 299 - \"two\"\r\n")
    let words = ["toxics", "add", "web", "noop", "--control", recorder.url]
    let shown = try Program.run(words)
    #expect(shown.status == 0)
    #expect(shown.errors == "headwind: warning: unknown key 'x' was ignored\nheadwind: warning: two\n")
    let json = try Program.run(words + ["--json"])
    #expect(json.output == "{\"name\":\"t\"}\n")
    #expect(json.errors == "{\"warning\":\"unknown key 'x' was ignored\"}\n{\"warning\":\"two\"}\n")
  }

  @Test(arguments: [
    (200, "<html>", "doesn't answer like a daemon (status 200, no JSON)"),
    (502, "<html>", "doesn't answer like a daemon (status 502, no JSON)"), (500, "{}", #"proxy "web": status 500"#),
    (404, #"{"error":"no\u001b[31m"}"#, #"proxy "web": no\u{1B}[31m"#),
  ])
  func whatElseAnswersIsTold(status: Int, answer: String, says: String) throws {
    let recorder = try Recorder(answer, status: status)
    let result = try Program.run(["toxics", "web"], environment: ["HEADWIND_URL": recorder.url])
    #expect(result.status == 1)
    #expect(result.output.isEmpty)
    #expect(result.errors.contains(says), "\(result.errors)")
  }
}
