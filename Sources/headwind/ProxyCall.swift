import Settings

/// The calls about one proxy; what is refused names it.
struct ProxyCall {
  let name: String
  private let client: ControlClient

  init(_ name: String, _ client: ControlClient) {
    self.name = name
    self.client = client
  }

  var subject: String { "proxy \(quoted(name))" }

  func get(_ rest: String = "") throws(CommandError) -> JSON { try send("GET", rest) }

  /// - Parameters:
  ///   - rest: of the path, behind the proxy.
  ///   - toxic: named in a refusal, too.
  @discardableResult
  func send(
    _ method: String, _ rest: String = "", body: JSON? = nil, aboutToxic toxic: String? = nil
  ) throws(CommandError) -> JSON {
    let subject = subject + (toxic.map { ", toxic \(quoted($0))" } ?? "")
    return try client.send(method, "/proxies/\(percentEncoded(name))\(rest)", body: body, about: subject)
  }
}
