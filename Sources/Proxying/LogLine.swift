import Reactor
import Settings

/// A line of the log in each of its forms.
///
/// What it tells may come from anybody, and be a megabyte long. So it is one line whatever is in it, without anything that
/// steers a terminal, and no longer than what a pipe takes as a whole.
struct LogLine {
  enum Form { case text, journal, json }

  /// Of one text, as it is written; longer ones end in `…`.
  static let textBytesMax = 1_024
  /// Of all texts together. With names of fields, numbers and the time a line stays below ``LineWriter/lineBytesMax``.
  static let textsBytesMax = 3_200

  private let level: LogLevel
  private let message: String
  private let fields: [(String, JSON)]

  init(_ level: LogLevel, _ message: String, _ fields: [(String, JSON)]) {
    self.level = level
    var room = Room(bytes: LogLine.textsBytesMax)
    self.message = room.taking(message)
    self.fields = fields.map { ($0.0, room.taking($0.1)) }
  }

  /// With its newline.
  func text(_ form: Form) -> String {
    switch form {
    case .text: "\(level.name): \(sentence)\n"
    // The name of the level is the priority's already, and the journal has a time of its own.
    case .journal: "<\(level.priority)>\(sentence)\n"
    case .json: json.text.withoutControls + "\n"
    }
  }

  private var json: JSON {
    let head: [(String, JSON)] = [
      ("time", .string(WallTime.now.description)), ("level", .string(level.name)), ("message", .string(message)),
    ]
    return .object(head + fields)
  }

  private var sentence: String {
    (message + fields.map { " \($0.0)=\(LogLine.plain($0.1))" }.joined()).withoutControls
  }

  /// Strings without quotes where nothing can be misread.
  private static func plain(_ value: JSON) -> String {
    guard case .string(let text) = value else { return value.text }
    let isPlain = text.unicodeScalars.allSatisfy { ("!"..."~").contains($0) && $0 != "\"" && $0 != "=" }
    return isPlain && !text.isEmpty ? text : value.text
  }
}

/// What is left of a line for texts.
private struct Room {
  var bytes: Int

  mutating func taking(_ text: String) -> String {
    let limit = min(bytes, LogLine.textBytesMax)
    var taken = 0
    for (place, scalar) in zip(text.unicodeScalars.indices, text.unicodeScalars) {
      taken += scalar.bytesWhenWritten
      if taken > limit {
        bytes -= limit
        return String(text.unicodeScalars[..<place]) + "…"
      }
    }
    bytes -= taken
    return text
  }

  /// An array or object ends where the room does, and says how much more there is.
  mutating func taking(_ value: JSON) -> JSON {
    switch value {
    case .string(let text): return .string(taking(text))
    case .array(let elements):
      var kept: [JSON] = []
      for element in elements {
        guard hasRoom(for: kept.count) else { return .array(kept + [.string("… \(elements.count - kept.count) more")]) }
        kept.append(taking(element))
      }
      return .array(kept)
    case .object(let object):
      var kept: [(String, JSON)] = []
      for member in object.members {
        guard hasRoom(for: kept.count) else { return .object(kept + [("…", .string("more"))]) }
        kept.append((taking(member.key), taking(member.value)))
      }
      return .object(kept)
    // Nobody logs one; they are long.
    case .encodedArray: return .string("an array")
    case .null, .bool, .integer, .unsigned, .number: return value
    }
  }

  /// Each element is paid for, so that many small ones are as bounded as a few long ones.
  private mutating func hasRoom(for count: Int) -> Bool {
    guard bytes > 0, count < 20 else { return false }
    bytes -= 4
    return true
  }
}

extension LogLevel {
  /// Of syslog(3), as sd-daemon(3) writes it.
  package var priority: Int {
    switch self {
    case .error: 3
    case .warning: 4
    case .info: 6
    case .debug, .silent: 7
    }
  }
}

extension Unicode.Scalar {
  /// Whether it breaks a line, steers a terminal or hides what stands beside it.
  private var isControl: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }

  /// At most, in any form.
  fileprivate var bytesWhenWritten: Int {
    switch self {
    case "\"", "\\", "<", ">", "&": 6
    case " "..."~": 1
    default: isControl ? 12 : UTF8.width(self)
    }
  }

  /// As JSON has it (RFC 8259 §7): two of these above U+FFFF.
  fileprivate var escapedIfControl: String {
    guard isControl else { return String(self) }
    return String(self).utf16.map { unit in
      let digits = String(unit, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }.joined()
  }
}

extension String {
  /// Also right for a text of JSON, where such characters stand in strings only.
  fileprivate var withoutControls: String {
    if utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return self }
    return unicodeScalars.map { $0 == "\n" ? "\\n" : $0.escapedIfControl }.joined()
  }
}
