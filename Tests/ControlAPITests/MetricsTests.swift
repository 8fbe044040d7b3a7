import LoopTesting
import Testing

@testable import ControlAPI
@testable import Proxying
@testable import Reactor
@testable import Settings

/// What `GET /metrics` shows, and to whom.
@Suite struct MetricsTests {
  /// The value of a series, named as it is written.
  private func value(_ series: String, _ desk: Desk) throws -> String? {
    let text = try desk.call("GET", "/metrics").text
    let line = text.split(separator: "\n").first { $0.hasPrefix(series + " ") }
    return line.map { String($0.dropFirst(series.count + 1)) }
  }

  @Test(arguments: Way.allCases)
  func everyMethodIsAnsweredAndWebPagesAreNot(_ way: Way) throws {
    let desk = try Desk(way)
    for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"] {
      let reply = try desk.call(method, "/metrics?x=y", method == "POST" ? "{" : "")
      #expect(reply.status == 200, "\(method)")
      #expect(reply.header("Content-Type") == "text/plain; version=0.0.4; charset=utf-8")
      #expect(reply.header("X-Toxiproxy-Request-Id")?.count == 20)
      #expect(reply.text.hasSuffix("\n"), "\(method)")
    }
    #expect(try desk.call("HEAD", "/metrics").status == 200)
    #expect(
      try desk.refusal("GET", "/metrics", headers: [("User-Agent", "Mozilla/5.0")]) == "403 User agent not allowed")
    #expect(try desk.refusal("GET", "/metrics", headers: [("Host", "evil.example")]).hasPrefix("403 "))
    #expect(
      try desk.refusal("GET", "/metrics/")
        == #"404 not found; GET /openapi.json describes every call; did you mean "/metrics"?"#)
  }

  @Test func familiesAreSortedAndEachHasHelpAndType() throws {
    let desk = try Desk(.live)
    try desk.makeProxy()
    let lines = try desk.call("GET", "/metrics").text.split(separator: "\n")
    let helps = lines.filter { $0.hasPrefix("# HELP ") }.map { $0.split(separator: " ")[2] }
    #expect(helps == helps.sorted() && Set(helps).count == helps.count)
    #expect(lines.filter { $0.hasPrefix("# TYPE ") }.map { $0.split(separator: " ")[2] } == helps)
    let series = lines.filter { !$0.hasPrefix("#") }.map { $0.prefix { $0 != " " } }
    #expect(Set(series).count == series.count, "no series twice")
    let wanted: Set<Substring> = [
      "headwind_build_info", "headwind_buffered_bytes", "headwind_control_request_duration_seconds",
      "headwind_event_loop_lag_seconds", "headwind_event_loop_turn_seconds", "headwind_events_total",
      "process_cpu_seconds_total", "process_open_fds", "process_start_time_seconds",
      "toxiproxy_proxy_received_bytes_total", "toxiproxy_proxy_sent_bytes_total",
    ]
    #expect(wanted.subtracting(helps) == [])
  }

  @Test func namesOfAllKindsAreShown() throws {
    let desk = try Desk()
    for (name, shown) in [
      (#"a\"b"#, #"a\"b"#), (#"back\\slash"#, #"back\\slash"#), (#"two\nlines"#, #"two\nlines"#), ("ключ", "ключ"),
      (#"nul\u0000"#, "nul\0"), ("a/b c", "a/b c"),
    ] {
      try desk.makeProxy(name)
      #expect(try value(#"headwind_proxy_enabled{proxy="\#(shown)"}"#, desk) == "1", "\(name)")
    }
  }

  @Test func requestsAreCountedByHandlerMethodAndCode() throws {
    let desk = try Desk()
    _ = try desk.call("GET", "/proxies")
    try desk.makeProxy()
    _ = try desk.call("DELETE", "/proxies/web")
    _ = try desk.call("DELETE", "/proxies/web")
    _ = try desk.call("PUT", "/proxies/x/toxics/y")
    _ = try desk.call("MADEUP", "/proxies")
    _ = try desk.call("GET", "/nowhere")
    for (code, handler, method) in [
      (200, "/proxies", "GET"), (201, "/proxies", "POST"), (204, "/proxies/{}", "DELETE"),
      (404, "/proxies/{}", "DELETE"), (405, "/proxies/{}/toxics/{}", "PUT"), (405, "/proxies", "other"),
      (404, "none", "GET"),
    ] {
      let series = #"headwind_control_requests_total{code="\#(code)",handler="\#(handler)",method="\#(method)"}"#
      #expect(try value(series, desk) == "1", "\(series)")
    }
    #expect(try value(#"headwind_control_request_duration_seconds_count{handler="/proxies/{}"}"#, desk) == "2")
  }

  @Test func aDeletedProxysCountersStay() throws {
    let desk = try Desk()
    // Nobody listens on port 1: the session's dial fails.
    let listen = try desk.makeProxy()
    let port = try #require(Endpoint(parsing: listen).port)
    var request = HTTPClientRequest(host: "127.0.0.1", port: port)
    request.method = "GET"
    var isOver = false
    let exchange = HTTPExchange(loop: desk.loop, request: request) { _ in isOver = true }
    try desk.loop.runUntil { isOver && desk.registry.sessions.isEmpty }
    withExtendedLifetime(exchange) {}
    _ = try desk.call("DELETE", "/proxies/web")
    #expect(try value(#"headwind_proxy_dial_failures_total{proxy="web"}"#, desk) == "1")
    #expect(
      try value(#"headwind_proxy_sessions_closed_total{proxy="web",reason="dial_failed"}"#, desk) == "1")
    #expect(try value(#"headwind_proxy_live_sessions{proxy="web"}"#, desk) == nil)
    try desk.makeProxy()
    #expect(try value(#"headwind_proxy_dial_failures_total{proxy="web"}"#, desk) == "1")
    #expect(try value(#"headwind_proxy_live_sessions{proxy="web"}"#, desk) == "0")
    #expect(try desk.call("GET", "/proxies/web/counters").json()["dial_failures"] == 0)
  }

  @Test func theProfileInForceIsShown() throws {
    let desk = try Desk()
    try desk.makeProxy("a")
    try desk.makeProxy("b")
    #expect(try value(#"headwind_profile_info{profile="none"}"#, desk) == "1")
    _ = try desk.call("PUT", "/profile/3g")
    _ = try desk.call("PUT", "/proxies/b/profile/edge")
    #expect(try value(#"headwind_profile_info{profile="3g"}"#, desk) == "1")
    #expect(try value(#"headwind_profile_info{profile="none"}"#, desk) == nil)
    #expect(try value(#"headwind_proxy_profile_info{profile="3g",proxy="a"}"#, desk) == "1")
    #expect(try value(#"headwind_proxy_profile_info{profile="edge",proxy="b"}"#, desk) == "1")
    #expect(try value("headwind_events_total", desk) == "\(desk.registry.events.newest)")
  }

  @Test func pathsAreCountedByProfileAndDirection() throws {
    let desk = try Desk()
    let listen = try desk.makeProxy()
    let port = try #require(UInt16(listen.split(separator: ":")[1]))
    _ = try desk.call("PUT", "/profile/3g")
    #expect(try value(#"headwind_path_packets_total{direction="upstream",profile="3g"}"#, desk) == "0")
    let address = try #require(SocketAddress(literal: "127.0.0.1", port: port))
    let client = try StreamSocket(loop: desk.loop, connectingTo: address)
    // Its SYN.
    try desk.loop.runUntil {
      (try? value(#"headwind_path_packets_total{direction="upstream",profile="3g"}"#, desk)) != "0"
    }
    _ = try desk.call("DELETE", "/profile")
    client.close()
    for name in ["queue_drops", "lost_packets"] {
      #expect(try value(#"headwind_path_\#(name)_total{direction="downstream",profile="3g"}"#, desk) == "0")
    }
    #expect(try value(#"headwind_path_packets_total{direction="upstream",profile="3g"}"#, desk) != "0", "it stays")
  }

  /// 50 ms in release; here there is room for a debug build on a busy machine, and still a bound on what grows faster than
  /// the number of proxies.
  @Test func threeThousandProxiesAreShownQuickly() throws {
    let desk = try Desk()
    let entries = (0..<3_000).map { #"{"name":"proxy-\#($0)","upstream":"upstream.example:80","enabled":false}"# }
    _ = try desk.call("POST", "/populate", "[\(entries.joined(separator: ","))]")
    var text = ""
    let time = try ContinuousClock().measure { text = try desk.call("GET", "/metrics").text }
    #expect(text.split(separator: "\n").count > 3_000 * 10)
    #expect(time < .seconds(5), "\(time)")
  }
}
