import Reactor
import Settings

extension Command {
  private static let shells = Shell.allCases.map(\.rawValue).joined(separator: ", ")

  static let completions = Command(
    name: "completions", summary: "Print a script that makes a shell complete headwind's commands and names.",
    operands: [.optional("SHELL", .word(of: Shell.self))],
    options: [
      OptionSpec(
        name: "--names", value: "WHAT", kind: .word(of: NameKind.self),
        help: """
          In place of a script, the names that there are, as the scripts ask for them: \
          \(NameKind.allCases.map(\.rawValue).joined(separator: ", ")).
          """),
      OptionSpec(
        name: "--of", value: "NAME", isRepeatable: true,
        help: "Whose: the proxy of toxics; the proxy, and the toxic or its type, of attributes."),
      .profileDirectories, .control, .tokenFile, .json,
    ],
    details: """
      SHELL is \(shells). Where the scripts go, for one user, from the next shell on:

        mkdir -p ~/.local/share/bash-completion/completions
        headwind completions bash >~/.local/share/bash-completion/completions/headwind

        mkdir -p ~/.zfunc
        headwind completions zsh >~/.zfunc/_headwind

        mkdir -p ~/.config/fish/completions
        headwind completions fish >~/.config/fish/completions/headwind.fish

      bash reads its file where the package bash-completion is installed; for zsh, ~/.zshrc has fpath+=~/.zfunc before
      compinit. In one shell alone, at once: eval "$(headwind completions bash)".

      Names of profiles, proxies, toxics, leases and sessions are those of now: a daemon that doesn't answer within a
      moment has none, without a complaint. With --names each line is a name and, behind a tab, what it is.
      """,
    run: { arguments throws(CommandError) in
      let isJSON = arguments.has("--json")
      guard let what = try arguments.choice("--names", of: NameKind.self) else {
        let shell = try shell(arguments)
        let script = shell.script
        return StandardOutput.write(
          isJSON
            ? JSON.object([("shell", .string(shell.rawValue)), ("script", .string(script))]).text + "\n" : script)
      }
      if let shell = arguments.operands.first {
        throw arguments.usage("--names and the shell \(quoted(shell)) exclude each other")
      }
      let names = KnownNames(arguments).names(what, of: arguments.all("--of"))
      StandardOutput.write(isJSON ? KnownNames.json(names).text + "\n" : KnownNames.lines(names))
    })

  private static func shell(_ arguments: Arguments) throws(CommandError) -> Shell {
    guard let word = arguments.operands.first else { throw arguments.usage("missing: SHELL; allowed: \(shells)") }
    guard let shell = Shell(rawValue: word) else {
      throw arguments.usage("SHELL is \(quoted(word)); allowed: \(shells)")
    }
    return shell
  }
}

/// A shell that there is a script for.
enum Shell: String, CaseIterable {
  case bash, zsh, fish

  var script: String {
    switch self {
    case .bash: BashCompletion.script
    case .zsh: ZshCompletion.script
    case .fish: FishCompletion.script
    }
  }
}
