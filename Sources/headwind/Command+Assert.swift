import Reactor
import Settings

extension Command {
  static let assert = Command(
    name: "assert", summary: "Check that traffic went through a running daemon, for scripts.",
    options: [
      OptionSpec(
        name: "--proxy", value: "NAME", kind: .name(.proxies),
        help: "What went through this proxy (default: through all)."),
      .since("Count from there on (default: from the daemon's start)."),
    ] + TrafficExpectation.options + [
      OptionSpec(name: "--wait", value: "TIME", help: "Ask again for so long until it is true, such as 5s."), .control,
      .tokenFile,
      .json,
    ],
    details: """
      Exit status 0 when all of it is true; 1 when it isn't, with a sentence that says what was found and why that may be.
      \(Moment.help)
      Counted are connections opened since START, the bytes that they have carried in both directions, and the
      connections and exchanges that toxics dropped. The numbers are exact: where the daemon's events no longer reach back
      to START, that is said instead.

      Example:
        start=$(headwind events --last-id)
        run-the-tests
        headwind assert --since "$start" --proxy api --min-connections 1
      """,
    run: { arguments throws(CommandError) in
      let expectation = try TrafficExpectation(arguments)
      let wait = try arguments.duration("--wait") ?? .zero
      let client = try ControlClient(arguments)
      let end = ContinuousClock.now + wait
      var finding = try Finding(client, arguments.value("--proxy"), since: try arguments.moment("--since") ?? "0")
      while finding.complaint(expectation) != nil, ContinuousClock.now < end {
        ThisProcess.pause(milliseconds: 50)
        finding = try finding.again(client)
      }
      let complaint = finding.complaint(expectation)
      if arguments.has("--json") {
        StandardOutput.write(finding.json(expectation, complaint).text + "\n")
      } else if complaint == nil {
        StandardOutput.write("ok: \(finding.text)\n")
      }
      if let complaint { throw .failure(complaint) }
    })
}

/// What somebody wants to be true of the traffic.
struct TrafficExpectation {
  enum Quantity: String, CaseIterable { case connections, bytes, drops }

  private(set) var bounds: [(quantity: Quantity, least: UInt64?, most: UInt64?)] = []

  static let options = Quantity.allCases.flatMap { quantity in
    [
      OptionSpec(name: "--min-\(quantity)", value: "N", help: "At least so many \(quantity)."),
      OptionSpec(name: "--max-\(quantity)", value: "N", help: "At most so many \(quantity)."),
    ]
  }

  init(_ arguments: Arguments) throws(CommandError) {
    for quantity in Quantity.allCases {
      let least = try arguments.wholeNumber("--min-\(quantity)")
      let most = try arguments.wholeNumber("--max-\(quantity)")
      if let least, let most, least > most {
        throw arguments.usage("--min-\(quantity) is \(least), above --max-\(quantity), which is \(most)")
      }
      if least != nil || most != nil { bounds.append((quantity, least, most)) }
    }
    guard !bounds.isEmpty else {
      throw arguments.usage("nothing to check; give --min-connections 1 or another bound")
    }
  }

  var json: JSON {
    .object(
      bounds.flatMap { bound in
        [("min_\(bound.quantity)", bound.least.map(JSON.init)), ("max_\(bound.quantity)", bound.most.map(JSON.init))]
      })
  }
}

extension JSON {
  fileprivate init(_ number: UInt64) { self = Int64(exactly: number).map(JSON.integer) ?? .unsigned(number) }
}
