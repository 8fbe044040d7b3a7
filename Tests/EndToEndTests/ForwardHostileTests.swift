import Testing

/// What clients of the forward proxies may say that is wrong, and what they are told; then the daemon is as it was.
@Suite(.blocking)
struct ForwardHostileTests {
  struct Input: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let request: String
    let status: Int

    init(_ name: String, _ status: Int, _ request: String) {
      (testDescription, self.status, self.request) = (name, status, request)
    }

    /// With a line that names a real server; `UPSTREAM` stands for it.
    static func post(_ name: String, _ status: Int, _ rest: String) -> Input {
      Input(name, status, "POST http://UPSTREAM/ HTTP/1.1\r\nHost: x\r\n\(rest)")
    }
  }

  static let connects = [
    Input("CONNECT without a port", 400, "CONNECT example.test HTTP/1.1\r\nHost: x\r\n\r\n"),
    Input("CONNECT to port 0", 400, "CONNECT example.test:0 HTTP/1.1\r\nHost: x\r\n\r\n"),
    Input("CONNECT to port 65536", 400, "CONNECT example.test:65536 HTTP/1.1\r\nHost: x\r\n\r\n"),
    Input("CONNECT to a URL", 400, "CONNECT http://example.test/ HTTP/1.1\r\nHost: x\r\n\r\n"),
    Input("CONNECT with a user", 400, "CONNECT me@example.test:443 HTTP/1.1\r\nHost: x\r\n\r\n"),
    Input("CONNECT with a body", 400, "CONNECT UPSTREAM HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx"),
    Input("CONNECT to nothing", 400, "CONNECT  HTTP/1.1\r\nHost: x\r\n\r\n"),
    Input("an open bracket", 400, "CONNECT [::1:443 HTTP/1.1\r\nHost: x\r\n\r\n"),
    Input("a short address", 400, "CONNECT 127.1:443 HTTP/1.1\r\nHost: x\r\n\r\n"),
    Input("a hexadecimal address", 400, "CONNECT 0x7f000001:443 HTTP/1.1\r\nHost: x\r\n\r\n"),
    Input("an octal address", 400, "CONNECT 0177.0.0.1:443 HTTP/1.1\r\nHost: x\r\n\r\n"),
    Input("a name of 256 bytes", 431, "CONNECT \(String(repeating: "a", count: 256)):443 HTTP/1.1\r\nHost: x\r\n\r\n"),
    Input("TLS", 400, "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}"),
    Input("SOCKS", 400, "\u{5}\u{1}\u{0}"),
    Input("HTTP/2", 505, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    Input("no version", 400, "GET http://UPSTREAM/\r\n\r\n"),
    Input("no server", 400, "GET / HTTP/1.1\r\nHost: UPSTREAM\r\n\r\n"),
    Input("https", 501, "GET https://UPSTREAM/ HTTP/1.1\r\nHost: x\r\n\r\n"),
    Input("empty lines", 400, "\r\n\r\n\r\n"),
  ]

  static let smuggling = [
    Input.post("both lengths", 400, "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    Input.post("two lengths", 400, "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc"),
    Input.post("a list of lengths", 400, "Content-Length: 3, 3\r\n\r\nabc"),
    Input.post("a signed length", 400, "Content-Length: +3\r\n\r\nabc"),
    Input.post("a length beyond all", 400, "Content-Length: 99999999999999999999\r\n\r\nabc"),
    Input.post("two codings", 501, "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
    Input.post("an unknown coding", 400, "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"),
    Input.post("a blank before the colon", 400, "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n"),
    Input("chunks in HTTP/1.0", 400, "POST http://UPSTREAM/ HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    Input.post("a folded line", 400, "Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n"),
    Input.post("a bare LF", 400, "X: a\nContent-Length: 3\r\n\r\nabc"),
    Input.post("a bare CR", 400, "X: a\rContent-Length: 3\r\n\r\nabc"),
    Input.post("a NUL", 400, "X: a\u{0}b\r\n\r\n"),
    Input.post("no colon", 400, "Content-Length 3\r\n\r\nabc"),
    Input.post("two hosts", 400, "Host: y\r\n\r\n"),
    Input("no host", 400, "GET http://UPSTREAM/ HTTP/1.1\r\n\r\n"),
    Input.post("a chunk without a size", 400, "Transfer-Encoding: chunked\r\n\r\n;\r\nabc\r\n"),
    Input.post("a chunk of -1", 400, "Transfer-Encoding: chunked\r\n\r\n-1\r\n"),
    Input.post("a chunk of 0x1", 400, "Transfer-Encoding: chunked\r\n\r\n0x1\r\na\r\n"),
    Input.post("a chunk that is too long", 400, "Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n"),
    Input.post("a chunk with a bare LF", 400, "Transfer-Encoding: chunked\r\n\r\n1\na\r\n"),
    Input.post("a chunk beyond all", 400, "Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n"),
    Input.post("a length among the trailers", 400, "Transfer-Encoding: chunked\r\n\r\n0\r\nContent-Length: 1\r\n\r\n"),
  ]

  static let bombs = [
    Input.post("300 fields", 431, String(repeating: "A: b\r\n", count: 300) + "\r\n"),
    Input.post("a field of 70,000 bytes", 431, "A: \(String(repeating: "b", count: 70_000))\r\n\r\n"),
    Input("a line of 100,000 bytes", 414, String(repeating: "A", count: 100_000)),
    Input.post(
      "a chunk's extension of 5,000 bytes", 431,
      "Transfer-Encoding: chunked\r\n\r\n1;\(String(repeating: "e", count: 5_000))\r\n"),
  ]

  /// The status of what `request` is told, up to the end of the connection.
  private func status(_ request: [UInt8], of proxy: Address, byteByByte: Bool = false) throws -> Int? {
    let client = try Connection(to: proxy)
    do {
      if byteByByte {
        for byte in request { try client.send([byte]) }
      } else {
        try client.send(request)
      }
    } catch is SocketError {
      // It may be told before it is through.
    }
    let answer = String(decoding: try client.receiveToEnd(), as: UTF8.self)
    guard answer.hasPrefix("HTTP/1.1 ") else { return nil }
    return Int(answer.dropFirst(9).prefix(3))
  }

  /// What was connected before is still served, nothing is left, and a request has its answer.
  private func expectAsBefore(_ daemon: Daemon, _ bystander: Connection, _ upstream: Upstream) throws {
    #expect(try bystander.echo("still here") == "still here")
    #expect(try eventually { try daemon.sessions.count == 1 })
    let proxy = try Address(#require(daemon.ready["http_proxy"].string))
    let request = Array("GET http://\(upstream.address)/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".utf8)
    #expect(try status(request, of: proxy) == 200)
  }

  private func server() throws -> Upstream {
    try Upstream { connection in
      _ = try connection.receive()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      while case .bytes = try connection.receive() {}
    }
  }

  @Test(arguments: [connects, smuggling, bombs])
  func badRequestsAreToldSo(inputs: [Input]) throws {
    let (echo, upstream) = (try Upstream.echo(), try server())
    // What is wrong with a body is told while there is no answer yet.
    let silent = try Upstream.silent()
    let daemon = try Daemon(["p": echo.address], ["--http-proxy", "0"])
    let bystander = try daemon.connect()
    #expect(try bystander.echo("before") == "before")
    let proxy = try Address(#require(daemon.ready["http_proxy"].string))
    for input in inputs {
      let parts = input.request.split(separator: "UPSTREAM", omittingEmptySubsequences: false)
      let request = Array(parts.joined(separator: "\(silent.address)").utf8)
      for byteByByte in request.count < 400 ? [false, true] : [false] {
        #expect(
          try status(request, of: proxy, byteByByte: byteByByte) == input.status, "\(input.testDescription)")
      }
    }
    try expectAsBefore(daemon, bystander, upstream)
  }

  static let socks: [(name: String, request: [UInt8], answer: [UInt8])] = [
    ("no methods", [5, 0], [5, 255]),
    ("a password only", [5, 1, 2], [5, 255]),
    ("version 4 in a request of 5", [5, 1, 0, 4, 1, 0, 1], [5, 0, 5, 1]),
    ("BIND", [5, 1, 0, 5, 2, 0, 1, 127, 0, 0, 1, 0, 80], [5, 0, 5, 7]),
    ("UDP", [5, 1, 0, 5, 3, 0, 1, 127, 0, 0, 1, 0, 80], [5, 0, 5, 7]),
    ("an address of type 9", [5, 1, 0, 5, 1, 0, 9], [5, 0, 5, 8]),
    ("port 0", [5, 1, 0, 5, 1, 0, 1, 127, 0, 0, 1, 0, 0], [5, 0, 5, 1]),
    ("an empty name", [5, 1, 0, 5, 1, 0, 3, 0, 0, 80], [5, 0, 5, 1]),
    ("a name with a blank", [5, 1, 0, 5, 1, 0, 3, 3, 97, 32, 98, 0, 80], [5, 0, 5, 1]),
    ("127.1", [5, 1, 0, 5, 1, 0, 3, 5] + Array("127.1".utf8) + [0, 80], [5, 0, 5, 1]),
    ("BIND of 4", [4, 2, 0, 80, 127, 0, 0, 1, 0], [0, 91]),
    ("port 0 of 4", [4, 1, 0, 0, 127, 0, 0, 1, 0], [0, 91]),
    ("a user of 300 bytes", [4, 1, 0, 80, 127, 0, 0, 1] + [UInt8](repeating: 97, count: 300), [0, 91]),
  ]

  @Test func socksGarbageIsToldSoOrCutOff() throws {
    let (echo, upstream) = (try Upstream.echo(), try server())
    let daemon = try Daemon(["p": echo.address], ["--http-proxy", "0", "--socks", "0"])
    let bystander = try daemon.connect()
    let proxy = try Address(#require(daemon.ready["socks"].string))
    for (name, request, answer) in Self.socks {
      for pieces in [[request], request.map { [$0] }] {
        let client = try Connection(to: proxy)
        do { for piece in pieces { try client.send(piece) } } catch is SocketError {}
        let received = try client.receiveToEnd()
        #expect(received.starts(with: answer) && received.count >= answer.count, "\(name): \(received)")
      }
    }
    for garbage in [[0x16, 3, 1], Array("GET / HTTP/1.1\r\n\r\n".utf8), [6], [0]] as [[UInt8]] {
      let client = try Connection(to: proxy)
      try client.send(garbage)
      #expect(try client.receive() == .reset, "\(garbage)")
    }
    try expectAsBefore(daemon, bystander, upstream)
  }

  @Test func noWayLeadsBackToTheDaemon() throws {
    let (echo, upstream) = (try Upstream.echo(), try server())
    let daemon = try Daemon(["p": echo.address], ["--http-proxy", "0", "--socks", "0"])
    let bystander = try daemon.connect()
    let http = try Address(#require(daemon.ready["http_proxy"].string))
    for key in ["control", "http_proxy", "socks"] {
      let port = try Address(#require(daemon.ready[key].string)).port
      for host in ["127.0.0.1", "localhost", "LOCALHOST", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "0.0.0.0"] {
        for line in ["CONNECT \(host):\(port)", "GET http://\(host):\(port)/"] {
          let request = Array("\(line) HTTP/1.1\r\nHost: x\r\n\r\n".utf8)
          #expect(try status(request, of: http) == 508, "\(line)")
        }
      }
    }
    try expectAsBefore(daemon, bystander, upstream)
  }

  @Test func aNextProxyThatTalksWithoutEndHoldsUpNobody() throws {
    let (echo, upstream) = (try Upstream.echo(), try server())
    let next = try Upstream { connection in
      let storm = Array(String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 10_000).utf8)
      while true { try connection.send(storm) }
    }
    let daemon = try Daemon(
      ["p": echo.address], ["--http-proxy", "0", "--via", "http://\(next.address)", "--connect-timeout", "25s"])
    let bystander = try daemon.connect()
    let client = try Connection(to: Address(#require(daemon.ready["http_proxy"].string)))
    try client.send("CONNECT example.test:443 HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(eventually { next.count == 1 })
    let time = try elapsed { for _ in 0..<5 { _ = try daemon.api.get("/sessions") } }
    #expect(time < .seconds(10), "\(time)")
    client.abort()
    try expectAsBefore(daemon, bystander, upstream)
  }

  @Test func aServerThatTalksWithoutEndHoldsUpNobody() throws {
    let (echo, upstream) = (try Upstream.echo(), try server())
    let storm = Array(String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 10_000).utf8)
    let talker = try Upstream { connection in while true { try connection.send(storm) } }
    let daemon = try Daemon(["p": echo.address], ["--http-proxy", "0"])
    let bystander = try daemon.connect()
    let client = try Connection(to: Address(#require(daemon.ready["http_proxy"].string)))
    try client.send("GET http://\(talker.address)/ HTTP/1.1\r\nHost: x\r\n\r\n")
    let reader = Worker { while case .bytes = try client.receive() {} }
    #expect(try eventually { try daemon.sessions.contains { $0["downstream_bytes"].int ?? 0 > 500_000 } })
    let time = try elapsed { for _ in 0..<5 { _ = try daemon.api.get("/sessions") } }
    #expect(time < .seconds(10), "\(time)")
    client.interrupt()
    try? reader.value()
    client.close()
    try expectAsBefore(daemon, bystander, upstream)
  }

  /// Clients that break off anywhere, while what applies to them changes.
  @Test func chaosLeavesNothingBehind() throws {
    let (echo, upstream) = (try Upstream.echo(), try server())
    let daemon = try Daemon(["p": echo.address], ["--http-proxy", "0", "--socks", "0", "--seed", "1"])
    let bystander = try daemon.connect()
    #expect(try bystander.echo("before") == "before")
    let proxies = try ["http_proxy", "socks"].map { try Address(#require(daemon.ready[$0].string)) }
    let target = upstream.address
    let workers = (0..<8).map { number in
      Worker {
        var generator = SplitMix(state: UInt64(number))
        for _ in 0..<40 {
          let isSOCKS = generator.next() % 4 == 0
          let get = "GET http://\(target)/ HTTP/1.1\r\nHost: x\r\n\r\n"
          let connect = "CONNECT \(target) HTTP/1.1\r\nHost: x\r\n\r\n"
          let post = "POST http://\(target)/ HTTP/1.1\r\nHost: x\r\nContent-Length: 99999\r\n\r\nhalf"
          let texts = [get + get + connect + "early", connect + "early", post]
          let port = [UInt8(target.port >> 8), UInt8(target.port & 255)]
          let whole =
            isSOCKS ? [5, 1, 0, 5, 1, 0, 1, 127, 0, 0, 1] + port : Array(texts[Int(generator.next() % 3)].utf8)
          guard let client = try? Connection(to: proxies[isSOCKS ? 1 : 0]) else { continue }
          try? client.send(Array(whole.prefix(Int(generator.next() % UInt64(whole.count + 1)))))
          if generator.next() % 2 == 0 { _ = try? client.receive(within: .milliseconds(Int(generator.next() % 20))) }
          if generator.next() % 2 == 0 { client.abort() } else { client.finish() }
          client.close()
        }
      }
    }
    for round in 0..<12 {
      let name = ["http-proxy", "socks"][round % 2]
      let isOn = round % 4 > 1
      _ = try daemon.api.put("/rules", isOn ? #"{"rules":["127.0.0.1=deny"]}"# : #"{"rules":[]}"#)
      _ = try daemon.api.post("/proxies/\(name)", #"{"enabled":\#(isOn)}"#)
      _ = try daemon.api.put("/proxies/\(name)/profile/\(["3g", "offline", "none"][round % 3])", "")
      try daemon.api.addToxic("reset_peer", #"{"timeout":5}"#, to: name)
      _ = try daemon.api.delete("/proxies/\(name)/toxics/t")
    }
    for worker in workers { try worker.value() }
    for name in ["http-proxy", "socks"] {
      _ = try daemon.api.post("/proxies/\(name)", #"{"enabled":true}"#)
      _ = try daemon.api.put("/proxies/\(name)/profile/none", "")
    }
    _ = try daemon.api.put("/rules", #"{"rules":[]}"#)
    #expect(try eventually(within: .seconds(30)) { try daemon.sessions.count == 1 })
    try expectAsBefore(daemon, bystander, upstream)
  }
}
