import ControlAPI
import Reactor
import Settings

extension Command {
  static let events = Command(
    name: "events", summary: "Tell what happened at a running daemon, or tell it as it happens.",
    options: [
      .since("Only what came behind that (with --follow, and without this: what comes next)."),
      OptionSpec(
        name: "--type", value: "TYPE", kind: .words(OpenAPI.eventTypes),
        help: "Only events of this type, or of these, separated by commas."),
      OptionSpec(name: "--proxy", value: "NAME", kind: .name(.proxies), help: "Only those that concern this proxy."),
      OptionSpec(name: "--limit", value: "N", help: "Only the newest N."),
      OptionSpec(name: "--follow", aliases: ["-f"], help: "Go on until ^C; with --json one event a line."),
      OptionSpec(name: "--last-id", help: "Print the id of the newest event alone, to be used as START later."),
      .control, .tokenFile, .json,
    ],
    details: """
      \(Moment.help)
      A daemon keeps its last 10,000 events. `headwind events --follow` says when some were gone before it saw them.
      """,
    run: { arguments throws(CommandError) in
      let client = try ControlClient(arguments)
      let query = try EventQuery(arguments)
      if arguments.has("--last-id") { return try showLastID(client, arguments) }
      if arguments.has("--follow") { return try follow(client, query, arguments) }
      let answer = try client.get(query.target())
      if arguments.has("--json") { return StandardOutput.write(answer.text + "\n") }
      StandardOutput.write((answer["events"]?.array ?? []).map { EventText($0).line }.joined())
    })

  private static func showLastID(_ client: ControlClient, _ arguments: Arguments) throws(CommandError) {
    let others = ["--since", "--type", "--proxy", "--limit", "--follow"].filter(arguments.has)
    guard others.isEmpty else { throw arguments.usage("--last-id and \(others[0]) exclude each other") }
    let newest = try client.get("/events?limit=1")["newest"] ?? 0
    StandardOutput.write(arguments.has("--json") ? JSON.object([("id", newest)]).text + "\n" : newest.text + "\n")
  }

  /// Asks again and again, from where it was.
  private static func follow(
    _ client: ControlClient, _ query: EventQuery, _ arguments: Arguments
  ) throws(CommandError) {
    var position: Int64?
    if query.beginsNow { position = try client.get("/events?limit=1")["newest"]?.integerValue }
    repeat {
      let answer = try client.get(query.target(behind: position))
      let (oldest, newest) = (answer["oldest"]?.integerValue ?? 1, answer["newest"]?.integerValue ?? 0)
      if let seen = position {
        guard newest >= seen else {
          StandardError.write("headwind: the daemon was started anew\n")
          position = 0
          continue
        }
        let lost = oldest - 1 - seen
        if lost > 0 { StandardError.write("headwind: \(lost) events were forgotten before they were seen\n") }
      }
      let events = answer["events"]?.array ?? []
      StandardOutput.write(
        events.map { arguments.has("--json") ? $0.text + "\n" : EventText($0).line }.joined())
      position = newest
    } while Screen.pause(250)
  }
}

/// Which events are asked for.
private struct EventQuery {
  private let since: String?
  private let limit: String?
  private let filters: [String]
  let beginsNow: Bool

  init(_ arguments: Arguments) throws(CommandError) {
    since = try arguments.moment("--since")
    limit = try arguments.wholeNumber("--limit").map(String.init)
    filters = ["type", "proxy"].compactMap { name in
      arguments.value("--\(name)").map { "\(name)=\(percentEncoded($0))" }
    }
    guard limit == nil || !arguments.has("--follow") else {
      throw arguments.usage("--limit and --follow exclude each other")
    }
    beginsNow = arguments.has("--follow") && since == nil
  }

  /// - Parameter position: the event behind which to go on.
  func target(behind position: Int64? = nil) -> String {
    let since = position.map(String.init) ?? since.map(percentEncoded)
    let parts = [since.map { "since=\($0)" }, limit.map { "limit=\($0)" }].compactMap { $0 } + filters
    return "/events" + (parts.isEmpty ? "" : "?" + parts.joined(separator: "&"))
  }
}

extension Moment {
  static let help = """
    START is the id of an event (`headwind events --last-id` prints the newest), a time such as 2026-11-30T10:00:00Z,
    @SECONDS since 1970 (as date +%s prints them), or how long ago it was, such as 5m.
    """
}

extension OptionSpec {
  static func since(_ help: String) -> OptionSpec { OptionSpec(name: "--since", value: "START", help: help) }
}

extension Arguments {
  /// The text of a moment, once it is known to be one.
  func moment(_ name: String) throws(CommandError) -> String? {
    guard let text = value(name) else { return nil }
    do throws(SettingsError) {
      _ = try Moment(parsing: text)
      return text
    } catch {
      throw usage("\(name) \(error.message)")
    }
  }
}
