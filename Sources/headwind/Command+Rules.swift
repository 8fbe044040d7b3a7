import Reactor
import Settings

// What happens to hosts that clients of forward proxies ask for.
extension Command {
  static let rules = group(
    name: "rules", aliases: ["rule"], summary: "List and change what happens to hosts behind forward proxies.",
    of: [listRules, setRules, addRule, clearRules])

  private static let ruleDetails = """
    RULE is PATTERN=USE. PATTERN is a name, a name with * such as *.example.com, an IP address or a network such as
    10.0.0.0/8, with :PORT for that port alone. USE is a profile, direct (no conditions) or deny. The first that
    matches counts; where none does, the proxy's own conditions hold. Live connections follow at
    once; those to a host that is denied now are reset.
    """

  private static let listRules = Command(
    name: "rules list", aliases: ["ls", "l"], summary: "List the rules, in the order in which they are looked at.",
    options: [.control, .tokenFile, .json],
    run: { arguments throws(CommandError) in
      show(try ControlClient(arguments).get("/rules"), arguments)
    })

  private static let setRules = Command(
    name: "rules set", summary: "Put these rules in the place of all that there are.",
    operands: [.several("RULE")], options: [.control, .tokenFile, .json],
    details: ruleDetails + "\nExample: headwind rules set 'api.example.com=edge' '*.internal=direct' '*:25=deny'",
    run: { arguments throws(CommandError) in
      var rules: [JSON] = []
      for text in arguments.operands { rules.append(try rule(text, arguments)) }
      show(try ControlClient(arguments).send("PUT", "/rules", body: ["rules": .array(rules)]), arguments)
    })

  private static let addRule = Command(
    name: "rules add", aliases: ["create", "new", "a"], summary: "Add a rule behind the others.",
    operands: [.one("RULE")],
    options: [OptionSpec(name: "--first", help: "Before the others."), .control, .tokenFile, .json],
    details: ruleDetails + "\nExample: headwind rules add --first '*:25=deny'",
    run: { arguments throws(CommandError) in
      let rule = try rule(arguments.operands[0], arguments)
      let target = arguments.has("--first") ? "/rules?at=first" : "/rules"
      show(try ControlClient(arguments).send("POST", target, body: rule), arguments)
    })

  private static let clearRules = Command(
    name: "rules clear", aliases: ["rm"], summary: "Remove all rules.", options: [.control, .tokenFile, .json],
    run: { arguments throws(CommandError) in
      show(try ControlClient(arguments).send("DELETE", "/rules"), arguments)
    })

  private static func rule(_ text: String, _ arguments: Arguments) throws(CommandError) -> JSON {
    do throws(SettingsError) {
      return try HostRule(parsing: text).json
    } catch {
      throw arguments.usage("RULE \(error.message)")
    }
  }

  private static func show(_ answer: JSON, _ arguments: Arguments) {
    if arguments.has("--json") { return StandardOutput.write(answer.text + "\n") }
    var table = TextTable(["HOST", "USE"])
    for rule in answer["rules"]?.array ?? [] { table.add([rule["host"]?.string ?? "", rule["use"]?.string ?? ""]) }
    StandardOutput.write(table.isEmpty ? "no rules\n" : table.text())
  }
}
