import Foundation
import Testing

/// `GET /metrics` of a running daemon, as a scraper sees it.
@Suite(.blocking)
struct MetricsTests {
  /// Debian's package prometheus has it, and so has Homebrew's.
  private static let promtool = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].map { $0 + "/promtool" }
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  private func metrics(_ daemon: Daemon) throws -> String {
    let response = try daemon.api.get("/metrics")
    #expect(response.status == 200)
    #expect(response.header("Content-Type") == "text/plain; version=0.0.4; charset=utf-8")
    return String(decoding: response.body, as: UTF8.self)
  }

  /// The value of a series, named as it is written.
  private func value(_ series: String, _ daemon: Daemon) throws -> String? {
    let line = try metrics(daemon).split(separator: "\n").first { $0.hasPrefix(series + " ") }
    return line.map { String($0.dropFirst(series.count + 1)) }
  }

  @Test func bytesAreCountedWhileTheyFlowUnderTheReferencesNames() throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon(["p": upstream.address])
    let labels = try #"listener="\#(daemon.listen())",proxy="p",upstream="\#(upstream.address)""#
    let client = try daemon.connect()
    for round in 1...3 {
      #expect(try client.echo("0123456789") == "0123456789")
      for name in ["received", "sent"] {
        for direction in ["downstream", "upstream"] {
          let series = #"toxiproxy_proxy_\#(name)_bytes_total{direction="\#(direction)",\#(labels)}"#
          // The last write may be counted a moment after the client has read it.
          #expect(try eventually { try value(series, daemon) == "\(round * 10)" }, "\(series)")
        }
      }
    }
    #expect(try value(#"headwind_proxy_live_sessions{proxy="p"}"#, daemon) == "1")
    client.close()
    #expect(try eventually { try value(#"headwind_proxy_live_sessions{proxy="p"}"#, daemon) == "0" })
    #expect(try value(#"headwind_proxy_sessions_closed_total{proxy="p",reason="closed"}"#, daemon) == "1")
  }

  @Test func theSeriesOfADeletedProxyStayAndGoOn() throws {
    let upstream = try Upstream.echo()
    let daemon = try Daemon()
    let address = Address(host: "127.0.0.1", port: try ListeningSocket.freePort())
    let body = #"{"name":"short","listen":"\#(address)","upstream":"\#(upstream.address)"}"#
    let series =
      #"toxiproxy_proxy_sent_bytes_total{direction="upstream",listener="\#(address)",proxy="short","#
      + #"upstream="\#(upstream.address)"}"#
    for round in 1...3 {
      // Between two rounds a connection of another test may come from this port, for a moment.
      #expect(try eventually { try daemon.api.post("/proxies", body).status == 201 })
      #expect(try Connection(to: address).echo("12345") == "12345")
      #expect(try daemon.api.delete("/proxies/short").status == 204)
      #expect(try value(series, daemon) == "\(round * 5)")
      #expect(try value(#"headwind_proxy_sessions_total{proxy="short"}"#, daemon) == "\(round)")
    }
    #expect(try value(#"headwind_proxy_live_sessions{proxy="short"}"#, daemon) == nil)
  }

  /// What is true of every process of ours can be compared with what /proc says.
  @Test(.enabled(if: Machine.tellsResidentMemory, "there is no /proc here, or a sanitizer moves the figures"))
  func theProcesssFiguresAreReal() throws {
    let daemon = try Daemon()
    let process = daemon.program.identifier
    let text = try metrics(daemon)
    func number(_ name: String) throws -> Double {
      let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(name + " ") })
      return try #require(Double(line.dropFirst(name.count + 1)))
    }
    let resident = try Double(Machine.residentBytes(of: process))
    #expect(abs(try number("process_resident_memory_bytes") - resident) < resident / 4)
    // The connection that asks is gone by now.
    #expect(abs(try number("process_open_fds") - Double(Machine.openDescriptors(of: process))) <= 2)
    let now = Date().timeIntervalSince1970
    #expect(try (now - 120...now + 1).contains(number("process_start_time_seconds")))
    #expect(try number("process_cpu_seconds_total") > 0)
  }

  @Test(.enabled(if: promtool != nil, "promtool is not here: scripts/lib/need check installs it"))
  func promtoolFindsNothingToSay() throws {
    let promtool = try #require(Self.promtool)
    let upstream = try Upstream.echo()
    let daemon = try Daemon(["p": upstream.address], ["--profile", "flaky", "--seed", "7"])
    let names = [
      #"quo\"te"#, #"back\\slash"#, #"two\nlines"#, #"\r\t\u0000\u001b"#, "ключ 🔑", "a,b}={", "sla/sh", ".",
      String(repeating: "long", count: 200),
    ]
    for name in names { try daemon.api.create(name, to: upstream.address) }
    let listens = try daemon.api.get("/proxies").json
    for proxy in listens.keys {
      let address = try Address(try #require(listens[proxy]["listen"].string))
      for _ in 0..<3 { _ = try? Connection(to: address).echo("hello") }
    }
    try daemon.api.get("/nowhere")
    try daemon.api.delete("/proxies/.")
    let directory = try TemporaryDirectory()
    let file = try directory.write(metrics(daemon), to: "metrics")
    let check = try Program("/bin/sh", ["-c", #"exec "$0" check metrics <"$1""#, promtool, file])
    #expect(check.exit() == 0, "\(check.errors)")
    #expect(check.output + check.errors == "")
    #expect(try metrics(daemon).contains("headwind_proxy_drops_total{"))
  }
}
