import Proxying
import Settings

// Leases: `Native+Leases.swift`.
extension OpenAPI {
  static let leaseOperations: [Operation] = [
    Operation(
      "GET", "/leases", "listLeases", "List live leases",
      answers: [
        .json(
          200, .object(required: [("leases", .array(of: .reference("Lease")))]),
          "Newest first: the first that covers a proxy is the one that counts.")
      ]),
    Operation(
      "POST", "/leases", "takeLease", "Put proxies under a profile for a limited time",
      """
      JSON5. Open connections follow at once. Of the leases that cover a proxy the newest counts, before the proxy's own \
      profile and the global one; whenever one ends, what lies below is in force again. Those for different proxies never \
      undo each other. Proxies that come later under a leased name are covered, too.
      """,
      body: .reference("NewLease"),
      answers: [
        .json(201, .reference("Lease"), "The lease.", tellsPlace: true, links: linksOfLease),
        .error(400, "The terms are wrong, or no profile or proxy has such a name."),
        tooMany,
      ]),
    Operation(
      "GET", "/leases/{lease}", "getLease", "Show a lease",
      answers: [.json(200, .reference("Lease"), "It is live."), .shared(404, "LeaseEnded")]),
    Operation(
      "DELETE", "/leases/{lease}", "releaseLease", "End a lease", "What lies below it is in force at once.",
      answers: [.noContent("It has ended."), .shared(404, "LeaseEnded")]),
    Operation(
      "POST", "/leases/{lease}/renew", "renewLease", "Let a lease's time begin anew",
      "JSON5, or no body: the same length again. The lease keeps its place among the others.",
      body: .reference("LeaseRenewal"),
      answers: [
        .json(200, .reference("Lease"), "With its new end.", links: linksOfLease),
        .error(400, "`for` is no such time, or another key is there."), .shared(404, "LeaseEnded"),
      ]
    ).takingNoBodyToo,
  ]

  private static let linksOfLease: [Answer.Link] = ["getLease", "renewLease", "releaseLease"].map {
    Answer.Link(operationID: $0, parameters: ["lease": "$response.body#/id"])
  }

  // MARK: Shapes

  static let leaseSchemas: [(String, Schema)] = [
    (
      "Lease",
      .object(
        required: [("id", .string("Unique, also over restarts of the daemon.", example: "hkqz-7"))] + leaseTerms + [
          ("created_at", .time("")), ("expires_at", .time("When it ends by itself.")),
          ("expires_in_ms", .count("The same, counted from the answer.")),
        ],
        example: [
          "id": "hkqz-7", "profile": "offline", "proxies": ["api"], "by": "suite-a", "reason": "outage test",
          "created_at": "2026-11-30T10:00:00.000Z", "expires_at": "2026-11-30T10:01:00.000Z", "expires_in_ms": 60_000,
        ])
    ),
    (
      "NewLease",
      .object(
        required: [("profile", .profileName("A name or alias, in any letter case; one that there is."))],
        optional: [
          (
            "proxies",
            Schema.array(
              of: .string(example: "web"), atMost: LeaseTerms.maximumProxies,
              "Names of proxies that there are, at least one and each once; absent or null: all proxies, also those to come."
            ).orNull
          ),
          ("for", length("60 s when left out.")),
          ("by", line("Who holds it.", atMost: LeaseTerms.maximumHolderCharacters).orNull),
          ("reason", line("Why.", atMost: LeaseTerms.maximumReasonCharacters).orNull),
        ],
        isClosed: true,
        example: ["profile": "offline", "for": "60s", "by": "suite-a", "reason": "outage test"])
    ),
    (
      "LeaseRenewal",
      .object(
        optional: [("for", length("As it was when left out."))], isClosed: true, example: ["for": "60s"]
      ).orNull
    ),
  ]

  /// What leases and events about them have in common.
  static let leaseTerms: [(String, Schema)] = [
    ("profile", .profileName()), ("proxies", Schema.array(of: .string(), "Names; null: all.").orNull),
    ("by", .string("Who holds it; `\(LeaseTerms.unnamed)` when nobody said.")),
    ("reason", Schema.string("Why.").orNull),
  ]

  private static func length(_ more: String) -> Schema {
    Schema.string(
      "From 1 ms to 24 hours, in `ms`, `s`, `m` or `h`. \(more)", format: durationFormat, example: "60s"
    ).orNull
  }

  /// Text without control characters and the like.
  private static func line(_ description: String, atMost limit: Int) -> Schema {
    .string(
      description, pattern: #"^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]{1,\#(limit)}$"#, example: "suite-a")
  }
}
