import Foundation
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A marker stands in every place where users have secrets. Nothing that the daemon or a command prints may hold it.
@Suite(.blocking)
struct SecretTests {
  static let marker = "S3CRETMARK"
  /// As `Basic` has them: base64 of `user:S3CRETMARK`.
  static let encoded = "dXNlcjpTM0NSRVRNQVJL"

  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func expectNothing(in text: String, _ place: String, at location: SourceLocation = #_sourceLocation) {
    for secret in [Self.marker, Self.encoded] where text.contains(secret) {
      let around = text.components(separatedBy: secret).prefix(2).map { "\($0.suffix(80))" }
      Issue.record("\(place): …\(around.joined(separator: "<secret>").prefix(200))", sourceLocation: location)
    }
  }

  /// Everything that the control API tells.
  private static let targets = [
    "/events", "/sessions", "/proxies", "/metrics", "/openapi.json", "/rules", "/proxy.pac", "/traffic", "/leases",
    "/profiles", "/profile", "/healthz", "/readyz", "/version",
  ]

  private func expectNothing(toldBy daemon: Daemon, _ token: String?) throws {
    for target in Self.targets {
      let answer = try daemon.api.send("GET", target, headers: token.map { ["Authorization": "Bearer \($0)"] } ?? [:])
      #expect(answer.status == 200 || target == "/proxy.pac", "\(target)")
      expectNothing(in: answer.text + answer.headers.map(\.value).joined(separator: "\n"), target)
    }
    expectNothing(in: daemon.program.output, "standard output")
    expectNothing(in: daemon.log, "log")
  }

  // MARK: Clients of forward proxies

  static let fields =
    "Proxy-Authorization: Basic \(encoded)\r\nAuthorization: Bearer \(marker)\r\nCookie: id=\(marker)\r\n"
    + "X-Api-Key: \(marker)\r\n"

  /// Requests as clients of the HTTP proxy make them, sound and not; `UPSTREAM` stands for a server.
  static let requests = [
    "GET http://UPSTREAM/\(marker)?key=\(marker) HTTP/1.1\r\nHost: x\r\n\(fields)Connection: close\r\n\r\n",
    "GET http://user:\(marker)@UPSTREAM/ HTTP/1.1\r\nHost: x\r\n\(fields)\r\n",
    "GET https://user:\(marker)@UPSTREAM/?\(marker) HTTP/1.1\r\nHost: x\r\n\(fields)\r\n",
    "GET /\(marker)?\(marker) HTTP/1.1\r\nHost: x\r\n\(fields)\r\n",
    "CONNECT UPSTREAM HTTP/1.1\r\nHost: x\r\n\(fields)\r\n",
    "CONNECT user:\(marker)@UPSTREAM HTTP/1.1\r\nHost: x\r\n\(fields)\r\n",
    "CONNECT http://user:\(marker)@UPSTREAM/?\(marker) HTTP/1.1\r\nHost: x\r\n\(fields)\r\n",
    "GET http://127.0.0.1:1/?\(marker) HTTP/1.1\r\nHost: x\r\n\(fields)\r\n",
    "GET http://nowhere.invalid/?\(marker) HTTP/1.1\r\nHost: x\r\n\(fields)\r\n",
    "POST http://UPSTREAM/?\(marker) HTTP/1.1\r\nHost: x\r\nBad Header\(marker): \(marker)\r\n\r\n",
    "POST http://UPSTREAM/?\(marker) HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\nCookie: \(marker)\r\n\r\n",
    "GET http://UPSTREAM/?\(marker) HTTP/9.9\r\n\r\n", "GET http://UPSTREAM/\(marker) ?\(marker) HTTP/1.1\r\n\r\n",
  ]

