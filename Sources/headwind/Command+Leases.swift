import Reactor
import Settings

extension Command {
  static let leases = group(
    name: "leases", aliases: ["lease"],
    summary: "Put proxies under a profile for a limited time, under a name, and see who has.",
    of: [listLeases, takeLease, renewLease, releaseLeases])

  private static let listLeases = Command(
    name: "leases list", aliases: ["ls", "l"],
    summary: "List live leases, newest first: the first that covers a proxy is the one that counts.",
    options: [.control, .tokenFile, .json],
    run: { arguments throws(CommandError) in
      let client = try ControlClient(arguments)
      if arguments.has("--json") { return StandardOutput.write(try client.get("/leases").text + "\n") }
      let leases = try client.leases()
      StandardOutput.write(leases.isEmpty ? "no leases\n" : LeaseText.table(leases).text())
    })

  private static let takeLease = Command(
    name: "leases take", aliases: ["add", "new"],
    summary: "Put proxies under a profile until the lease ends, and print its ID.",
    operands: [.one("PROFILE", .name(.profiles))],
    options: [
      OptionSpec(
        name: "--proxy", value: "NAME", kind: .name(.proxies), isRepeatable: true,
        help: "Only this proxy; may be repeated (default: all)."),
      lengthOption("default: 60s"),
      OptionSpec(
        name: "--by", value: "WHO", help: "Who holds it, as lists and events tell (default: headwind leases)."),
      OptionSpec(name: "--reason", value: "TEXT", help: "Why, as lists and events tell."),
      .control, .tokenFile, .json,
    ],
    details: """
      The newest lease that covers a proxy counts, before any other profile; when it ends, what lies below is in force
      again. Leases for different proxies don't touch each other.
      Example: id=$(headwind leases take offline --proxy api --for 60s --by suite-a); headwind leases release "$id"
      """,
    run: { arguments throws(CommandError) in
      _ = try arguments.duration("--for")
      let proxies = arguments.all("--proxy")
      let terms = JSON.object([
        ("profile", .string(arguments.operands[0])),
        ("proxies", proxies.isEmpty ? nil : .array(proxies.map(JSON.string))),
        ("for", arguments.value("--for").map(JSON.string)),
        ("by", .string(arguments.value("--by") ?? "headwind leases")),
        ("reason", arguments.value("--reason").map(JSON.string)),
      ])
      let lease = try ControlClient(arguments).send("POST", "/leases", body: terms)
      StandardOutput.write((arguments.has("--json") ? lease.text : LeaseText(lease).id) + "\n")
    })

  private static let renewLease = Command(
    name: "leases renew", summary: "Let a lease's time begin anew.",
    operands: [.one("ID", .name(.leases))],
    options: [lengthOption("default: as long as before"), .control, .tokenFile, .json],
    run: { arguments throws(CommandError) in
      _ = try arguments.duration("--for")
      let id = arguments.operands[0]
      let body = JSON.object([("for", arguments.value("--for").map(JSON.string))])
      let lease = try ControlClient(arguments).send(
        "POST", "/leases/\(percentEncoded(id))/renew", body: body, about: "lease \(quoted(id))")
      StandardOutput.write(arguments.has("--json") ? lease.text + "\n" : LeaseText(lease).line)
    })

  private static let releaseLeases = Command(
    name: "leases release", aliases: ["end", "remove", "rm"],
    summary: "End leases; what lies below them is in force again.",
    operands: [.several("ID", .name(.leases))], options: [.control, .tokenFile, .json],
    details: "One that isn't there makes the exit status 1; the others are ended.",
    run: { arguments throws(CommandError) in
      let client = try ControlClient(arguments)
      try forEach(arguments.operands, arguments, done: "released") { id throws(CommandError) in
        try client.send("DELETE", "/leases/\(percentEncoded(id))", about: "lease \(quoted(id))")
        return "lease \(id.printable): released\n"
      }
    })

  private static func lengthOption(_ absent: String) -> OptionSpec {
    OptionSpec(name: "--for", value: "TIME", help: "It ends after this time, such as 30s (\(absent)).")
  }
}
