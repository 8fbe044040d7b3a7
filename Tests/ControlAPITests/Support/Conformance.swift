import Settings

@testable import ControlAPI

/// Holds what the API answers against its own description: `Desk` asks it about every answer of every test.
struct Conformance {
  private let check: SchemaCheck
  private let router: Router

  init(_ api: API) {
    router = api.router
    check = SchemaCheck(document: OpenAPI.document(of: router.routes), isClosed: true)
  }

  /// What is not as described; empty when all is.
  func complaints(_ method: String, _ target: String, _ reply: Reply) -> [String] {
    // What no route answers is not in the document.
    let (match, route) = router.match(APIRequest(method: method, target: target))
    guard case .handler = match, let route else { return [] }
    let asked = method == "HEAD" || route.anyMethod != nil ? "GET" : method
    guard let operation = OpenAPI.operation(asked, route.pattern) else {
      return ["\(method) \(target) is not described"]
    }
    let responses = check.document["paths"]?[operation.path]?[asked.lowercased()]?["responses"]
    guard var response = responses?["\(reply.status)"] else { return ["status \(reply.status) is not described"] }
    if let reference = response["$ref"]?.stringValue { response = check.resolve(reference) ?? .null }
    return ofHeaders(response, reply) + (method == "HEAD" ? [] : ofBody(response, reply))
  }

  private func ofHeaders(_ response: JSON, _ reply: Reply) -> [String] {
    let described = (response["headers"]?.objectValue?.members ?? []).compactMap { member in
      check.resolve(member.value["$ref"]?.stringValue ?? "").map { (member.key, $0) }
    }
    let ordinary = ["content-type", "content-length", "date", "connection"]
    let names = Set(described.map { $0.0.lowercased() } + ordinary)
    return described.flatMap { name, header -> [String] in
      let values = reply.all(name)
      if values.isEmpty { return header["required"] == true ? ["the header \(name) is missing"] : [] }
      return values.flatMap { check.complaints(.string($0), header["schema"] ?? .null, at: name) }
    }
      + reply.headers.map { $0.name.lowercased() }.filter { !names.contains($0) }.map {
        "the header \($0) is not described"
      }
  }

  private func ofBody(_ response: JSON, _ reply: Reply) -> [String] {
    guard let content = response["content"] else { return reply.text.isEmpty ? [] : ["a body is not described"] }
    let type = reply.header("Content-Type")?.prefix { $0 != ";" } ?? "-"
    guard let schema = content[String(type)]?["schema"] else { return ["the content type \(type) is not described"] }
    let text = type == "application/json" ? try? reply.json() : .string(reply.text)
    guard let json = text else { return ["no JSON: \(reply.text.prefix(80))"] }
    return check.complaints(json, schema)
  }
}
