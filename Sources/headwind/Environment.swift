import ControlAPI
import Reactor

/// The environment variables that count.
enum Environment {
  static func variable(_ name: String) -> String? { ThisProcess.environment(name) }
  static var url: String? { ThisProcess.environment("HEADWIND_URL") }
  /// Several are separated by colons.
  static var profileDirectories: [String] {
    ThisProcess.environment("HEADWIND_PROFILES")?.split(separator: ":").map(String.init) ?? []
  }
}

enum VersionText {
  static let full = Version.current
}
