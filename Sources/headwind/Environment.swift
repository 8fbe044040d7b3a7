import ControlAPI
import Reactor

/// The environment variables that count.
enum Environment {
  static func variable(_ name: String) -> String? { ThisProcess.environment(name) }
  static func variable(_ variable: EnvironmentVariable) -> String? { ThisProcess.environment(variable.rawValue) }
  static var url: String? { variable(.url) }
  static var tokenFile: String? { variable(.tokenFile) }
  static var token: String? { variable(.token) }
  /// Several are separated by colons.
  static var profileDirectories: [String] {
    variable(.profiles)?.split(separator: ":").map(String.init) ?? []
  }
}

enum VersionText {
  static let full = Version.current
}
