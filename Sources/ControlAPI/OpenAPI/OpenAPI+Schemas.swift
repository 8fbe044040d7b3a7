import Conditioning
import Proxying
import Settings

// The shapes of bodies; toxics and events have files of their own.
extension OpenAPI {
  static let schemas: [(String, Schema)] =
    basicSchemas + proxySchemas + forwardSchemas + toxicSchemas + profileSchemas + pathSchemas + leaseSchemas
    + watchedSchemas + trafficSchemas + limitSchemas + eventSchemas

  private static let basicSchemas: [(String, Schema)] = [
    (
      "Error",
      .object(
        required: [
          ("error", .string("What was wrong, and what is allowed.")),
          ("status", .integer("The HTTP status.", in: 400...599)),
        ],
        example: ["error": "proxy not found", "status": 404])
    ),
    (
      "Version",
      .object(required: [
        ("version", .string("Of toxiproxy.", example: API.classicVersion)),
        ("headwind", .string(example: Version.current)),
      ])
    ),
    (
      "Health",
      .object(required: [
        ("status", .choice(["ok"])), ("headwind", .string("Version.")),
        ("seed", .number("Of all decisions by chance; a whole number.", in: 0...0x1p64)),
      ])
    ),
    (
      "Description",
      .object(
        "OpenAPI 3.0, of which more is said at spec.openapis.org.",
        required: [
          ("openapi", .string()), ("info", .object()), ("servers", .array(of: .object())),
          ("tags", .array(of: .object())),
          ("paths", .object()), ("components", .object()), ("security", .array(of: .object())),
        ])
    ),
    ("Readiness", .object(required: [("status", .choice(["ready"])), ("pid", .count("The daemon's process."))])),
  ]

  // MARK: Proxies

  static let listen = Schema.string(
    "`host:port`; port 0 for a free one, no host for any interface.", example: "127.0.0.1:0")
  private static let upstream = Schema.string(
    "`host:port`, looked up for each connection.", minLength: 1, example: "127.0.0.1:8001")

  static let newProxyOptions: [(String, Schema)] = [
    ("listen", listen.orNull),
    ("enabled", .boolean("True when left out; for an existing proxy: as it is.").orNull),
    ("profile", Schema.string("The profile of this proxy alone; one that there is.", example: "3g").orNull),
    (
      "toxics",
      .array(
        of: .reference("NewToxic"), atMost: ToxicSpec.maximumOfProxy,
        "Each with a name that no other one here has. None is as if left out."
      ).orNull
    ),
  ]

  private static let proxySchemas: [(String, Schema)] = [
    (
      "Proxy",
      .object(
        required: [
          ("name", .string(minLength: 1, example: "web")),
          ("listen", .string("The real address while it runs, otherwise as last given.", example: "127.0.0.1:41233")),
          ("upstream", .string("As given.", example: "127.0.0.1:8001")), ("enabled", .boolean("Whether it runs.")),
          ("toxics", .array(of: .reference("Toxic"), "Upstream first, then downstream, by age.")),
        ],
        optional: [
          ("mode", forwardMode), ("profile", .string("The profile of this proxy alone, if it has one.", example: "3g")),
        ],
        example: [
          "name": "web", "listen": "127.0.0.1:41233", "upstream": "127.0.0.1:8001", "enabled": true,
          "toxics": [example(of: .latency, .shown)],
        ])
    ),
    (
      "NewProxy",
      .object(
        required: [("name", .string(minLength: 1, example: "web")), ("upstream", upstream)],
        optional: [("mode", Schema.choice([ProxyMode.tcp.rawValue]).orNull)] + newProxyOptions,
        example: ["name": "web", "listen": "127.0.0.1:0", "upstream": "127.0.0.1:8001"])
    ),
    (
      "ProxyUpdate",
      .object(
        optional: [
          ("listen", listen.orNull), ("upstream", Schema.string("`host:port`.", example: "127.0.0.1:8001").orNull),
          ("enabled", .boolean("Whether it is to run.").orNull),
        ], example: ["enabled": false]
      ).orNull
    ),
    ("Population", .object(required: [("proxies", .array(of: .reference("Proxy")))])),
    (
      "PopulationError",
      .object(
        required: [("error", .string()), ("status", .integer("The HTTP status.", in: 400...599))],
        optional: [("proxies", .array(of: .reference("Proxy"), atMost: 0, "Always empty: nothing has changed."))],
        example: ["error": "missing required field: name at proxy 1", "status": 400, "proxies": []])
    ),
  ]

  // MARK: Profiles

