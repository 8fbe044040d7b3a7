import Reactor
import Settings

extension Command {
  private static let exportFormats = ExportFormat.allCases.map(\.rawValue).joined(separator: ", ")

  static let exportProfile = Command(
    name: "profiles export", summary: "Print what gives another tool a profile's numbers.",
    operands: [.one("PROFILE", .name(.profiles))],
    options: [
      OptionSpec(
        name: "--format", value: "FORMAT", kind: .word(of: ExportFormat.self), help: "Which tool: \(exportFormats)."),
      OptionSpec(
        name: "--listen", value: "HOST:PORT", help: "Where toxiproxy's proxy listens (default: 127.0.0.1:0, any port)."),
      OptionSpec(
        name: "--upstream", value: "HOST:PORT", help: "Where toxiproxy's proxy leads (default: 127.0.0.1:80)."),
    ] + profileOptions,
    details: """
      dnctl: commands for a root shell on macOS (dnctl, pfctl). tc: commands for one on Linux (netem, and an ifb device
      for what comes in). devtools: Network.emulateNetworkConditions of Chrome's DevTools protocol. toxiproxy: a list of
      proxies with toxics, as populate takes it. What the tool can't say is told in comments, or on standard error.
      Finds profiles as `profiles list` does.
      """,
    run: { arguments throws(CommandError) in
      let format = try exportFormat(arguments)
      let proxy = ExportedProxy(
        listen: try exportAddress("--listen", format, arguments) ?? "127.0.0.1:0",
        upstream: try exportAddress("--upstream", format, arguments) ?? "127.0.0.1:80")
      let profile = try knownProfile(arguments.operands[0], arguments)
      let export = profile.exported(as: format, proxy: proxy)
      if arguments.has("--json") {
        return StandardOutput.write(export.json(of: profile, as: format).text + "\n")
      }
      let text = ExportText(export, of: profile, as: format)
      StandardOutput.write(text.output)
      StandardError.write(text.notes)
    })

  private static func exportFormat(_ arguments: Arguments) throws(CommandError) -> ExportFormat {
    guard let format = try arguments.choice("--format", of: ExportFormat.self) else {
      throw arguments.usage("--format is missing; allowed: \(exportFormats)")
    }
    return format
  }

  private static func exportAddress(
    _ option: String, _ format: ExportFormat, _ arguments: Arguments
  ) throws(CommandError) -> String? {
    guard let text = arguments.value(option) else { return nil }
    guard format == .toxiproxy else { throw arguments.usage("\(option) is for --format toxiproxy only") }
    if let problem = Endpoint.problem(in: text) {
      throw arguments.usage("\(option) is \(quoted(text)): \(problem.reason); allowed: HOST:PORT")
    }
    return text
  }

  /// From the daemon where one is named, else from the catalogue.
  private static func knownProfile(_ name: String, _ arguments: Arguments) throws(CommandError) -> Profile {
    guard isRemote(arguments) else {
      let catalogue = try local(arguments)
      return try failing { () throws(UnknownProfile) in try catalogue.profile(named: name) }
    }
    let answer = try ControlClient(arguments).get("/profiles/\(percentEncoded(name))")
    return try failing { () throws(SettingsError) in try Profile(text: answer.bytes, source: "the daemon's answer") }
  }
}
