/// The files that are read or written, as the manual tells. None has a fixed place.
enum ManualFile: CaseIterable {
  case config, profile, ready

  var name: String {
    switch self {
    case .config: "headwind.json5"
    case .profile: "NAME.json"
    case .ready: "FILE of --ready-file"
    }
  }

  var help: String {
    switch self {
    case .config: "A config file, under any name, for --config. `headwind check-config` says what is wrong with it."
    case .profile:
      "A profile, in a directory that --profiles, --profiles-dir, the config file or HEADWIND_PROFILES names."
    case .ready: "Holds the ready line as long as the daemon runs."
    }
  }
}
