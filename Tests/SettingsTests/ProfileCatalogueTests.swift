import Testing

@testable import Settings

private func file(_ name: String, _ text: String = "{}") -> ProfileFile {
  ProfileFile(source: "dir/\(name).json", name: name, text: text.bytes)
}

@Suite struct ProfileCatalogueTests {
  private static let names = EmbeddedProfiles.files.map { String($0.name.dropLast(".json".count)) }
    .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }

  @Test func listsTheEmbeddedOnesInOrder() throws {
    #expect(try ProfileCatalogue().profiles.map(\.name) == Self.names)
  }

  @Test(arguments: [
    ("3g", "3g"), ("LTE", "lte"), ("airplane", "offline"), ("no-network", "offline"), ("off", "none"),
    ("Native", "none"), ("blackhole", "100-loss"), ("very-bad", "very-bad-network"), ("2.75g", "edge"),
    ("unreliable", "flaky"), ("slow-4g", "fast-3g"), ("slow-dns", "high-latency-dns"), ("56k", "dial-up"),
    ("regular-2g", "devtools-regular-2g"), ("wi-fi", "wifi"), ("sat", "satellite"), ("adsl", "dsl"), ("2.5g", "gprs"),
    ("3gem", "slow-3g"), ("leo", "starlink"), ("nlc-wi-fi", "nlc-wifi"), ("wpt-3gfast", "wpt-3g-fast"),
  ]) func findsByNameAndAlias(_ name: String, _ expected: String) throws {
    #expect(try ProfileCatalogue().profile(named: name).name == expected)
  }

  @Test(arguments: [
    ("3gg", "3g"), ("ofline", "offline"), ("lt", "lte"), ("egde", "edge"), ("verybadnetwork", "very-bad-network"),
    ("airplan", "airplane"), ("x", nil), ("zebra-crossing", nil), ("", nil),
  ]) func saysWhatIsNear(_ name: String, _ nearest: String?) throws {
    let hint = nearest.map { "did you mean \"\($0)\"? " } ?? ""
    #expect(
      message { _ = try ProfileCatalogue().profile(named: name) }
        == "unknown profile \"\(name)\"; \(hint)known: \(Self.names.joined(separator: ", "))")
  }

  @Test func directoriesWinInTheirOrder() throws {
    let edge = "{ summary: 'first' } // a comment"
    try withDirectory(["edge.json": edge, "mine.json": "{aliases: ['m']}", "notes.txt": "?", ".hidden.json": "?"]) {
      one in
      try withDirectory(["edge.json": "{summary: 'second'}"]) { two in
        let catalogue = try ProfileCatalogue(directories: [one, two])
        #expect(catalogue["edge"]?.summary == "second")
        #expect(catalogue["m"]?.name == "mine")
        #expect(catalogue["2.75g"] == nil, "the aliases of a replaced profile go with it")
        #expect(catalogue.names == (Self.names + ["mine"]).sorted())
        #expect(try ProfileCatalogue(directories: [two, one + "/"])["edge"]?.summary == "first")
      }
    }
  }

  @Test func directoriesThatCannotBeUsedAreNamed() throws {
    #expect(
      message { _ = try ProfileCatalogue(directories: ["/nonexistent/profiles"]) }
        == "/nonexistent/profiles: cannot be read: no such file or directory")
    try withDirectory(["3g.json": "{name: '4g'}"]) { path in
      #expect(
        message { _ = try ProfileCatalogue(directories: [path]) }
          == "\(path)/3g.json: name is \"4g\"; allowed: \"3g\", the name it is kept under")
    }
  }

  @Test func namesBelongToOneProfile() throws {
    #expect(
      message { _ = try ProfileCatalogue(layers: [[file("a"), file("b", "{aliases: ['a']}")]]) }
        == "dir/b.json: aliases[0] is \"a\"; allowed: a name that no other profile has (\"a\" has it)")
    #expect(
      message { _ = try ProfileCatalogue(layers: [[file("a", "{aliases: ['x']}")], [file("b", "{aliases: ['x']}")]]) }
        == "dir/b.json: aliases[0] is \"x\"; allowed: a name that no other profile has (\"a\" has it)")
  }

  @Test func theLaterFileIsToldOfANameThatIsTaken() throws {
    let below = [file("sea", "{aliases: ['s']}")]
    #expect(
      message { _ = try ProfileCatalogue(layers: [below, [file("s")]]) }
        == "dir/s.json: name is \"s\"; allowed: a name that no other profile has (\"sea\" has it)")
    #expect(
      message { _ = try ProfileCatalogue(layers: [below, [file("a", "{aliases: ['s']}")]]) }
        == "dir/a.json: aliases[0] is \"s\"; allowed: a name that no other profile has (\"sea\" has it)")
    #expect(
      message { _ = try ProfileCatalogue(layers: [[file("s")], below]) }
        == "dir/sea.json: aliases[0] is \"s\"; allowed: a name that no other profile has (\"s\" has it)")
    let replaced = try ProfileCatalogue(layers: [below, [file("sea"), file("s")]])
    #expect(replaced["s"]?.name == "s", "the alias has gone with the profile that had it")
  }

  @Test func profilesComeAndGo() throws {
    var catalogue = try ProfileCatalogue(layers: [[file("none"), file("a", "{aliases: ['x']}")]])
    try catalogue.define(Profile(name: "b", aliases: ["y"]))
    #expect(catalogue["y"]?.name == "b")
    try catalogue.define(Profile(name: "b", aliases: ["z"], summary: "new"))
    #expect(catalogue["y"] == nil)
    #expect(catalogue["z"]?.summary == "new")
    #expect(catalogue.remove("z") == nil, "an alias is no name")
    #expect(catalogue.remove("b")?.name == "b")
    #expect(catalogue["z"] == nil)
    #expect(catalogue.remove("b") == nil)
    #expect(catalogue.remove("none") == nil)
    #expect(catalogue.names == ["a", "none"])
  }

  @Test(arguments: [
    (Profile(name: "x"), "name is \"x\"; allowed: a name that no other profile has (\"a\" has it)"),
    (
      Profile(name: "b", aliases: ["x"]),
      "aliases[0] is \"x\"; allowed: a name that no other profile has (\"a\" has it)"
    ),
  ]) func aRefusedDefinitionChangesNothing(_ profile: Profile, _ expected: String) throws {
    var catalogue = try ProfileCatalogue(layers: [[file("a", "{aliases: ['x']}"), file("b", "{summary: 'old'}")]])
    #expect(message { try catalogue.define(profile) } == expected)
    #expect(catalogue.names == ["a", "b"])
    #expect(catalogue["b"]?.summary == "old")
    #expect(catalogue["x"]?.name == "a")
  }

  @Test(arguments: [("", "abc", 3), ("abc", "abc", 0), ("kitten", "sitting", 3), ("ab", "ba", 1), ("abc", "", 3)])
  func distances(_ a: String, _ b: String, _ distance: Int) {
    #expect(editDistance(Array(a), Array(b)) == distance)
    #expect(editDistance(Array(b), Array(a)) == distance)
  }
}
