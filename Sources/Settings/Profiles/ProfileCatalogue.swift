/// The profiles that there are: those embedded in the binary, under those of directories, under those defined at run time.
package struct ProfileCatalogue: Sendable {
  private var byName: [String: Profile] = [:]
  /// From an alias to the name of its profile.
  private var byAlias: [String: String] = [:]
  /// Defined by a call and in no file: what a reload lays over the files again.
  private var atRunTime: [String: Profile] = [:]

  /// The embedded profiles, replaced and completed by the `*.json` files of each directory in turn.
  ///
  /// - Throws: for the first file that can't be read, is wrong, or takes a name that another profile has.
  package init(directories: [String] = []) throws(SettingsError) {
    try self.init(layers: [EmbeddedProfiles.files.map(ProfileFile.init)] + ProfileFile.layers(directories))
  }

  /// - Parameter layers: files, later layers over earlier ones.
  init(layers: [[ProfileFile]]) throws(SettingsError) {
    var chosen: [String: Chosen] = [:]
    for (layer, files) in layers.enumerated() {
      for file in files {
        let profile = try file.profile()
        chosen[profile.name] = Chosen(profile: profile, source: file.source, layer: layer)
      }
    }
    byName = chosen.mapValues(\.profile)
    // Of two files that want the same name the later layer's is told: it is the one that can be changed. In the order of
    // names, so that the same files always give the same message.
    for entry in chosen.values.sorted(by: { ($0.layer, $0.profile.name) < ($1.layer, $1.profile.name) }) {
      for alias in entry.profile.aliases {
        if let owner = chosen[alias], owner.layer > entry.layer {
          throw Self.nameIsTaken(alias, by: entry.profile.name, source: owner.source)
        }
      }
      try addAliases(of: entry.profile, source: entry.source)
    }
  }

  private struct Chosen {
    let profile: Profile
    let source: String
    let layer: Int
  }

  private static func nameIsTaken(_ name: String, by owner: String, source: String = "") -> SettingsError {
    SettingsError(
      source: source, field: "name",
      message: "is \"\(name)\"; allowed: a name that no other profile has (\"\(owner)\" has it)")
  }

  private mutating func addAliases(of profile: Profile, source: String) throws(SettingsError) {
    for (index, alias) in profile.aliases.enumerated() {
      let owner = byName[alias]?.name ?? byAlias[alias]
      if let owner, owner != profile.name {
        throw SettingsError(
          source: source, field: "aliases[\(index)]",
          message: "is \"\(alias)\"; allowed: a name that no other profile has (\"\(owner)\" has it)")
      }
      byAlias[alias] = profile.name
    }
  }

  /// Sorted by the bytes of their names.
  package var profiles: [Profile] {
    byName.values.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  package var names: [String] { profiles.map(\.name) }

  /// The profile of that name or alias, in any letter case.
  package subscript(name: String) -> Profile? {
    let name = name.lowercased()
    return byName[name] ?? byAlias[name].flatMap { byName[$0] }
  }

  /// As the subscript.
  ///
  /// - Throws: when there is none, with the nearest name and all known ones.
  package func profile(named name: String) throws(UnknownProfile) -> Profile {
    if let profile = self[name] { return profile }
    throw UnknownProfile(name: name, nearest: nearest(to: name), known: names)
  }

  package func nearest(to name: String) -> String? {
    Settings.nearest(to: name, among: names + byAlias.keys.sorted())
  }

  // MARK: Changes at run time

  /// Profiles that calls have defined.
  package var definedCount: Int { atRunTime.count }

  package func isDefined(_ name: String) -> Bool { atRunTime[name] != nil }

  /// Adds a profile, or replaces the one of the same name.
  ///
  /// - Throws: when its name or an alias belongs to another profile; nothing has changed then.
  package mutating func define(_ profile: Profile) throws(SettingsError) {
    var copy = self
    copy.forget(profile.name)
    if let owner = copy.byAlias[profile.name] { throw Self.nameIsTaken(profile.name, by: owner) }
    copy.byName[profile.name] = profile
    copy.atRunTime[profile.name] = profile
    try copy.addAliases(of: profile, source: "")
    self = copy
  }

  /// Lays over the files what `before` had been given at run time.
  ///
  /// - Throws: when a file has taken a name or alias of such a profile in the meantime.
  package mutating func keepRunTimeProfiles(of before: ProfileCatalogue) throws(SettingsError) {
    for (_, profile) in before.atRunTime.sorted(by: { $0.key < $1.key }) { try define(profile) }
  }

  /// Removes the profile of that name (aliases don't count); `none` stays.
  ///
  /// - Returns: the profile removed; nil when there is none of that name, or it is `none`.
  package mutating func remove(_ name: String) -> Profile? {
    guard name != Profile.passThroughName, let profile = byName[name] else { return nil }
    forget(name)
    atRunTime[name] = nil
    return profile
  }

  private mutating func forget(_ name: String) {
    byName[name] = nil
    byAlias = byAlias.filter { $0.value != name }
  }
}

/// A name that no profile has.
package struct UnknownProfile: Error, Hashable, CustomStringConvertible {
  package var name: String
  package var nearest: String?
  package var known: [String]

  /// `unknown profile "3gg"; did you mean "3g"? known: 100-loss, 3g, …`
  package var description: String {
    let hint = nearest.map { "did you mean \"\($0)\"? " } ?? ""
    return "unknown profile \(JSON.string(name).excerpt); \(hint)known: \(known.joined(separator: ", "))"
  }
}
