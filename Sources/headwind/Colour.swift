import Reactor

/// What is to catch the eye on a terminal.
enum Colour: String {
  case green = "32"
  case yellow = "33"
  case red = "31"

  /// On a terminal that has colours, unless the user wants none (no-color.org).
  static var isWanted: Bool {
    StandardOutput.isTerminal && Environment.variable(.noColour) == nil
      && Environment.variable(.terminal) != "dumb"
  }

  func painted(_ text: String) -> String { "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" }
}

extension String {
  /// With control characters as escapes: names come from anywhere, and must neither steer a terminal nor break a line.
  var printable: String {
    unicodeScalars.map { scalar in
      switch scalar.properties.generalCategory {
      case .format where scalar.properties.isJoinControl: String(scalar)
      case .control, .format, .lineSeparator, .paragraphSeparator: scalar.escaped(asASCII: true)
      default: String(scalar)
      }
    }.joined()
  }
}
