import Settings

// The classic calls: `Classic+Proxies.swift`, `Classic+Toxics.swift`.
extension OpenAPI {
  static let classicOperations: [Operation] =
    [
      Operation(
        "GET", "/version", "getVersion", "Tell the versions",
        answers: [.json(200, .reference("Version"), "The version whose contract is kept, and the product's own.")])
    ] + proxyOperations + toxicOperations

  // MARK: Proxies

  private static let proxyOperations: [Operation] = [
    Operation(
      "GET", "/proxies", "listProxies", "List all proxies", query: [all],
      answers: [
        .json(200, .dictionary(of: .reference("Proxy"), "By name, sorted by the bytes of the name."), "All proxies.")
      ]),
    Operation(
      "POST", "/proxies", "createProxy", "Make a proxy",
      "It listens before the answer comes, with its toxics and profile in force before the first connection is accepted.",
      body: newProxy,
      answers: [
        .json(201, .reference("Proxy"), "The proxy as made, with its real port.", warns: true, links: linksOfProxy),
        .error(
          400,
          "The body can't be read, lacks a field, holds a toxic or a profile that is wrong, or would make an open proxy."
        ),
        .error(409, "Another proxy has this name."), tooMany, .shared(500, "CannotListen"),
      ]),
    Operation(
      "POST", "/populate", "populate", "Make or change several proxies",
      """
      All or nothing. Proxies not named are left alone. One that would be bound as it is, with the same upstream, keeps its \
      connections and its toxics; `toxics` that are given and differ replace them. Of two entries of one name the later counts.
      """,
      body: Schema.array(of: newProxy, atMost: ProxySpec.maximumCount).orNull,
      answers: [
        .json(201, .reference("Population"), "The proxies named, in the order of the request.", warns: true),
        .error(400, "As for one proxy; says which entry, counted from 1.", schema: "PopulationError"),
        .error(429, "There would be more than a limit allows.", schema: "PopulationError"),
        .error(500, "An address can't be listened on. Nothing has changed.", schema: "PopulationError"),
      ]),
    Operation(
      "POST", "/reset", "reset", "Enable every proxy and remove all toxics",
      "Profiles stay. A body is ignored.",
      answers: [
        .noContent("Done."),
        .error(
          500, "A proxy's address can't be listened on, with the system's reason. The others are reset all the same."),
      ]),
    Operation(
      "GET", "/proxies/{proxy}", "getProxy", "Show a proxy", query: [all],
      answers: [.json(200, .reference("Proxy"), "The proxy."), .shared(404, "ProxyNotFound")]),
    update("PATCH", "updateProxy", "Change a proxy"),
    update("POST", "updateProxyByPost", "Change a proxy, as older clients do"),
    Operation(
      "DELETE", "/proxies/{proxy}", "deleteProxy", "Remove a proxy",
      "Its connections are reset; name and port are free at once.",
      answers: [.noContent("It is gone."), .shared(404, "ProxyNotFound")]),
  ]

  private static let newProxy = Schema.anyOf(["NewProxy", "NewForwardProxy"], "")

  private static let all = Parameter(
    name: "all", schema: .string(example: "true"),
    description: "`true`: with toxics from a config file of kinds that toxiproxy's clients don't know.")

  private static func update(_ method: String, _ id: String, _ summary: String) -> Operation {
    Operation(
      method, "/proxies/{proxy}", id, summary,
      """
      What the body leaves out stays; the mode always does, and so does the upstream `*:*`. A new upstream or listen address resets the connections; the port is kept where the \
      address means what is bound already. A change that can't be made changes nothing.
      """,
      body: .reference("ProxyUpdate"),
      answers: [
        .json(200, .reference("Proxy"), "The proxy as it is now.", warns: true),
        .error(400, "The body can't be read, or asks of a forward proxy what it can't be."),
        .shared(404, "ProxyNotFound"), .shared(500, "CannotListen"),
      ])
  }

  private static let linksOfProxy: [Answer.Link] = [
    "getProxy", "updateProxy", "deleteProxy", "listToxics", "addToxic", "getProxyProfile", "clearProxyProfile",
    "getCounters",
  ].map { Answer.Link(operationID: $0, parameters: ["proxy": "$response.body#/name"]) }

  // MARK: Toxics

  private static let toxicOperations: [Operation] = [
    Operation(
      "GET", "/proxies/{proxy}/toxics", "listToxics", "List a proxy's toxics", query: [all],
      answers: [
        .json(200, .array(of: .reference("Toxic")), "Upstream first, then downstream, by age."),
        .shared(404, "ProxyNotFound"),
      ]),
    Operation(
      "POST", "/proxies/{proxy}/toxics", "addToxic", "Add a toxic",
      "It comes last in its stream and is in force on open connections before the answer.",
      body: .reference("NewToxic"),
      answers: [
        .json(200, .reference("Toxic"), "The toxic, with all its attributes.", warns: true, links: linksOfToxic),
        .error(400, "The body can't be read, or names a type, a stream or a value that there isn't."),
        .shared(404, "ProxyNotFound"), .error(409, "Another toxic of the proxy has this name."), tooMany,
      ]),
    Operation(
      "GET", "/proxies/{proxy}/toxics/{toxic}", "getToxic", "Show a toxic",
      answers: [.json(200, .reference("Toxic"), "The toxic."), .shared(404, "ToxicNotFound")]),
    updateToxic("PATCH", "updateToxic", "Change a toxic"),
    updateToxic("POST", "updateToxicByPost", "Change a toxic, as older clients do"),
    Operation(
      "DELETE", "/proxies/{proxy}/toxics/{toxic}", "removeToxic", "Remove a toxic",
      "What it holds goes on at once, in order.",
      answers: [.noContent("It is gone."), .shared(404, "ToxicNotFound")]),
  ]

  private static func updateToxic(_ method: String, _ id: String, _ summary: String) -> Operation {
    Operation(
      method, "/proxies/{proxy}/toxics/{toxic}", id, summary,
      "`toxicity`, triggers and the attributes named change; name, type and stream don't. What it holds follows the new values.",
      body: .reference("ToxicUpdate"),
      answers: [
        .json(200, .reference("Toxic"), "The toxic as it is now.", warns: true),
        .error(400, "The body can't be read, or a value is not allowed."), .shared(404, "ToxicNotFound"),
      ])
  }

  private static let linksOfToxic: [Answer.Link] = ["getToxic", "updateToxic", "removeToxic"].map {
    Answer.Link(operationID: $0, parameters: ["proxy": "$request.path.proxy", "toxic": "$response.body#/name"])
  }
}
