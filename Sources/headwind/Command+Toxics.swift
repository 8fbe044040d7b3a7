import Reactor
import Settings

extension Command {
  static let toxics = group(
    name: "toxics", aliases: ["toxic", "t"], summary: "List, add, change and remove the toxics of a proxy.",
    of: [listToxics, addToxic, updateToxic, removeToxics])

  private static let listToxics = Command(
    name: "toxics list", aliases: ["ls", "l"], summary: "List the toxics of a proxy.",
    operands: [.one("PROXY", .name(.proxies))], options: [.control, .tokenFile, .json],
    run: { arguments throws(CommandError) in
      let call = ProxyCall(arguments.operands[0], try ControlClient(arguments))
      let toxics = try call.get("/toxics?all=true")
      if arguments.has("--json") { return StandardOutput.write(toxics.text + "\n") }
      StandardOutput.write(toxics.array.isEmpty ? "no toxics\n" : ToxicText.table(toxics.array).text())
    })

  // MARK: Adding and changing

  private static let nameAliases = ["-n", "--toxicName"]
  private static let toxicity = OptionSpec(
    name: "--toxicity", aliases: ["--tox"], value: "F",
    help: "Share of the connections that it acts on, from 0 to 1.")
  private static let attribute = OptionSpec(
    name: "--attribute", aliases: ["-a"], value: "KEY=VALUE", kind: .name(.attributes), isRepeatable: true,
    help: "An attribute; `latency=100` without the option is the same.")

  private static let addToxic = Command(
    name: "toxics add", aliases: ["create", "a"], summary: "Add a toxic; open connections get it at once.",
    operands: [
      .one("PROXY", .name(.proxies)), .optional("TYPE", .word(of: ToxicType.self)),
      .any("KEY=VALUE", .name(.attributes)),
    ],
    options: [
      OptionSpec(
        name: "--type", aliases: ["-t"], value: "TYPE", kind: .word(of: ToxicType.self),
        help: "What it does (or name it behind the proxy)."),
      OptionSpec(name: "--name", aliases: nameAliases, value: "NAME", help: "Its name (default: TYPE_STREAM)."),
      OptionSpec(
        name: "--stream", value: "STREAM", kind: .word(of: Stream.self),
        help: "upstream or downstream (default: downstream; for drop and stall both)."),
      OptionSpec(name: "--upstream", aliases: ["-u"], help: "From the client to the server."),
      OptionSpec(name: "--downstream", aliases: ["-d"], help: "From the server to the client."),
      toxicity, attribute,
    ] + ToxicWords.triggerOptions + [.control, .tokenFile, .json],
    details: """
      Types and their attributes; a time may have its unit, as latency=1.5s:
      \(ToxicText.kinds)

      Example: headwind toxics add web latency latency=100 jitter=20 --upstream
      """,
    run: { arguments throws(CommandError) in
      let words = ToxicWords(arguments)
      var operands = arguments.operands.dropFirst()
      let type = try words.type(&operands)
      let name = try arguments.nonEmpty("--name")
      let body = JSON.object(
        [
          ("name", name.map(JSON.string)), ("type", .string(type)),
          ("stream", try words.stream().map(JSON.string)), ("toxicity", try words.toxicity()),
          ("attributes", try words.attributes(operands, of: type)),
        ] + (try words.triggers()))
      let call = ProxyCall(arguments.operands[0], try ControlClient(arguments))
      show(try call.send("POST", "/toxics", body: body, aboutToxic: name), "added", call, arguments)
    })

  private static let updateToxic = Command(
    name: "toxics update", aliases: ["u"], summary: "Change what is named of a toxic; the rest stays as it is.",
    operands: [
      .one("PROXY", .name(.proxies)), .optional("TOXIC", .name(.toxics)), .any("KEY=VALUE", .name(.attributes)),
    ],
    options: [
      OptionSpec(
        name: "--name", aliases: nameAliases, value: "TOXIC", kind: .name(.toxics), help: "The toxic, as an option.")
    ]
      + [toxicity, attribute] + ToxicWords.triggerOptions + [.control, .tokenFile, .json],
    details: "Example: headwind toxics update web latency_downstream latency=200",
    run: { arguments throws(CommandError) in
      let words = ToxicWords(arguments)
      var operands = arguments.operands.dropFirst()
      guard let name = try arguments.nonEmpty("--name") ?? operands.popFirst() else {
        throw arguments.usage("missing: TOXIC")
      }
      let members = [("toxicity", try words.toxicity())] + (try words.triggers())
      guard members.contains(where: { $0.1 != nil }) || arguments.has("--attribute") || !operands.isEmpty else {
        throw arguments.usage("nothing to change; give attributes such as latency=100, --toxicity or when to act")
      }
      let call = ToxicCall(name, of: arguments.operands[0], try ControlClient(arguments))
      // Its kind tells which attributes there are.
      let type = try call.send("GET")["type"]?.string ?? ""
      let body = JSON.object([("attributes", try words.attributes(operands, of: type))] + members)
      show(try call.send("PATCH", body: body), "updated", call.proxy, arguments)
    })

  private static func show(_ toxic: JSON, _ done: String, _ proxy: ProxyCall, _ arguments: Arguments) {
    if arguments.has("--json") { return StandardOutput.write(toxic.text + "\n") }
    let text = ToxicText(toxic)
    StandardOutput.write(
      "proxy \(proxy.name.printable): \(done) toxic \(text.name.printable): \(text.line.printable)\n")
  }

  // MARK: Removing

  private static let removeToxics = Command(
    name: "toxics remove", aliases: ["rm", "r", "delete", "del", "d"],
    summary: "Remove toxics; what they hold goes on, in order.",
    operands: [.one("PROXY", .name(.proxies)), .any("TOXIC", .name(.toxics))],
    options: [
      OptionSpec(
        name: "--name", aliases: nameAliases, value: "TOXIC", kind: .name(.toxics), help: "A toxic, as an option."),
      .control, .tokenFile, .json,
    ],
    details: "One that isn't there makes the exit status 1; the others are removed.",
    run: { arguments throws(CommandError) in
      let names = [try arguments.nonEmpty("--name")].compactMap { $0 } + arguments.operands.dropFirst()
      guard !names.isEmpty else { throw arguments.usage("missing: TOXIC...") }
      let client = try ControlClient(arguments)
      try forEach(names, arguments, done: "removed") { name throws(CommandError) in
        let call = ToxicCall(name, of: arguments.operands[0], client)
        try call.send("DELETE")
        return "proxy \(call.proxy.name.printable): removed toxic \(name.printable)\n"
      }
    })
}

extension Arguments {
  fileprivate func nonEmpty(_ name: String) throws(CommandError) -> String? {
    guard value(name) != "" else { throw usage("\(name) is empty") }
    return value(name)
  }
}

/// The calls about one toxic; what is refused names it.
private struct ToxicCall {
  let proxy: ProxyCall
  private let name: String

  init(_ name: String, of proxy: String, _ client: ControlClient) {
    self.proxy = ProxyCall(proxy, client)
    self.name = name
  }

  @discardableResult
  func send(_ method: String, body: JSON? = nil) throws(CommandError) -> JSON {
    try proxy.send(method, "/toxics/\(percentEncoded(name))", body: body, aboutToxic: name)
  }
}