  private static let profileSchemas: [(String, Schema)] = [
    (
      "Profile",
      .object(required: [
        ("name", .profileName()), ("aliases", .array(of: .profileName(example: "mobile"), "Other names for it.")),
        ("summary", .string("What it is, in one line.")), ("source", .string("Where its numbers come from.")),
        ("path", .reference("Path")), ("toxics", .array(of: .reference("Toxic"))),
      ])
    ),
    (
      "ProfileDefinition",
      .object(
        optional: [
          ("name", Schema.profileName("That of the path, if given.").orNull),
          (
            "aliases",
            Schema.array(
              of: .profileName(example: "mobile"), atMost: Profile.maximumAliases, "Each once, and no other profile's."
            )
            .orNull
          ),
          ("summary", Schema.string().orNull), ("source", Schema.string().orNull),
          ("path", .reference("PathDefinition")),
          (
            "toxics",
            Schema.array(
              of: .reference("ProfileToxic"), atMost: ToxicSpec.maximumCount,
              "Each with a name that no other one here has."
            ).orNull
          ),
        ],
        isClosed: true,
        example: [
          "summary": "Hotel Wi-Fi in the evening",
          "path": ["latency_ms": 120, "jitter_ms": 60, "downstream_bytes_per_second": 250_000],
        ]
      ).orNull
    ),
    (
      "ProfileInForce",
      .object(
        required: [
          ("name", .profileName()), ("since", .time("When it came into force.")),
          ("reverts_at", Schema.time("When it gives way by itself; null: never.").orNull),
          (
            "lease",
            Schema.object(
              "By which it is; null: by none.",
              required: [
                ("id", .string()), ("by", .string("Who holds it.")), ("profile", .profileName()),
                ("expires_at", .time("")),
              ]
            ).orNull
          ),
        ],
        optional: [("step", pathStep)],
        example: [
          "name": "3g", "since": "2026-11-30T10:00:00.000Z", "reverts_at": "2026-11-30T10:00:30.000Z", "lease": nil,
        ])
    ),
  ]

  private static let pathStep = Schema.object(
    "Where the timeline of its path is; absent without one.",
    required: [
      ("index", .count("From 0.")), ("name", .string("As the step is called.", example: "tunnel")),
      ("round", .count("Rounds that are over.")), ("since", .time("")),
      ("until", Schema.time("Null: it stays.").orNull),
    ])

  // MARK: Sessions and counters

  private static func delay(_ name: String, _ way: String) -> (String, Schema) {
    (name, .number("\(way), by latencies in force: the path's half and those of toxics.", in: 0...9.3e12))
  }

  private static let stateText =
    "`held`: a toxic holds it back; `dialling`: its handshake is under way, or the upstream is dialled; `asking`: a client of a forward proxy hasn't said where it wants to go, or is "
    + "between two requests; `lingering`: it is over, and the client is given a moment to see that."

  private static let watchedSchemas: [(String, Schema)] = [
    (
      "Session",
      .object(
        required: [
          ("id", .count("Unique while the daemon runs.")), ("proxy", .string()),
          ("number", .count("Within its proxy, from 1; with the seed it decides what the dice say.")),
          ("state", .choice(Session.State.self, stateText)),
          ("client", .string("`address:port`.")),
          ("upstream", .string("The address connected to, or the proxy's upstream until then.")),
          ("profile", .profileName("The one it is under.")), ("opened_at", .time("")),
          ("upstream_bytes", .count("Client to server.")), ("downstream_bytes", .count("Server to client.")),
          ("buffered_bytes", .count("Held by toxics, or for a peer that doesn't read.")),
          delay("upstream_delay_ms", "Client to server"), delay("downstream_delay_ms", "Server to client"),
          ("decisions", .array(of: .reference("Decision"), "What fell by dice, oldest first.")),
        ],
        optional: [
          ("target", .string("Where the client of a forward proxy wants to go.", example: "example.com:443")),
          ("rule", .string("The rule that applies to that.", example: "*.example.com=edge")),
        ])
    ),
    (
      "Decision",
      .object(
        required: [
          ("toxic", .string("Its name.")), ("stream", .choice(Direction.self)),
          (
            "outcome",
            .choice(
              ["applied", "skipped", "passed", "dropped"],
              "By its toxicity the toxic is or isn't in force; a drop's dice let pass or didn't.")
          ),
        ],
        optional: [
          ("exchange", .count("Counted from 1; absent: the whole connection.")),
          ("how", .choice(DropSpec.Manner.self, "Of a drop.")),
        ])
    ),
    (
      "Counters",
      .object(required: [
        ("sessions", .count("Connections accepted.")), ("dial_failures", .count("Upstream not reached.")),
        ("drops", .count("Connections and exchanges dropped.")),
        ("exhaustions", .count("How often accepting rested for want of descriptors or memory.")),
        ("upstream", .reference("ByteCounters")), ("downstream", .reference("ByteCounters")),
      ])
    ),
    (
      "ByteCounters",
      .object(required: [
        ("received_bytes", .count("From the source.")), ("sent_bytes", .count("To the sink, after the toxics.")),
      ])
    ),
  ]
}

extension OpenAPI.Schema {
  static func profileName(_ description: String = "", example: String = "3g") -> Self {
    string(description, pattern: Profile.namePattern, example: example)
  }
}
