import Conditioning
import Proxying
import Settings

// Events, told apart by `type`.
extension OpenAPI {
  static let eventSchemas: [(String, Schema)] =
    [("Event", .oneOf(events.map { ($0.type, schemaName(of: $0.type)) }, by: "type", ""))]
    + events.map { (schemaName(of: $0.type), schema(of: $0)) }

  /// Every type that there is.
  package static let eventTypes = events.map(\.type)

  private struct Event {
    var type: String
    var hasProxy = true
    var hasSession = false
    var details: [(String, Schema)] = []
    /// Not there in each.
    var optional: [(String, Schema)] = []
  }

  private static let events: [Event] = [
    Event(type: "session_opened", hasSession: true, details: [("client", .string("`address:port`."))]),
    Event(
      type: "session_closed", hasSession: true,
      details: [
        ("reason", .choice(CloseReason.self)), ("upstream_bytes", .count("Client to server.")),
        ("downstream_bytes", .count("Server to client.")), ("duration_ms", .count("How long it lived.")),
      ]),
    Event(
      type: "decision", hasSession: true,
      details: [
        ("toxic", .string("Its name.")), ("stream", .choice(Direction.self)),
        ("outcome", .choice(["applied", "skipped", "passed", "dropped"], "As in a session's `decisions`.")),
      ],
      optional: [
        ("toxic_type", .choice(ToxicType.self, "Absent: the toxic is gone.")),
        ("exchange", .count("Counted from 1; absent: the whole connection.")),
        ("how", .choice(DropSpec.Manner.self, "Of a drop.")),
      ]),
    Event(
      type: "dial_failed", hasSession: true, details: [("upstream", .string("As the proxy has it.")), reason]),
    Event(
      type: "forwarded", hasSession: true,
      details: [
        ("target", .string("Where a client of a forward proxy wants to go.")),
        ("rule", Schema.string("The rule that applies; null: none.").orNull), ("profile", .profileName()),
      ]),
    Event(
      type: "request_refused", hasSession: true,
      details: [
        ("target", Schema.string("Where the client wants to go; null: not understood.").orNull),
        ("kind", .string("Why, in a word.")), reason,
      ]),
    Event(
      type: "dropped", hasSession: true,
      details: [("toxic", .string("Its name.")), ("how", .choice(DropSpec.Manner.self))],
      optional: [("exchange", .count("Counted from 1; absent: the whole connection."))]),
    Event(type: "toxic_added", details: [toxic]), Event(type: "toxic_updated", details: [toxic]),
    Event(type: "toxic_removed", details: [toxic]),
    Event(type: "proxy_created", details: proxy, optional: mode),
    Event(type: "proxy_updated", details: proxy, optional: mode),
    Event(type: "proxy_deleted"),
    Event(type: "rules_changed", hasProxy: false, details: [("count", .count("How many there are now."))]),
    Event(
      type: "profile_switched", hasProxy: false,
      details: [
        ("from", .profileName()), ("to", .profileName()), ("cause", .choice(ProfileSlot.Cause.self)),
        ("reverts_at", Schema.time("When it gives way by itself; null: never.").orNull),
      ],
      optional: [
        ("proxy", .string("Absent: the global profile.")),
        ("lease", .string("`to` is in force by this lease.")), ("by", .string("Who holds that.")),
        ("below_lease", .string("This lease covers it: `to` is in force when that has ended.")),
      ]),
    Event(
      type: "path_step", hasProxy: false,
      details: [
        ("profile", .profileName("Whose path has come to the next step of its timeline.", example: "train")),
        ("index", .count("The step, from 0.")), ("name", .string("As the step is called.", example: "tunnel")),
        ("round", .count("Rounds that are over.")), ("until", Schema.time("Null: it stays.").orNull),
      ]),
    Event(type: "lease_started", hasProxy: false, details: lease),
    Event(type: "lease_renewed", hasProxy: false, details: lease),
    Event(type: "lease_ended", hasProxy: false, details: lease + [("cause", .choice(Lease.Ending.self))]),
    Event(
      type: "limit_reached", hasProxy: false,
      details: [
        ("limit", limitName), ("value", .count("What it is.")), ("flag", .string("What `headwind serve` sets it by.")),
      ],
      optional: [("proxy", .string("Absent: the daemon as a whole."))]),
    Event(type: "accepting_rests", details: [reason]), Event(type: "listen_failed", details: [reason]),
    Event(type: "reset", hasProxy: false),
    Event(
      type: "reloaded", hasProxy: false,
      optional: [("needs_restart", .array(of: .string(), "Keys of the config file that wait for a restart."))]),
    Event(type: "reload_refused", hasProxy: false, details: [reason]),
  ]

  private static let reason = ("reason", Schema.string("In words."))
  private static let toxic = ("toxic", Schema.reference("Toxic"))
  private static let proxy: [(String, Schema)] = [
    ("listen", .string()), ("upstream", .string()), ("enabled", .boolean("Whether it runs.")),
  ]

  private static let mode: [(String, Schema)] = [("mode", forwardMode)]
  private static let lease: [(String, Schema)] =
    [("lease", .string("Its `id`."))] + leaseTerms + [("expires_at", .time("When it ends by itself."))]

  private static func schema(of event: Event) -> Schema {
    var required: [(String, Schema)] = [
      ("id", .count("Counts up from 1: the order of events.")),
      ("at", .time("With several event loops a later event may bear a time that is some milliseconds earlier.")),
      ("type", .choice([event.type])),
    ]
    if event.hasProxy { required.append(("proxy", .string("Its name."))) }
    if event.hasSession {
      required += [
        ("session", .count("Its `id`.")), ("number", .count("The session's number within its proxy, from 1.")),
      ]
    }
    return .object(required: required + event.details, optional: event.optional)
  }

  /// `toxic_added` as `ToxicAddedEvent`.
  private static func schemaName(of type: String) -> String {
    type.split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined() + "Event"
  }
}
