/// The tools that a profile can be said to.
package enum ExportFormat: String, CaseIterable, Sendable {
  /// dummynet and pf, of macOS.
  case dnctl
  /// netem, of Linux.
  case tc
  /// The DevTools protocol of Chrome.
  case devtools
  case toxiproxy
}

/// A profile in another tool's words.
package struct ProfileExport: Hashable, Sendable {
  package enum Body: Hashable, Sendable {
    /// For a root shell, in order; and what undoes them. None where there is nothing to do.
    case commands([String], undo: [String])
    case document(JSON)
  }

  package var body: Body
  /// What the tool can't say or says otherwise, a line each.
  package var notes: [String]

  /// For programs: `{"profile":…,"format":…,"commands":[…],"undo":[…],"notes":[…]}`, or with `document`.
  package func json(of profile: Profile, as format: ExportFormat) -> JSON {
    var members: [(String, JSON)] = [("profile", .string(profile.name)), ("format", .string(format.rawValue))]
    switch body {
    case .commands(let commands, let undo):
      members += [("commands", .array(commands.map(JSON.string))), ("undo", .array(undo.map(JSON.string)))]
    case .document(let document): members.append(("document", document))
    }
    return .object(members + [("notes", .array(notes.map(JSON.string)))])
  }
}

/// What an export to toxiproxy says of the proxy, of which a profile knows nothing.
package struct ExportedProxy: Sendable {
  package var listen: String
  package var upstream: String

  package init(listen: String, upstream: String) {
    self.listen = listen
    self.upstream = upstream
  }
}

extension Profile {
  package func exported(as format: ExportFormat, proxy: ExportedProxy) -> ProfileExport {
    switch format {
    case .dnctl: dnctl
    case .tc: netem
    case .devtools: devTools
    case .toxiproxy: toxiproxy(proxy)
    }
  }
}
