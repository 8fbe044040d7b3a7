import Settings

/// Profiles as people would tell them, from the API's objects.
enum ProfileText {
  static func list(_ profiles: [JSON]) -> String {
    var table = TextTable(
      ["NAME", "ROUND TRIP", "DOWN B/s", "UP B/s", "LOSS", "QUEUE", "MODEL", "SUMMARY"], rightAligned: [2, 3])
    var notes = ""
    for profile in profiles {
      let (name, path) = (profile["name"]?.string ?? "", PathText(profile["path"]))
      table.add([
        name, path.roundTrip, path.rate("downstream"), path.rate("upstream"), path.loss, path.queue, path.model,
        profile["summary"]?.string ?? "",
      ])
      if let note = path.note { notes += "\(name.printable): \(note.printable)\n" }
    }
    return table.text() + (notes.isEmpty ? "" : "\n\(notes)")
  }

  static func whole(_ profile: JSON) -> String {
    let path = PathText(profile["path"])
    let aliases = (profile["aliases"]?.array ?? []).compactMap(\.string).joined(separator: ", ")
    let texts = [("also", aliases), ("source", profile["source"]?.string ?? "")].filter { !$0.1.isEmpty }
    var table = TextTable()
    for (heading, text) in texts + path.lines { table.add([heading, text]) }
    let toxics = profile["toxics"]?.array ?? []
    let summary = profile["summary"]?.string ?? ""
    let head = (profile["name"]?.string ?? "").printable + (summary.isEmpty ? "" : ": \(summary.printable)") + "\n"
    let parts = [table, path.stepTable, toxics.isEmpty ? nil : ToxicText.table(toxics)].compactMap { $0?.text() }
    return head + parts.filter { !$0.isEmpty }.joined(separator: "\n")
  }
}
