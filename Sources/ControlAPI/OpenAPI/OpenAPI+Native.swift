import Settings

// Headwind's own calls: `Native.swift`.
extension OpenAPI {
  /// What ``DurationText`` reads.
  static let durationFormat = "headwind-duration"

  static let nativeOperations =
    catalogueOperations + profileOperations + leaseOperations + forwardOperations + observingOperations

  // MARK: Profiles

  private static let catalogueOperations: [Operation] = [
    Operation(
      "GET", "/profiles", "listProfiles", "List all profiles",
      answers: [
        .json(
          200, .object(required: [("profiles", .array(of: .reference("Profile")))]),
          "All profiles, sorted by the bytes of the name.")
      ]),
    Operation(
      "GET", "/profiles/{profile}", "getProfile", "Show a profile",
      answers: [.json(200, .reference("Profile"), "The profile, with every number."), .shared(404, "UnknownProfile")]),
    Operation(
      "PUT", "/profiles/{profile}", "defineProfile", "Define a profile until the daemon stops",
      "JSON5. Replaces one of the same name, at once where that is in force.",
      inPath: ["profile": .profileName("Its name.")], body: .reference("ProfileDefinition"),
      answers: [
        .json(200, .reference("Profile"), "The profile; there was one of this name.", links: linksOfProfile),
        .json(201, .reference("Profile"), "The profile, a new one.", links: linksOfProfile),
        .error(400, "The definition is wrong, or the name or an alias belongs to another profile."), tooMany,
      ]),
    Operation(
      "DELETE", "/profiles/{profile}", "removeProfile", "Remove a profile until the daemon starts again",
      answers: [
        .noContent("It is gone."), .shared(404, "UnknownProfile"),
        .error(
          409,
          "It is in force, a rule names it, a lease holds it, or it is `\(Profile.passThroughName)`, which always stays."
        ),
      ]),
  ]

  private static let linksOfProfile: [Answer.Link] = ["getProfile", "removeProfile", "switchProfile"].map {
    Answer.Link(operationID: $0, parameters: ["profile": "$response.body#/name"])
  }

  private static let profileOperations: [Operation] = [
    Operation(
      "GET", "/profile", "getGlobalProfile", "Tell the profile in force",
      answers: [
        .json(
          200, .reference("ProfileInForce"), "That of the newest lease for all proxies, else that of the last switch.")
      ]),
    Operation(
      "DELETE", "/profile", "clearProfile", "Let everything pass",
      answers: [.json(200, .reference("ProfileInForce"), inForceAfter, warns: true)]),
    Operation(
      "PUT", "/profile/{profile}", "switchProfile", "Switch the profile",
      "Open connections follow at once. No body is needed.",
      query: [duration],
      answers: [
        .json(200, .reference("ProfileInForce"), inForceAfter, warns: true), badDuration,
        .shared(404, "UnknownProfile"),
      ]),
    Operation(
      "GET", "/proxies/{proxy}/profile", "getProxyProfile", "Tell a proxy's own profile, or that of a lease",
      answers: [
        .json(
          200, .reference("ProfileInForce"),
          "That of the newest lease which covers it, else its own; `\(Profile.passThroughName)` when the global one applies."
        ),
        .shared(404, "ProxyNotFound"),
      ]),
    Operation(
      "DELETE", "/proxies/{proxy}/profile", "clearProxyProfile", "Put a proxy under the global profile again",
      answers: [
        .json(200, .reference("ProfileInForce"), inForceAfter, warns: true), .shared(404, "ProxyNotFound"),
      ]),
    Operation(
      "PUT", "/proxies/{proxy}/profile/{profile}", "switchProxyProfile", "Put a proxy under a profile of its own",
      query: [duration],
      answers: [
        .json(200, .reference("ProfileInForce"), inForceAfter, warns: true), badDuration,
        .error(404, "No proxy or no profile has this name."),
      ]),
  ]

  private static let inForceAfter =
    "The profile now in force. While a lease covers it that is the lease's, and a warning says until when."

  private static let duration = Parameter(
    name: "for", schema: .string(format: durationFormat, example: "30s"),
    description: """
      After this time the lasting profile is in force again: above 0 and up to 24 hours, in `ms`, `s`, `m` or `h`, such as \
      `500ms`, `1.5m` or `1h30m`. Without it the switch is a lasting one.
      """)

  private static let badDuration = Answer.error(400, "`for` is no such time, or another query parameter is there.")

  // MARK: Watching

  private static let observingOperations: [Operation] = [
    Operation(
      "GET", "/proxies/{proxy}/counters", "getCounters", "Tell what a proxy has carried", "Counted while it flows.",
      answers: [.json(200, .reference("Counters"), "Since the proxy was made."), .shared(404, "ProxyNotFound")]),
    Operation(
      "GET", "/sessions", "listSessions", "List live sessions",
      query: [Parameter(name: "proxy", schema: .string(example: "web"), description: "Only those of this proxy.")],
      answers: [
        .json(
          200, .object(required: [("sessions", .array(of: .reference("Session")))]), "Sessions by age."),
        .error(400, "Another query parameter is there."),
      ]),
    Operation(
      "DELETE", "/sessions/{session}", "endSession", "End a session", "Both sides see a reset.",
      answers: [
        .noContent("It is over."), .error(400, "Not a whole number."), .error(404, "No live session has this id."),
      ]),
    Operation(
      "GET", "/events", "listEvents", "Tell what happened, or tell it as it happens",
      """
      With `Accept: text/event-stream` it is a stream without end (server-sent events): `id` and `event` are those of the \
      event, `data` is its JSON. Without `since` it begins with what happens next, or after `Last-Event-ID`.
      """,
      query: eventQuery,
      answers: [
        events, .error(400, "A query parameter is wrong, or another one is there."),
        .error(503, "As many streams are open as there may be, or there is no room for the answer."),
      ]),
  ]

  private static let events = Answer(
    200, "Events, oldest first, as far back as they are kept.", headers: ["X-Toxiproxy-Request-Id"],
    content: [
      ("application/json", .object(required: eventList)),
      (
        "text/event-stream",
        .string(
          "Server-sent events.",
          example: "id: 7\nevent: reset\ndata: {\"id\":7,\"at\":\"2026-11-30T10:00:00.000Z\",\"type\":\"reset\"}\n\n")
      ),
    ])

  // MARK: Running the daemon

  private static let metrics = Answer(
    200, "Text format 0.0.4.", headers: ["X-Toxiproxy-Request-Id"],
    content: [
      (
        "text/plain",
        .string(
          "Prometheus text.",
          example: """
            # HELP process_resident_memory_bytes Resident memory.
            # TYPE process_resident_memory_bytes gauge
            process_resident_memory_bytes 2379776

            """)
      )
    ])

  static let serviceOperations: [Operation] = [
    Operation(
      "GET", "/healthz", "getHealth", "Tell that the daemon lives",
      answers: [.json(200, .reference("Health"), "It lives.")]),
    Operation(
      "GET", "/readyz", "getReadiness", "Tell whether every configured proxy listens",
      answers: [
        .json(200, .reference("Readiness"), "They do."), .error(503, "Not every configured listener is bound yet."),
      ]),
    Operation(
      "GET", "/metrics", "getMetrics", "Tell the metrics, for Prometheus",
      "toxiproxy's two series, those of a process, and Headwind's own. Any method is answered so.",
      answers: [metrics]
    ).takingAnyMethod,
    Operation(
      "GET", "/openapi.json", "getDescription", "Describe the API",
      answers: [.json(200, .reference("Description"), "This document.")]),
  ]
}
