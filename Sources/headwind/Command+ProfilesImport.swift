import Reactor
import Settings

extension Command {
  private static let importFormats = ImportFormat.allCases.map(\.rawValue).joined(separator: ", ")

  static let importProfile = Command(
    name: "profiles import", summary: "Make a profile from another tool's file, and print it.",
    operands: [.one("FILE", .file)],
    options: [
      OptionSpec(
        name: "--format", value: "FORMAT", kind: .word(of: ImportFormat.self),
        help: "Whose file it is: \(importFormats) (default: as it looks)."),
      OptionSpec(name: "--pick", value: "NAME", help: "Which profile, section or proxy, if the file has several."),
      OptionSpec(
        name: "--name", value: "NAME", help: "The new profile's name (default: by --output, else as in the file)."),
      OptionSpec(name: "--output", aliases: ["-o"], value: "PATH", kind: .file, help: "Write it there, as NAME.json."),
      .json,
    ],
    details: """
      FILE is a property list of Apple's Network Link Conditioner (com.apple.network.prefPaneSimulate.plist), a
      connectivity.ini of WebPageTest, or proxies of toxiproxy with their toxics, such as GET /proxies answers; `-` is
      standard input. What is printed is a file for a directory of profiles, as --profiles takes it. It says what the
      numbers meant there.
      """,
    run: { arguments throws(CommandError) in
      let request = try importRequest(arguments)
      let read = try failing { () throws(SettingsError) in try request.read() }
      let text = ProfileFileText(read.profile, comments: read.comments).text
      if let path = arguments.value("--output") { try write(text, to: path) }
      if arguments.has("--json") { return StandardOutput.write(read.profile.json.text + "\n") }
      StandardOutput.write(arguments.value("--output").map { "wrote \($0)\n" } ?? text)
    })

  private static func importRequest(_ arguments: Arguments) throws(CommandError) -> ImportRequest {
    let file = arguments.operands[0]
    let format = try arguments.choice("--format", of: ImportFormat.self)
    let name = try importName(arguments)
    let text = try file == "-" ? standardInput() : failing { () throws(SettingsError) in try SettingsFile.read(file) }
    return ImportRequest(
      text: text, source: file == "-" ? "standard input" : file, format: format, pick: arguments.value("--pick"),
      name: name)
  }

  /// A profile is kept in a file of its name, so either gives the other.
  private static func importName(_ arguments: Arguments) throws(CommandError) -> String? {
    guard let file = arguments.value("--output")?.split(separator: "/").last, file.hasSuffix(".json") else {
      return arguments.value("--name")
    }
    let stem = String(file.dropLast(".json".count))
    if let name = arguments.value("--name"), name != stem {
      throw arguments.usage(
        "--name is \(quoted(name)), but --output \(quoted(String(file))) keeps the profile \(quoted(stem))")
    }
    return stem
  }

  private static func write(_ text: String, to path: String) throws(CommandError) {
    do throws(LoopError) {
      try TextFile.write(text, to: path)
    } catch {
      throw .failure("--output: \(path): \(LoopError.message(for: error.code))")
    }
  }
}
