import Testing

/// The fields of a path, at both ends: in files, for `check-config` and `serve`, and over the API.
@Suite(.blocking)
struct PathFieldTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private static let lossy =
    #""latency_ms":80,"downstream_bytes_per_second":500000,"upstream_bytes_per_second":100000,"queue_ms":200,"#
    + #""downstream_loss":{"loss":0.01,"mean_burst_packets":3}"#

  static let mistakes: [(path: String, says: String)] = [
    (#"{"latency_ms":80,"queue_ms":200}"#, "path.queue_ms is 200; allowed: only with"),
    (#"{\#(lossy),"upstream_loss":{"loss":0.1,"mean_burst_packets":0.5}}"#, "mean_burst_packets is 0.5; allowed: "),
    (#"{"latency_ms":80,"trace":{"downstream_ms":[]}}"#, "path.trace.downstream_ms is []; allowed: 1 to 1000000"),
    (#"{"latency_ms":80,"trace":{"downstream_ms":[3,2]}}"#, "path.trace.downstream_ms[1] is 2; allowed: "),
    (#"{\#(lossy),"timeline":{"steps":[{"name":"a","for_ms":0}]}}"#, "path.timeline.steps[0].for_ms is 0; allowed: "),
    (#"{\#(lossy),"model":"plain"}"#, #"path.model is "plain"; allowed: "tcp" with downstream_loss"#),
  ]

  @Test(arguments: mistakes) func mistakesAreNamedAtBothEnds(_ path: String, _ says: String) throws {
    let file = try directory.write(#"{"path":\#(path)}"#, to: "mine.json")
    for words in [["check-config"], ["serve", "--control", "127.0.0.1:0"]] {
      let result = try Program.run(words + ["--profiles", directory.path])
      #expect(result.status == 1)
      #expect(result.errors.contains("\(file): path."), "\(result.errors)")
      #expect(result.errors.contains(says), "\(result.errors)")
    }
    let daemon = try Daemon()
    let answer = try daemon.api.put("/profiles/mine", #"{"path":\#(path)}"#)
    #expect(answer.status == 400)
    #expect(answer.json["error"].string?.contains(says) == true, "\(answer.json)")
    #expect(try daemon.api.get("/profiles/mine").status == 404)
  }

  @Test func traceFilesAreReadBesideTheirProfile() throws {
    let file = try directory.write(#"{"path":{"latency_ms":80,"trace":{"upstream_file":"up.trace"}}}"#, to: "mine.json")
    try directory.write("0\n12\n12\n40\n", to: "up.trace")
    let daemon = try Daemon([:], ["--profiles", directory.path])
    let shown = try daemon.api.get("/profiles/mine").json
    #expect(shown["path"]["trace"] == ["upstream_ms": [0, 12, 12, 40]])
    try directory.write("0\n12\n11\n40\n", to: "up.trace")
    let bad = try Program.run(["check-config", "--profiles", directory.path])
    #expect(bad.status == 1)
    #expect(
      bad.errors.contains(
        #"\#(file): path.trace.upstream_file names \#(directory.path)/up.trace: line 3 is "11"; allowed: "#),
      "\(bad.errors)")
    let asked = try daemon.api.put(
      "/profiles/other", #"{"path":{"latency_ms":80,"trace":{"upstream_file":"up.trace"}}}"#)
    #expect(asked.status == 400)
    #expect(asked.json["error"].string?.contains("only in a profile's own file") == true, "\(asked.json)")
  }

  @Test func profilesAreListedAndShownAsTheDaemonHasThem() throws {
    let daemon = try Daemon()
    let steps =
      #"{"loop":true,"steps":[{"name":"open","for_ms":8000},{"name":"tunnel","for_ms":2000,"path":{"downstream_loss":1}}]}"#
    #expect(try daemon.api.put("/profiles/ride", #"{"path":{\#(Self.lossy),"timeline":\#(steps)}}"#).status == 201)
    #expect(try daemon.api.put("/profiles/near", #"{"path":{"latency_ms":5}}"#).status == 201)
    let whole = try Program.run(["profiles", "show", "ride", "--control", daemon.url])
    #expect(whole.status == 0)
    for part in ["loses 1 % in bursts of 3 packets", "200 ms of each rate", "2 steps in 10 s, over and over", "tunnel"]
    {
      #expect(whole.output.contains(part), "\(whole.output)")
    }
    let list = try Program.run(["profiles", "list", "--control", daemon.url]).output
    let ride = try #require(list.split(separator: "\n").first { $0.hasPrefix("ride ") })
    #expect(ride.contains("1 % bursts / -") && ride.contains("200 ms") && ride.contains("tcp, 2 steps"))
    #expect(list.contains("near: delay and rate only, as TCP is modelled up to"))
    let shown = try Program.run(["profiles", "show", "ride", "--json", "--control", daemon.url])
    #expect(try JSONSchema("profile.schema.json").complaints(shown.json) == [])
    #expect(try daemon.api.put("/profiles/ride", shown.output).json == shown.json)
  }
}
