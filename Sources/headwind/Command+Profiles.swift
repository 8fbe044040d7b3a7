import Reactor
import Settings

extension Command {
  static let profiles = group(
    name: "profiles", summary: "List the profiles, show or export one, or import one from another tool's file.",
    of: [
      Command(
        name: "profiles list", aliases: ["ls", "l"], summary: "List the profiles.", options: profileOptions,
        details: profileDetails,
        run: { arguments throws(CommandError) in try list(arguments) }),
      Command(
        name: "profiles show", aliases: ["inspect"], summary: "Show every number of a profile.",
        operands: [.one("PROFILE", .name(.profiles))], options: profileOptions, details: profileDetails,
        run: { arguments throws(CommandError) in try show(arguments.operands[0], arguments) }),
      exportProfile, importProfile,
    ])

  static let profileOptions: [OptionSpec] = [.profileDirectories, .control, .tokenFile, .json]
  private static let profileDetails = """
    Asks the daemon when --control or $HEADWIND_URL names one; otherwise reads the built-in profiles and those of
    --profiles. Round trips are in ms, rates in bytes per second, of each direction; a loss that differs by direction is
    told downstream first. A model of tcp is real TCP over such a link; plain is delay and rate only.
    """

  static func isRemote(_ arguments: Arguments) -> Bool {
    arguments.has("--control") || (Environment.url != nil && !arguments.has("--profiles"))
  }

  static func local(_ arguments: Arguments) throws(CommandError) -> ProfileCatalogue {
    try ServeOptions.catalogue(ServeOptions.directories(arguments), Config())
  }

  private static func list(_ arguments: Arguments) throws(CommandError) {
    let listing =
      isRemote(arguments)
      ? try ControlClient(arguments).get("/profiles")
      : JSON.object([("profiles", .array(try local(arguments).profiles.map(\.json)))])
    if arguments.has("--json") { return StandardOutput.write(listing.text + "\n") }
    StandardOutput.write(ProfileText.list(listing["profiles"]?.array ?? []))
  }

  private static func show(_ name: String, _ arguments: Arguments) throws(CommandError) {
    let profile: JSON
    if isRemote(arguments) {
      profile = try ControlClient(arguments).get("/profiles/\(percentEncoded(name))")
    } else {
      let catalogue = try local(arguments)
      profile = try failing { () throws(UnknownProfile) in try catalogue.profile(named: name).json }
    }
    StandardOutput.write(arguments.has("--json") ? profile.text + "\n" : ProfileText.whole(profile))
  }
}