  @Test(arguments: ["text", "json"])
  func whatClientsSendIsTheirs(format: String) throws {
    let upstream = try Upstream { connection in
      _ = try connection.receive()
      try connection.send("HTTP/1.1 200 OK\r\nSet-Cookie: id=\(Self.marker)\r\nContent-Length: 0\r\n\r\n")
    }
    // Another proxy is on the way to what isn't on this machine.
    let next = try Upstream { connection in
      _ = try connection.receive()
      try connection.send("HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"\(Self.marker)\"\r\n\r\n")
    }
    let daemon = try Daemon(
      [:],
      [
        "--http-proxy", "0", "--socks", "0", "--via", "http://user:\(Self.marker)@\(next.address)", "--log-level",
        "debug",
        "--log-format", format,
      ])
    let proxy = try Address(#require(daemon.ready["http_proxy"].string))
    for request in Self.requests {
      let client = try Connection(to: proxy)
      try client.send(request.replacingOccurrences(of: "UPSTREAM", with: "\(upstream.address)"))
      client.finish()
      let answer = try? client.receiveToEnd()
      // What the server says is passed on; what we say ourselves is not to quote.
      let own = String(decoding: answer ?? [], as: UTF8.self)
      if !own.contains("Set-Cookie"), !own.contains("Proxy-Authenticate") {
        expectNothing(in: own, "answer to \(request)")
      }
    }
    try socks(daemon)
    #expect(try eventually { try daemon.sessions.isEmpty })
    #expect(try !daemon.events("session_opened").isEmpty)
    try expectNothing(toldBy: daemon, nil)
  }

  /// RFC 1929's user and password, and the user's name of SOCKS 4.
  private func socks(_ daemon: Daemon) throws {
    let address = try Address(#require(daemon.ready["socks"].string))
    let secret = Array(Self.marker.utf8)
    let messages: [[UInt8]] = [
      [5, 1, 2, 1, 4] + Array("user".utf8) + [UInt8(secret.count)] + secret + [5, 1, 0, 1, 127, 0, 0, 1, 0, 1],
      [4, 1, 0, 1, 127, 0, 0, 1] + secret + [0],
      [4, 1, 0, 1, 0, 0, 0, 9] + secret + [0] + Array("nowhere.invalid".utf8) + [0],
    ]
    for message in messages {
      let client = try Connection(to: address)
      try client.send(message)
      client.finish()
      let answer = (try? client.receiveToEnd()) ?? []
      expectNothing(in: String(decoding: answer, as: UTF8.self), "answer to SOCKS")
    }
  }

  // MARK: Who asks the control API

  @Test func whatControlRequestsShowIsKept() throws {
    let token = Self.marker + "-of-the-daemon"
    let file = try directory.writeSecret(token)
    let daemon = try Daemon([:], ["--token-file", file, "--log-level", "debug"])
    let wrong = "Bearer \(Self.marker)-but-not-this-one"
    for (target, headers) in [
      ("/proxies?token=\(Self.marker)", [:]), ("/\(Self.marker)", ["Authorization": wrong]),
      ("/profile", ["Authorization": wrong, "Cookie": Self.marker]),
      ("/events?token=\(Self.marker)", ["Authorization": "Bearer \(token)", "Cookie": Self.marker]),
      ("/rules?at=http://user:\(Self.marker)@h/", ["Authorization": "Bearer \(token)"]),
      ("/%zz?token=\(Self.marker)", ["Authorization": "Bearer \(token)"]),
      ("http://user:\(Self.marker)@127.0.0.1/", ["Authorization": "Bearer \(token)"]),
    ] as [(String, [String: String])] {
      let method = target.hasPrefix("/rules") ? "POST" : "GET"
      expectNothing(in: try daemon.api.send(method, target, "{}", headers: headers).text, target)
    }
    try expectNothing(toldBy: daemon, token)
    expectNothing(in: try Program.run(["status", "--control", daemon.url, "--token-file", file]).output, "status")
  }

  // MARK: Configuration

  static let url = "http://user:\(marker)@proxy.test"

  static let configs = [
    "{via: '\(url):0'}", "{via: '\(url):x/y?z'}", "{via: 'ftp://user:\(marker)@h'}", "{via: 'user:\(marker)@h:x'}",
    "{via: ['\(url)']}", "{via: {a: '\(url)'}}", "{via: '\(url)', via: '\(url)'}", "{via: '\(url)' '\(url)'}",
    "{via: '\(url)", "{token: '\(marker)'}", "{token_file: 7, via: '\(url)'}", "{token_file: {a: '\(marker)'}}",
    "{control: '\(url):1:2'}", "{http_proxy: '\(url):x'}", "{socks: '\(url):x'}", "{rules: ['\(url)=3g']}",
    "{rules: [{host: '\(url)', use: '3g'}]}", "{allow_clients: ['\(url)']}", "{profile: '\(url)'}",
    "{log_format: '\(url)'}", "{seed: '\(url)'}", "[{name: 'p', upstream: '\(url):80'}]",
    "[{name: 'p', listen: '\(url):80', upstream: 'h:1'}]", "[{name: 'p', upstream: 'user:\(marker)@h:80'}]",
    "[{name: 'p', upstream: 'https://h/?key=\(marker)'}]",
  ]

  @Test(arguments: configs)
  func configErrorsLeaveItOut(text: String) throws {
    let file = try directory.write(text, to: "config.json5")
    for words in [["check-config", file], ["check-config", file, "--json"], ["serve", "--config", file]] {
      let result = try Program.run(words)
      #expect(result.status == 1, "\(words): \(result)")
      expectNothing(in: result.output + result.errors, "\(words[0]) of \(text)")
    }
  }

  static let options: [[String]] = [
    ["serve", "--via", "\(url):0"], ["serve", "--via", "\(url):1/x?\(marker)"], ["serve", "--proxy", "p=\(url):80"],
    ["serve", "--proxy", "p=127.0.0.1:0,\(url):80/?\(marker)"], ["serve", "--proxy", "p=user:\(marker)@h:x"],
    ["serve", "--control", "\(url):1:2"], ["serve", "--http-proxy", "\(url):x"], ["serve", "--rule", "\(url)=3g"],
    ["serve", "--token=\(marker)"], ["serve", "--token", marker], ["status", "--control", "\(url):1:2"],
    ["status", "--control", "user:\(marker)@h"], ["status", "--token=\(marker)"],
  ]

  @Test(arguments: options)
  func optionErrorsLeaveItOut(words: [String]) throws {
    let result = try Program.run(words)
    #expect(result.status == 64, "\(result)")
    expectNothing(in: result.output + result.errors, "\(words)")
  }

  @Test func theEnvironmentsIsLeftOutToo() throws {
    for (words, environment) in [
      (["serve", "--via", "env"], ["HTTPS_PROXY": "\(Self.url):x"]), (["status"], ["HEADWIND_URL": "\(Self.url):1:2"]),
      (["status"], ["HEADWIND_TOKEN": Self.marker]),
    ] {
      let result = try Program.run(words, environment: environment)
      #expect(result.status != 0)
      expectNothing(in: result.output + result.errors, "\(words) \(environment.keys)")
    }
    // Odd, but let pass.
    let daemon = try Daemon(
      [:], ["--http-proxy", "0", "--via", "env"],
      environment: [
        "HTTPS_PROXY": "\(Self.url):1", "NO_PROXY": "http://user:\(Self.marker)@h",
      ])
    #expect(eventually { daemon.log.contains("NO_PROXY") })
    try expectNothing(toldBy: daemon, nil)
  }

  // MARK: Reports

  @Test func reportsOfRunsLeaveItOut() throws {
    let (report, junit) = (directory.path + "/report.json", directory.path + "/report.xml")
    let token = try directory.writeSecret(Self.marker + "-of-the-daemon")
    let result = try Program.run(
      [
        "run", "--via", "\(Self.url):3128", "--token-file", token, "--report", report, "--junit", junit, "--profiles",
        "3g,lte",
      ]
        + ["--no-expect-traffic", "--", "/bin/sh", "-c", "exit 0"])
    #expect(result.status == 0, "\(result)")
    expectNothing(in: result.output + result.errors, "run")
    for path in [report, junit] { expectNothing(in: try String(contentsOfFile: path, encoding: .utf8), path) }
  }
}
