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
    return try client.send(method, path + rest, body: body, about: subject) { wayOut(of: $0, toxic) }
  }

  private var path: String { "/proxies/\(percentEncoded(name))" }

  /// The API's own words are toxiproxy's, which clients compare, and say no more than that.
  func wayOut(of refusal: String, _ toxic: String? = nil) -> String? {
    switch refusal {
    case "proxy not found":
      let names = (try? client.get("/proxies"))?.members.map(\.0) ?? []
      return ProxyCall.known(names, to: name, "there is none; `headwind proxies create` makes one")
    case "toxic not found":
      let names = (try? client.get("\(path)/toxics"))?.array.compactMap { $0["name"]?.string } ?? []
      return ProxyCall.known(names, to: toxic ?? "", "it has none; `headwind toxics add` adds one")
    case "proxy already exists": return "`headwind proxies update` changes it"
    case "toxic already exists": return "`headwind toxics update` changes it, --name adds one under another name"
    default: return nil
    }
  }

  private static func known(_ names: [String], to word: String, _ none: String) -> String {
    if let near = nearest(to: word, among: names) { return "did you mean \(quoted(near))?" }
    let shown = names.sorted().prefix(10).map { $0.printable.plainExcerpt }.joined(separator: ", ")
    return names.isEmpty ? none : "known: \(shown)\(names.count > 10 ? " and \(names.count - 10) more" : "")"
  }
}
