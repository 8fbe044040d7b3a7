import Settings

/// The description of every call in OpenAPI 3.0.3, as `GET /openapi.json` gives it.
///
/// It describes what the router routes and nothing else: each method of each route is joined with its ``Operation``, and a
/// test fails when one has none or is none. Numbers and lists of values come from the code that checks them.
package enum OpenAPI {
  static func document(of routes: [Route]) -> JSON {
    [
      "openapi": "3.0.3",
      "info": [
        "title": "Headwind", "version": .string(Version.current), "description": .string(introduction),
        "license": ["name": "Apache-2.0", "url": "https://www.apache.org/licenses/LICENSE-2.0"],
      ],
      // Wherever the document came from.
      "servers": [["url": "/"]],
      "tags": .array(tags.map { ["name": .string($0.name), "description": .string($0.description)] }),
      "paths": .object(paths(of: routes)),
      "components": [
        "schemas": .object(schemas.map { ($0.0, $0.1.json) }),
        "responses": .object((sharedAnswers + answersAtLimits).map { ($0.0, $0.1.json) }),
        "headers": headers,
        "securitySchemes": ["token": tokenScheme],
      ],
      // One of both: most daemons have no token.
      "security": [["token": []], [:]],
    ]
  }

  private static let tokenScheme: JSON = [
    "type": "http", "scheme": "bearer",
    "description": """
    The token in the file that `--token-file` or `token_file` names. `/healthz` and `/readyz` don't ask for it; \
    `/proxy.pac` without it leaves out the rules.
    """,
  ]

  static let operations =
    tagged("classic", classicOperations) + tagged("native", nativeOperations + trafficOperations + limitOperations)
    + tagged("operations", serviceOperations)

  static func operation(_ method: String, _ pattern: [String]) -> Operation? {
    operations.first { $0.method == method && $0.pattern == pattern }
  }

  private static func paths(of routes: [Route]) -> [(String, JSON?)] {
    routes.compactMap { route in
      let described = route.handlers.keys.sorted().compactMap { operation($0, route.pattern) }
      guard let path = described.first?.path else { return nil }
      return (path, .object(described.map { ($0.method.lowercased(), $0.json) }))
    }
  }

  private static func tagged(_ tag: String, _ operations: [Operation]) -> [Operation] {
    operations.map { operation in
      var copy = operation
      copy.tag = tag
      return copy
    }
  }

  private static let tags = [
    (name: "classic", description: "Toxiproxy \(API.classicVersion)'s API: proxies and their toxics."),
    (name: "native", description: "Headwind's own: profiles, leases, live sessions, events."),
    (name: "operations", description: "For those who run the daemon."),
  ]

  static let pathParameters = [
    Parameter(
      name: "proxy", schema: .string(minLength: 1, example: "web"),
      description: "A proxy's name, percent-encoded; a slash as `%2F`."),
    Parameter(
      name: "toxic", schema: .string(minLength: 1, example: "latency_downstream"),
      description: "A toxic's name, percent-encoded; a slash as `%2F`."),
    Parameter(
      name: "profile", schema: .string(minLength: 1, example: "3g"),
      description: "A profile's name or alias, in any letter case."),
    Parameter(
      name: "lease", schema: .string(minLength: 1, example: "hkqz-7"),
      description: "A lease's `id`."),
    Parameter(name: "session", schema: .integer(), description: "A session's `id`."),
  ]

  private static let introduction = """
    Makes TCP connections as bad as a mobile network. The classic calls are those of toxiproxy \(API.classicVersion).

    **Bodies.** Classic calls read JSON leniently whatever the `Content-Type`: keys in any letter case, `null` as if absent, \
    of equal keys the last; unknown keys are ignored and told in a `Warning` header; text behind the first value is ignored. \
    Native calls read JSON5 and refuse unknown keys. Whole numbers may be spelled `100.0` or `1e2`.

    **Refusals** are `{"error": "…", "status": N}` with any status from 400 up, and have changed nothing. Besides those \
    listed there are 404 for a path that isn't in this document, and 405 for a method that a path doesn't have. `HEAD` \
    answers like `GET`, without the body; `OPTIONS` answers 204 with `Allow`.

    **Web pages are kept out:** a `Host` that is no IP address, local name or `--allow-host`, a foreign `Origin`, a \
    cross-site request, and a `User-Agent` that begins with `Mozilla/` are answered 403 (the last not for `/proxy.pac`).

    Answers may gain keys; none will be removed.
    """
}
