import Proxying
import Settings

// What happened, and what has gone through: `Watching.swift`.
extension OpenAPI {
  static let eventQuery = [
    Parameter(
      name: "since", schema: .string(format: momentFormat, example: "0"),
      description: "Only events behind the one with this `id`, or from a time on: \(Moment.allowed)."),
    Parameter(
      name: "type", schema: .string(format: typesFormat, example: "session_opened,dropped"),
      description: "Only events of this type, or of these, separated by commas."),
    Parameter(
      name: "proxy", schema: .string(minLength: 1, example: "web"), description: "Only those that concern this proxy."),
    Parameter(
      name: "limit", schema: .integer(in: 1...Int64(Limit.events.usual)),
      description: "No more than so many, the newest of them. Not for a stream."),
  ]

  static let eventList: [(String, Schema)] = [
    ("events", .array(of: .reference("Event"))),
    ("oldest", .count("The `id` of the oldest event that is kept; one more than `newest` when there is none.")),
    ("newest", .count("The `id` of the newest event, whether or not it is in the list.")),
  ]

  /// What ``Moment`` reads, and lists of types of events.
  private static let momentFormat = "headwind-moment"
  private static let typesFormat = "headwind-event-types"

  static let trafficOperations = [
    Operation(
      "GET", "/traffic", "getTraffic", "Tell what has gone through each proxy since a moment",
      "Exact, or refused. The bytes are those of connections that were opened since then.",
      query: [
        Parameter(
          name: "since", schema: .string(format: momentFormat, example: "0"),
          description: "\(Moment.allowed). Without it, since the daemon began.")
      ],
      answers: [
        .json(200, .reference("Traffic"), "All proxies, and those that are gone but had traffic."),
        .error(400, "`since` is no such moment, or is still to come, or another query parameter is there."),
        .error(410, "The events that are kept don't reach back so far."),
      ])
  ]

  static let trafficSchemas: [(String, Schema)] = [
    (
      "Traffic",
      .object(required: [
        ("since", .time("When the span begins.")), ("event", .count("It begins behind this event; 0: all there was.")),
        ("proxies", .dictionary(of: .reference("TrafficCount"), "By the name of the proxy.")),
      ])
    ),
    (
      "TrafficCount",
      .object(required: [
        ("connections", .count("Opened since then.")), ("open", .count("Live now, whenever they were opened.")),
        ("upstream_bytes", .count("Client to server, of those opened since then.")),
        ("downstream_bytes", .count("Server to client, of those opened since then.")),
        ("drops", .count("Connections and exchanges dropped.")), ("dial_failures", .count("Upstream not reached.")),
        (
          "refused",
          .count("Of the connections those to a forward proxy of which nothing reached an upstream: it said why not.")
        ),
      ])
    ),
  ]
}
