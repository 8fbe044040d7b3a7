import Settings

extension OpenAPI {
  /// What there is to say of one method of one route.
  struct Operation {
    var method: String
    /// With names for what stands in the path: `/proxies/{proxy}`.
    var path: String
    var id: String
    var tag = ""
    var summary: String
    var details: String
    /// Of parameters in the path whose schema here differs from that of ``OpenAPI/pathParameters``.
    var inPath: [String: Schema] = [:]
    var query: [Parameter] = []
    var body: Schema?
    var isBodyOptional = false
    var answers: [Answer]
    /// No method is refused here.
    var takesAnyMethod = false

    init(
      _ method: String, _ path: String, _ id: String, _ summary: String, _ details: String = "",
      inPath: [String: Schema] = [:], query: [Parameter] = [], body: Schema? = nil, answers: [Answer]
    ) {
      (self.method, self.path, self.id, self.summary, self.details) = (method, path, id, summary, details)
      (self.inPath, self.query, self.body, self.answers) = (inPath, query, body, answers)
    }

    /// The path as a route's pattern has it.
    var pattern: [String] {
      path.dropFirst().split(separator: "/").map { $0.hasPrefix("{") ? "{}" : String($0) }
    }
  }

  struct Parameter {
    var name: String
    var schema: Schema
    var description: String
  }

  /// What an operation answers with one status.
  struct Answer {
    var status: Int
    var json: JSON
  }
}

extension OpenAPI.Operation {
  var json: JSON {
    let body = body.map { schema -> JSON in
      ["required": .bool(!isBodyOptional), "content": ["application/json": ["schema": schema.json]]]
    }
    return .object([
      ("tags", [.string(tag)]), ("summary", .string(summary)), ("description", OpenAPI.text(details)),
      ("operationId", .string(id)), ("parameters", parameters.isEmpty ? nil : .array(parameters)),
      ("requestBody", body), ("responses", responses),
    ])
  }

  private var parameters: [JSON] {
    let names = path.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
    let named = names.compactMap { name in OpenAPI.pathParameters.first { $0.name == name } }
    return named.map { $0.json(in: "path", schema: inPath[$0.name]) } + query.map { $0.json(in: "query") }
  }

  var takingNoBodyToo: Self {
    var copy = self
    copy.isBodyOptional = true
    return copy
  }

  var takingAnyMethod: Self {
    var copy = self
    copy.takesAnyMethod = true
    return copy
  }

  /// Its own answers, and those that come before any handler is asked.
  private var responses: JSON {
    let left = Set(answers.map(\.status) + (takesAnyMethod ? [405] : []))
    let all = answers + OpenAPI.answersOfEveryCall.filter { !left.contains($0.status) }
    return .object(all.sorted { $0.status < $1.status }.map { ("\($0.status)", $0.json) })
  }
}

extension OpenAPI.Parameter {
  fileprivate func json(in place: String, schema other: OpenAPI.Schema? = nil) -> JSON {
    .object([
      ("name", .string(name)), ("in", .string(place)), ("required", place == "path" ? true : nil),
      ("description", .string(description)), ("schema", (other ?? schema).json),
    ])
  }
}

// MARK: Answers

extension OpenAPI.Answer {
  /// A success.
  ///
  /// - Parameters:
  ///   - warns: what was odd about the body is told in a header.
  ///   - tellsPlace: the path of what was made is told in a header.
  ///   - links: what may be called next, with where its parameters are to be found.
  static func json(
    _ status: Int, _ schema: OpenAPI.Schema, _ description: String, warns: Bool = false, tellsPlace: Bool = false,
    links: [Link] = []
  ) -> Self {
    let names =
      ["X-Toxiproxy-Request-Id"] + (warns ? ["Warning"] : []) + (tellsPlace ? [OpenAPI.placeMade] : [])
    return Self(status, description, headers: names, content: [("application/json", schema)], links: links)
  }

  static func noContent(_ description: String) -> Self {
    Self(204, description, headers: ["X-Toxiproxy-Request-Id"])
  }

  /// A refusal by the handler.
  static func error(_ status: Int, _ description: String, schema: String = "Error") -> Self {
    let header = [400, 403].contains(status) ? OpenAPI.requestIDIfRouted : "X-Toxiproxy-Request-Id"
    return Self(status, description, headers: [header], content: [("application/json", .reference(schema))])
  }

  /// One of the document's components.
  static func shared(_ status: Int, _ name: String) -> Self {
    Self(status: status, json: ["$ref": .string("#/components/responses/\(name)")])
  }

  /// - Parameter headers: names of the document's components.
  init(
    _ status: Int, _ description: String, headers: [String] = [],
    content: [(type: String, schema: OpenAPI.Schema)] = [],
    links: [Link] = []
  ) {
    self.status = status
    let headers = headers.map { name -> (String, JSON) in
      (OpenAPI.headerNames[name] ?? name, ["$ref": .string("#/components/headers/\(name)")])
    }
    let content = content.map { ($0.type, JSON.object(["schema": $0.schema.json])) }
    json = .object([
      ("description", .string(description)), ("headers", OpenAPI.members(headers)),
      ("content", OpenAPI.members(content)), ("links", OpenAPI.members(links.map { ($0.operationID, $0.json) })),
    ])
  }

  /// A call that can follow.
  struct Link {
    var operationID: String
    /// By name, a runtime expression such as `$response.body#/name`.
    var parameters: KeyValuePairs<String, String>

    var json: JSON {
      .object([
        ("operationId", .string(operationID)),
        ("parameters", .object(parameters.map { ($0.key, JSON.string($0.value)) })),
      ])
    }
  }
}

extension OpenAPI {
  /// Nil for none, so that an empty member is left out.
  static func members(_ pairs: [(String, JSON)]) -> JSON? {
    pairs.isEmpty ? nil : .object(JSONObject(pairs))
  }

  static func text(_ text: String) -> JSON? { text.isEmpty ? nil : .string(text) }
}
