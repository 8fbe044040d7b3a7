import Settings

// Forward proxies: their shapes, and the calls of `Native+Forwarding.swift`.
extension OpenAPI {
  static let forwardMode = Schema.choice(
    ProxyMode.allCases.filter(\.isForward).map(\.rawValue),
    "Of proxies whose clients name the upstream: by CONNECT or an absolute URL, or by SOCKS.")

  static let forwardSchemas: [(String, Schema)] = [
    (
      "NewForwardProxy",
      .object(
        "A proxy whose clients name the upstream. It listens on a loopback address, unless there is `--allow-client`.",
        required: [("name", .string(minLength: 1, example: "http-proxy")), ("mode", forwardMode)],
        optional: [("upstream", Schema.choice([ProxyMode.anyUpstream], "Whatever the client names.").orNull)]
          + newProxyOptions,
        example: ["name": "browser", "mode": "http", "listen": "127.0.0.1:0"])
    ),
    (
      "Rule",
      .object(
        required: [
          ("host", .string(hostDescription, minLength: 1, example: "*.example.com")),
          ("use", .string("A profile, `direct` (no conditions) or `deny` (refused).", minLength: 1, example: "edge")),
        ], isClosed: true, example: ["host": "*.example.com", "use": "edge"])
    ),
    (
      "Rules",
      .object(
        required: [
          ("rules", .array(of: .reference("Rule"), atMost: HostRule.maximumCount, "The first that matches counts."))
        ],
        isClosed: true,
        example: ["rules": [["host": "*.example.com", "use": "edge"], ["host": "*:25", "use": "deny"]]])
    ),
  ]

  private static let hostDescription = """
    A name, or a name with `*` for any number of characters (`*.example.com` isn't `example.com` itself), or an IP address \
    or a network such as `10.0.0.0/8`, which names never match. With `:PORT` it is for that port alone.
    """

  // MARK: Calls

  static let forwardOperations: [Operation] = [
    Operation(
      "GET", "/rules", "listRules", "List the rules by host of forward proxies",
      answers: [.json(200, .reference("Rules"), "All of them, in their order.")]),
    Operation(
      "PUT", "/rules", "replaceRules", "Replace all rules by host",
      "They hold for connections from now on. A rule may be one string, too: `*.example.com=edge`.",
      body: .reference("Rules"),
      answers: [.json(200, .reference("Rules"), "All of them now."), badRule, tooMany]),
    Operation(
      "POST", "/rules", "addRule", "Add a rule by host",
      query: [
        Parameter(name: "at", schema: .choice(["first", "last"]), description: "Where it comes; last when left out.")
      ], body: .reference("Rule"),
      answers: [.json(201, .reference("Rules"), "All of them now."), badRule, tooMany]),
    Operation(
      "DELETE", "/rules", "clearRules", "Remove all rules by host",
      answers: [.json(200, .reference("Rules"), "None.")]),
    Operation(
      "GET", "/proxy.pac", "getPAC", "Give browsers a proxy auto-configuration file",
      """
      It names the first enabled forward proxy of each mode and the rules that say `direct`; loopback is always direct. \
      Browsers may fetch it. One that listens on any address is told under the name of the request's `Host`.
      """,
      answers: [
        pac, .error(400, "A query parameter is there, or `Host` is needed and names no host."),
        .error(404, "No forward proxy is enabled that could be reached from there."),
      ]),
  ]

  private static let badRule = Answer.error(400, "A rule can't be read, names no profile, or is one too many.")

  private static let pac = Answer(
    200, "JavaScript.", headers: ["X-Toxiproxy-Request-Id", "X-Content-Type-Options"],
    content: [("application/x-ns-proxy-autoconfig", .string("`FindProxyForURL`."))])
}
