import Testing

/// A small HTTP client over a plain socket; a connection for each call.
struct API: Sendable {
  let address: Address

  struct Response {
    let status: Int
    let headers: [(name: String, value: String)]
    let body: [UInt8]
    let time: Duration

    /// `null` when the body is no JSON.
    var json: JSONValue { (try? JSONValue(body)) ?? .null }
    var error: String { json["error"].string ?? "" }

    func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }
  }

  @discardableResult
  func get(_ target: String) throws -> Response { try send("GET", target) }
  @discardableResult
  func put(_ target: String, _ body: String? = nil) throws -> Response { try send("PUT", target, body) }
  @discardableResult
  func post(_ target: String, _ body: String? = nil) throws -> Response { try send("POST", target, body) }
  @discardableResult
  func patch(_ target: String, _ body: String) throws -> Response { try send("PATCH", target, body) }
  @discardableResult
  func delete(_ target: String) throws -> Response { try send("DELETE", target) }

  /// - Parameter headers: in place of those of the same name that a client sends by itself.
  func send(_ method: String, _ target: String, _ body: String? = nil, headers: [String: String] = [:]) throws
    -> Response
  {
    var fields = ["Host": address.description, "Connection": "close"]
    if let body { fields["Content-Length"] = "\(body.utf8.count)" }
    fields.merge(headers) { $1 }
    let head = "\(method) \(target) HTTP/1.1\r\n" + fields.map { "\($0): \($1)\r\n" }.joined() + "\r\n"
    return try exchange(head + (body ?? ""))
  }

  /// Sends text as it is and reads the answer to the end of the connection.
  func exchange(_ request: String) throws -> Response {
    let start = ContinuousClock.now
    let connection = try Connection(to: address)
    // A refusal may come, with a close behind it, before everything is sent.
    try? connection.send(request)
    let answer = try connection.receiveToEnd()
    return try API.parse(answer, time: .now - start)
  }

  static func parse(_ bytes: [UInt8], time: Duration = .zero) throws -> Response {
    let end = try #require(
      bytes.firstRange(of: Array("\r\n\r\n".utf8)), "no HTTP head: \(String(decoding: bytes, as: UTF8.self))")
    let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
    let status = try #require(lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) })
    let headers = lines.dropFirst().map { line in
      let parts = line.split(separator: ":", maxSplits: 1)
      return (name: String(parts[0]), value: parts.count == 2 ? String(parts[1].drop { $0 == " " }) : "")
    }
    return Response(status: status, headers: headers, body: Array(bytes[end.upperBound...]), time: time)
  }
}

extension API {
  /// Makes a proxy on a free port; the test stops when it can't.
  func create(_ name: String = "p", to upstream: Address, _ more: String = "") throws {
    let body = #"{"name":"\#(name)","listen":"127.0.0.1:0","upstream":"\#(upstream)"\#(more)}"#
    let response = try post("/proxies", body)
    try #require(response.status == 201, "\(response.error)")
  }

  func addToxic(_ type: String, _ attributes: String, name: String = "t", to proxy: String = "p") throws {
    let response = try post(
      "/proxies/\(proxy)/toxics", #"{"name":"\#(name)","type":"\#(type)","attributes":\#(attributes)}"#)
    try #require(response.status == 200, "\(response.error)")
  }

  func use(_ profile: String) throws {
    let response = try put("/profile/\(profile)")
    try #require(response.status == 200, "\(response.error)")
  }
}
