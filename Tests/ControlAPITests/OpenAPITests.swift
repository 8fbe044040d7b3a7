import LoopTesting
import Settings
import Testing

@testable import ControlAPI
@testable import Proxying
@testable import Reactor

/// What the API says of itself. That its answers are so is seen by `Desk` in every test of this module.
@Suite struct OpenAPITests {
  private let desk: Desk
  private let document: JSON

  init() throws {
    desk = try Desk()
    document = try desk.call("GET", "/openapi.json").json()
  }

  private var schemas: [JSONObject.Member] { document["components"]?["schemas"]?.objectValue?.members ?? [] }

  private var operations: [JSON] {
    (document["paths"]?.objectValue?.members ?? []).flatMap { $0.value.objectValue?.members ?? [] }.map(\.value)
  }

  @Test func everyRouteIsDescribedAndNothingElse() {
    let routed = desk.api.router.routes.flatMap { route in
      route.handlers.keys.map { "\($0) /\(route.pattern.joined(separator: "/"))" }
    }
    let described = OpenAPI.operations.map { "\($0.method) /\($0.pattern.joined(separator: "/"))" }
    #expect(routed.sorted() == described.sorted())
    #expect(operations.count == described.count)
    for route in desk.api.router.routes {
      #expect(OpenAPI.operation("GET", route.pattern)?.takesAnyMethod ?? false == (route.anyMethod != nil))
    }
  }

  @Test func namesAreUniqueAndTagsAreExplained() {
    let ids = OpenAPI.operations.map(\.id)
    #expect(Set(ids).count == ids.count)
    #expect(Set(schemas.map(\.key)).count == schemas.count)
    let tags = (document["tags"]?.arrayValue ?? []).map { $0["name"] }
    #expect(operations.allSatisfy { tags.contains($0["tags"]?.arrayValue?.first) })
  }

