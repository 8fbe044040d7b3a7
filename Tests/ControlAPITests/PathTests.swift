import Proxying
import Settings
import Testing

@testable import ControlAPI

/// A profile's path over the API: what is described is taken, what is given can be put back, what is wrong changes nothing.
@Suite struct PathTests {
  private let desk: Desk
  private let check: SchemaCheck

  init() throws {
    desk = try Desk()
    check = SchemaCheck(document: try desk.call("GET", "/openapi.json").json(), isClosed: true)
  }

  private func complaints(_ json: JSON, _ name: String) -> [String] {
    check.complaints(json, ["$ref": .string("#/components/schemas/\(name)")])
  }

  private static let rates = #""downstream_bytes_per_second":9000,"upstream_bytes_per_second":5000"#

  static let paths = [
    "{}", "null", #"{"latency_ms":5}"#, #"{"latency_ms":50,"model":"plain"}"#, #"{"latency_ms":50,"model_note":"x"}"#,
    #"{"latency_ms":50,"jitter_ms":5,"jitter_distribution":"normal","dns_latency_ms":5,"congestion_control":"bbr"}"#,
    #"{\#(rates),"queue_ms":0.5,"downstream_loss":0.01,"upstream_loss":{"loss":0.1,"mean_burst_packets":4}}"#,
    #"{\#(rates),"queue_bytes":1500,"downstream_loss":{"p":0.1,"r":0.2,"1-h":null},"upstream_loss":null}"#,
    #"{\#(rates),"timeline":{"steps":[{"name":"é","for_ms":1},{"name":"b","for_ms":2.5,"path":{"downstream_loss":1}}]}}"#,
    #"{\#(rates),"timeline":{"loop":true,"steps":[{"name":"a","for_ms":1,"path":{"queue_ms":7,"latency_ms":null}}]}}"#,
    #"{"latency_ms":50,"trace":{"downstream_ms":[0,0,7],"upstream_ms":[1]}}"#,
    #"{"latency_ms":50,"trace":{"upstream_ms":[86400000],"downstream_ms":null}}"#,
  ]

  @Test(arguments: paths) func whatIsDescribedIsTakenAndGivenBack(_ path: String) throws {
    let body = #"{"path":\#(path)}"#
    #expect(complaints(try JSONReader.read(body.utf8, dialect: .lenient), "ProfileDefinition") == [])
    #expect(try desk.call("PUT", "/profiles/mine", body).status == 201)
    let shown = try desk.call("GET", "/profiles/mine").json()
    #expect(complaints(shown, "Profile") == [])
    #expect(try desk.call("PUT", "/profiles/mine", shown.text).json() == shown)
    #expect(complaints(shown["path"] ?? .null, "PathDefinition") == [], "what is given is described as what is taken")
  }

  @Test(arguments: [
    (#"{"downstream_loss":2}"#, "path.downstream_loss is 2; allowed"),
    (#"{"downstream_loss":{"loss":0.1}}"#, "path.downstream_loss.mean_burst_packets is missing; allowed"),
    (#"{"downstream_loss":{"loss":0.1,"mean_burst_packets":0.9}}"#, "mean_burst_packets is 0.9; allowed"),
    (#"{"downstream_loss":{"p":0.1}}"#, "path.downstream_loss.r is missing; allowed"),
    (#"{"queue_ms":"5"}"#, #"path.queue_ms is "5"; allowed"#),
    (#"{"queue_bytes":1}"#, "path.queue_bytes is 1; allowed"),
    (#"{"model":"udp"}"#, #"path.model is "udp"; allowed"#),
    (#"{"congestion_control":5}"#, "path.congestion_control is 5; allowed"),
    (#"{"jitter_distribution":"x"}"#, #"path.jitter_distribution is "x"; allowed"#),
    (#"{"timeline":{}}"#, "path.timeline.steps is missing; allowed"),
    (#"{"timeline":{"steps":[{"name":"a","for_ms":0}]}}"#, "path.timeline.steps[0].for_ms is 0; allowed"),
    (#"{"timeline":{"steps":[{"name":"a","for_ms":1,"path":{"model":"tcp"}}]}}"#, "steps[0].path.model is"),
    (#"{"trace":{"downstream_file":"/etc/passwd"}}"#, #"path.trace.downstream_file is "/etc/passwd"; allowed"#),
    (#"{"trace":{"downstream_ms":[1,-1]}}"#, "path.trace.downstream_ms[1] is -1; allowed"),
  ]) func whatIsNotDescribedIsRefused(_ path: String, _ message: String) throws {
    let body = #"{"path":\#(path)}"#
    let json = try JSONReader.read(body.utf8, dialect: .lenient)
    #expect(complaints(json, "ProfileDefinition") != [], "the description tells it, too")
    let refusal = try desk.refusal("PUT", "/profiles/mine", body)
    #expect(refusal.hasPrefix("400 request body: path."))
    #expect(refusal.contains(message), "\(refusal)")
    #expect(desk.registry.catalogue["mine"] == nil)
  }

  @Test(arguments: [
    (#"{"latency_ms":50,"queue_ms":100}"#, "path.queue_ms is 100; allowed: only with"),
    (#"{"latency_ms":50,"trace":{"downstream_ms":[5,3]}}"#, "path.trace.downstream_ms[1] is 3; allowed"),
    (#"{"latency_ms":50,"trace":{"downstream_ms":[0]}}"#, "path.trace.downstream_ms[0] is 0; allowed"),
    (#"{"latency_ms":5,"downstream_loss":0.1}"#, "path.downstream_bytes_per_second is missing; allowed"),
    (#"{"latency_ms":50,"downstream_loss":0.1,"model":"plain"}"#, #"path.model is "plain"; allowed: "tcp" with"#),
  ]) func whatContradictsIsRefused(_ path: String, _ message: String) throws {
    let refusal = try desk.refusal("PUT", "/profiles/mine", #"{"path":\#(path)}"#)
    #expect(refusal.hasPrefix("400 request body: \(message)"), "\(refusal)")
    #expect(desk.registry.catalogue["mine"] == nil)
  }
}
