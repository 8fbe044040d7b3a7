import ControlAPI
import Reactor

/// The environment variables that count.
enum Environment {
  static var url: String? { ThisProcess.environment("HEADWIND_URL") }
  static var profiles: String? { ThisProcess.environment("HEADWIND_PROFILES") }
}

enum VersionText {
  static let full = Version.current
}
