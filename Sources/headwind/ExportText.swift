import Settings

/// A profile in another tool's words, for people and for pipes.
struct ExportText {
  let output: String
  /// For standard error: comments have no place in JSON.
  let notes: String

  init(_ export: ProfileExport, of profile: Profile, as format: ExportFormat) {
    switch export.body {
    case .commands(let commands, let undo):
      let call = "headwind profiles export \(profile.name) --format \(format.rawValue) | sudo sh"
      let remarks = export.notes.map { "# - \($0)" }
      var lines = ["# The profile \(profile.name) for \(Self.tool(format)), to be run by root:", "#   \(call)"]
      lines += remarks.isEmpty ? [] : ["# What is different from Headwind:"] + remarks
      if !commands.isEmpty { lines += ["set -e"] + commands + ["# To undo it:"] + undo.map { "#   \($0)" } }
      output = lines.joined(separator: "\n") + "\n"
      notes = ""
    case .document(let document):
      output = document.indentedText + "\n"
      notes = export.notes.map { "note: \($0)\n" }.joined()
    }
  }

  private static func tool(_ format: ExportFormat) -> String {
    switch format {
    case .dnctl: "dnctl(8) and pfctl(8) of macOS"
    case .tc: "tc-netem(8) of Linux"
    case .devtools, .toxiproxy: format.rawValue
    }
  }
}