  @Test func everyReferenceLeadsSomewhereAndEveryComponentIsUsed() {
    let check = SchemaCheck(document: document, isClosed: true)
    var references: Set<String> = []
    visit(document) { json in
      if let reference = json["$ref"]?.stringValue { references.insert(reference) }
    }
    for reference in references { #expect(check.resolve(reference) != nil, "\(reference)") }
    for kind in ["schemas", "responses", "headers"] {
      for member in document["components"]?[kind]?.objectValue?.members ?? [] {
        #expect(references.contains("#/components/\(kind)/\(member.key)"), "\(kind)/\(member.key)")
      }
    }
  }

  /// OpenAPI 3.0 knows only some words of JSON Schema: `const`, for one, makes the document invalid.
  @Test func schemasConsistOfTheWordsOfOpenAPI30() {
    let known: Set = [
      "$ref", "type", "format", "description", "example", "default", "enum", "nullable", "pattern", "minLength",
      "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems", "uniqueItems",
      "items", "required", "properties", "additionalProperties", "minProperties", "maxProperties", "oneOf", "anyOf",
      "allOf", "not", "discriminator", "title", "readOnly", "writeOnly", "deprecated", "multipleOf",
    ]
    var count = 0
    func check(_ schema: JSON?) {
      guard let members = schema?.objectValue?.members else { return }
      count += 1
      for (key, value) in members.map({ ($0.key, $0.value) }) {
        #expect(known.contains(key), "\(schema?.text ?? "")")
        switch key {
        case "properties": value.objectValue?.members.forEach { check($0.value) }
        case "oneOf", "anyOf", "allOf": value.arrayValue?.forEach { check($0) }
        case "items", "additionalProperties", "not": check(value)
        default: break
        }
      }
    }
    schemas.forEach { check($0.value) }
    visit(document["paths"] ?? .null) { check($0["schema"]) }
    visit(document["components"]?["headers"] ?? .null) { check($0["schema"]) }
    visit(document["components"]?["responses"] ?? .null) { check($0["schema"]) }
    #expect(count > 200)
  }

  @Test func linksNameOperationsAndTheirParameters() {
    visit(document) { json in
      guard let id = json["operationId"]?.stringValue, let parameters = json["parameters"]?.objectValue else { return }
      let names = Set(parameters.members.map(\.key))
      let operation = operations.first { $0["operationId"]?.stringValue == id }
      let wanted = Set((operation?["parameters"]?.arrayValue ?? []).compactMap { $0["name"]?.stringValue })
      #expect(names.isSubset(of: wanted) && !names.isEmpty, "\(id)")
    }
  }

  private func visit(_ json: JSON, _ body: (JSON) -> Void) {
    body(json)
    for member in json.objectValue?.members ?? [] { visit(member.value, body) }
    for element in json.arrayValue ?? [] { visit(element, body) }
  }

  // MARK: Bodies

  @Test func examplesAreAsTheirSchemasSay() {
    let check = SchemaCheck(document: document, isClosed: true)
    var count = 0
    visit(document) { schema in
      guard let example = schema["example"], schema["type"] != nil else { return }
      count += 1
      #expect(check.complaints(example, schema) == [], "\(example.text)")
    }
    #expect(count > 20)
  }

  private func example(_ name: String) throws -> JSON {
    try #require(schemas.first { $0.key == name }?.value["example"], "\(name)")
  }

  @Test func examplesAreAccepted() throws {
    #expect(try desk.call("POST", "/proxies", example("NewProxy").text).status == 201)
    #expect(try desk.call("POST", "/populate", JSON.array([example("NewProxy")]).text).status == 201)
    #expect(try desk.call("POST", "/proxies", example("NewForwardProxy").text).status == 201)
    #expect(try desk.call("PUT", "/rules", example("Rules").text).status == 200)
    #expect(try desk.call("POST", "/rules", example("Rule").text).status == 201)
    #expect(try desk.call("POST", "/proxies/web", example("ProxyUpdate").text).status == 200)
    #expect(try desk.call("PUT", "/profiles/mine", example("ProfileDefinition").text).status == 201)
    let lease = try desk.call("POST", "/leases", example("NewLease").text)
    #expect(lease.status == 201)
    let id = try lease.json()["id"]?.stringValue ?? "-"
    #expect(try desk.call("POST", "/leases/\(id)/renew", example("LeaseRenewal").text).status == 200)
    let latency = OpenAPI.ToxicForm.new.name(of: .latency)
    #expect(try desk.call("POST", "/proxies/web/toxics", example(latency).text).status == 200)
    #expect(
      try desk.call("PATCH", "/proxies/web/toxics/latency_downstream", example("ToxicUpdate").text).status == 200)
  }

  @Test(arguments: ToxicType.allCases)
  func toxicsAreDescribedWhereTheyAreTaken(_ type: ToxicType) throws {
    let body = try example(OpenAPI.ToxicForm.defined.name(of: type))
    let profile = JSON.object([("toxics", .array([body]))])
    #expect(try desk.call("PUT", "/profiles/mine", profile.text).status == 201)
    try desk.makeProxy("p")
    #expect(try desk.call("POST", "/proxies/p/toxics", body.text).status == 200)
  }

  /// As a float it is one thing, as the double that its text is read as another.
  @Test(arguments: ["3.4028235e38", "-3.4028235e38", "0.1", "16777217", "1e-46"])
  func toxicitiesAreDescribed(_ toxicity: String) throws {
    try desk.makeProxy("p")
    #expect(try desk.call("POST", "/proxies/p/toxics", #"{"type":"noop","toxicity":\#(toxicity)}"#).status == 200)
  }

  @Test func formsOfNamesAreThoseThatAreRead() throws {
    let pattern = try Regex(Profile.namePattern)
    for name in ["", "a", "3g", "-a", ".a", "a.b_c-d", "A", "é", "a b", String(repeating: "x", count: 64)]
      + [String(repeating: "x", count: 65), "a\n"]
    {
      #expect(Profile.isName(name) == (try pattern.wholeMatch(in: name) != nil), "\(name)")
    }
  }

  // MARK: Events

