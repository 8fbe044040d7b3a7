import ControlAPI

/// headwind(1), made from the tree of commands and the tables that the program goes by.
struct ManualPage {
  let root: Command

  init(_ root: Command = .root) { self.root = root }

  /// In mdoc(7).
  var text: String {
    [
      head, section("COMMANDS", commands), section("ENVIRONMENT", list(variables)), section("FILES", list(files)),
      section("SIGNALS", "A daemon listens to these:\n" + list(signals)),
      section("EXIT STATUS", list(statuses) + ".Pp\n" + ofCommands),
      section("EXAMPLES", examples), section("SEE ALSO", seeAlso),
    ].joined()
  }

  private var head: String {
    """
    .\\" Made by headwind man from the program's own tables.
    .Dd \(Version.released)
    .Dt HEADWIND 1
    .Os
    .Sh NAME
    .Nm headwind
    .Nd a proxy that makes TCP connections as bad as a mobile network
    .Sh SYNOPSIS
    .Nm headwind
    .Ar command
    .Op Ar option ...
    .Op Ar argument ...
    .Nm headwind
    .Cm help
    .Op Ar command
    .Nm headwind
    .Cm version
    .Sh DESCRIPTION

    """ + Mdoc.prose(Self.description)
  }

  private static let description = """
    headwind accepts TCP connections, forwards them to an upstream, and on the way makes of them what TCP would be on a \
    named network: a profile such as `edge`, `3g`, `lte` or `offline`. An HTTP API switches the profile while connections \
    are open. `headwind serve` is the daemon, `headwind run` puts one around a single command, and most other commands speak \
    to a daemon that runs.

    Apps reach it as their HTTP or SOCKS proxy, or at an address of its own for each upstream. It speaks toxiproxy's API, too, \
    and started under the name `toxiproxy-server` it takes that server's flags.

    Options may stand anywhere, before the command's words, too; `--` ends them. `--name=value` is `--name value`.

    This page is that of version \(Version.current).
    """

  private func section(_ title: String, _ body: String) -> String { ".Sh \(title)\n\(body)" }

  // MARK: Commands

  private static let shared = [OptionSpec.control, .tokenFile, .json] + Command.common

  private var commands: String {
    "Many commands have these options, with the same meaning:\n" + options(Self.shared)
      + root.withAllBelow.dropFirst().map(command).joined()
  }

  private func command(_ command: Command) -> String {
    var text = ".Ss \(command.name)\n" + Mdoc.sentences(command.summary)
    if !command.aliases.isEmpty { text += Mdoc.sentences("Also: \(command.aliases.joined(separator: ", ")).") }
    guard command.subcommands.isEmpty else {
      let words = command.subcommands.map(\.word)
      return text
        + Mdoc.sentences("Its commands: \(words.joined(separator: ", ")). Without one of these it is \(words[0]).")
    }
    text += synopsis(command)
    let own = command.options.filter { option in
      !Self.shared.contains { $0.name == option.name && $0.help == option.help }
    }
    if !own.isEmpty { text += options(own) }
    if own.contains(where: { $0.origin == .toxiproxy }) { text += ".Pp\n" + Mdoc.prose(Help.serverFlags) }
    return text + (command.details.isEmpty ? "" : ".Pp\n" + Mdoc.prose(command.details))
  }

  private func synopsis(_ command: Command) -> String {
    let words = command.name.split(separator: " ").map { " Cm \(Mdoc.argument(String($0)))" }.joined()
    let options = (command.options + Command.common).map { option in
      ".Op \(flag(option.name))\(value(option))\n"
    }
    let operands = command.operands.map { operand in
      guard operand.kind != .command else { return ".Fl -\n.Ar COMMAND ...\n" }
      return (operand.isOptional ? ".Op Ar" : ".Ar")
        + " \(Mdoc.argument(operand.name))\(operand.isRepeatable ? " ..." : "")\n"
    }
    return ".Bd -ragged -offset indent\n.Nm headwind\(words)\n\(options.joined())\(operands.joined()).Ed\n"
  }

  private func options(_ options: [OptionSpec]) -> String {
    list(options.map { option in (names(option) + value(option), option.help) })
  }

  private func names(_ option: OptionSpec) -> String {
    (option.aliases.filter { $0.count == 2 } + [option.name] + option.aliases.filter { $0.count > 2 })
      .map(flag).joined(separator: " , ")
  }

  private func flag(_ name: String) -> String { "Fl \(Mdoc.argument(String(name.dropFirst())))" }

  private func value(_ option: OptionSpec) -> String {
    (option.value.map { " Ar \(Mdoc.argument($0))" } ?? "") + (option.isRepeatable ? " ..." : "")
  }

  // MARK: Tables

  private func list(_ entries: [(head: String, help: String)]) -> String {
    ".Bl -tag -width Ds\n" + entries.map { ".It \($0.head)\n\(Mdoc.prose($0.help))" }.joined() + ".El\n"
  }

  private var variables: [(String, String)] {
    EnvironmentVariable.allCases.map { ("Ev \(Mdoc.argument($0.rawValue))", $0.help) }
  }

  private var files: [(String, String)] { ManualFile.allCases.map { ("Pa \(Mdoc.argument($0.name))", $0.help) } }

  private var signals: [(String, String)] {
    DaemonSignal.allCases.map { ("Dv \(Mdoc.argument($0.name))", $0.help) }
  }

  private var statuses: [(String, String)] { ExitStatus.allCases.map { ("\($0.rawValue)", $0.help) } }

  private var ofCommands: String {
    Mdoc.prose(
      "`run` and `with` end as the command that they ran; selftest ends with 1 when something failed. See there.")
  }

  private var examples: String {
    Mdoc.prose(
      """
      A daemon in front of a server, and the network switched below it:
        headwind serve --proxy web=127.0.0.1:8080,example.com:80 --profile 3g
        headwind use edge

      A test run, once under each of some networks:
        headwind run --profiles edge,3g,lte -- make check
      """)
  }

  private var seeAlso: String {
    """
    .Xr curl 1 ,
    .Xr systemd.service 5 ,
    .Xr tc-netem 8

    """
  }
}