  @Test func eventsAreDescribed() throws {
    try desk.makeProxy("p")
    try desk.call("POST", "/proxies/p/toxics", #"{"type":"latency"}"#)
    try desk.call("POST", "/proxies/p/toxics/latency_downstream", #"{"toxicity":0}"#)
    try desk.call("DELETE", "/proxies/p/toxics/latency_downstream")
    try desk.call("PUT", "/proxies/p/profile/3g?for=30s")
    try desk.call("PUT", "/profile/3g")
    try useTimeline()
    let taken = try desk.call("POST", "/leases", #"{"profile":"edge","proxies":["p"]}"#)
    let lease = try #require(taken.json()["id"]?.stringValue)
    try desk.call("PUT", "/proxies/p/profile/lte")
    try desk.call("POST", "/leases/\(lease)/renew")
    try desk.call("DELETE", "/leases/\(lease)")
    try desk.call("POST", "/reset")
    try desk.call("PATCH", "/proxies/p", #"{"enabled":false}"#)
    try desk.call("DELETE", "/proxies/p")
    desk.registry.note("reloaded", [("needs_restart", ["seed"])])
    try desk.call("PUT", "/rules", example("Rules").text)
    desk.registry.note("reload_refused", [("reason", "…")])
    desk.registry.met(.proxies)
    try askForward()
    let types = try connectAndTell().map { $0["type"]?.stringValue ?? "-" }
    let described = (document["components"]?["schemas"]?["Event"]?["discriminator"]?["mapping"]?.objectValue)?.members
    // These two need a machine that is short of something.
    let rare: Set = ["accepting_rests", "listen_failed"]
    #expect(Set(types) == Set(try #require(described).map(\.key)).subtracting(rare))
  }

  /// A profile whose path has a step that stays.
  private func useTimeline() throws {
    let path = PathSpec(latencyMilliseconds: 100)
    let step = TimelineSpec.Step(name: "tunnel", durationMilliseconds: 1000, path: path)
    var spec = path
    spec.timeline = TimelineSpec(steps: [step], isLooped: false)
    try desk.registry.catalogue.define(Profile(name: "train", path: spec))
    let step0 = try desk.call("PUT", "/profile/train").json()["step"]
    #expect(step0?["name"] == "tunnel" && step0?["index"] == 0 && step0?["round"] == 0 && step0?["until"] == .null)
    let since = try #require(step0?["since"]?.stringValue)
    #expect(try desk.call("GET", "/profile").json()["step"]?["since"]?.stringValue?.prefix(16) == since.prefix(16))
    #expect(try desk.call("PUT", "/profile/3g").json()["step"] == nil)
  }

  /// A client of a forward proxy asks for what isn't there.
  private func askForward() throws {
    let made = try desk.call("POST", "/proxies", #"{"name":"f","listen":"127.0.0.1:0","mode":"http"}"#)
    let listen = try #require(made.json()["listen"]?.stringValue)
    let address = try #require(SocketAddress(literal: "127.0.0.1", port: UInt16(listen.split(separator: ":")[1]) ?? 0))
    let client = try StreamSocket(loop: desk.loop, connectingTo: address)
    try desk.loop.runUntil { client.isWritable || client.pendingError() != 0 }
    _ = client.write(Array("CONNECT 127.0.0.1:1 HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
    try desk.loop.runUntil { [registry = desk.registry] in
      registry.events.events(since: 0).contains { $0.type == "request_refused" }
    }
    client.close()
  }

  /// The events after two connections: to nowhere, and to be dropped.
  private func connectAndTell() throws -> [JSON] {
    for (name, profile) in [("nowhere", "none"), ("dropped", "drops")] {
      try desk.call(
        "PUT", "/profiles/drops", #"{"toxics":[{"type":"drop","attributes":{"probability":1,"per":"connection"}}]}"#)
      let listen = try desk.makeProxy(name, upstream: "127.0.0.1:1")
      try desk.call("PUT", "/proxies/\(name)/profile/\(profile)")
      let port = try #require(UInt16(listen.split(separator: ":")[1]))
      let address = try #require(SocketAddress(literal: "127.0.0.1", port: port))
      let client = try StreamSocket(loop: desk.loop, connectingTo: address)
      try desk.loop.runUntil { [registry = desk.registry] in
        registry.events.events(since: 0).contains { $0.type == "session_closed" && $0.proxy == name }
      }
      client.close()
    }
    return try #require(try desk.call("GET", "/events").json()["events"]?.arrayValue)
  }
}
