/// What is wrong with a setting: where it stands, and what would be right.
package struct SettingsError: Error, Hashable, CustomStringConvertible {
  /// The classic API answers them with different texts.
  package enum Kind: Sendable {
    /// Not JSON, or JSON of the wrong type.
    case shape
    /// The right type, but a value that is not allowed.
    case value
  }

  package var kind: Kind
  /// The file's path, `request body`, or what else the text came from; empty where the caller knows.
  package var source: String
  /// Path of the field, such as `path.latency_ms` or `toxics[0].attributes.rate`; empty for the whole text.
  package var field: String
  /// Goes on after the field: `is -5; allowed: a number from 0 to 600000`.
  package var message: String

  package init(_ kind: Kind = .value, source: String = "", field: String = "", message: String) {
    self.kind = kind
    self.source = source
    self.field = field
    self.message = message
  }

  /// `Profiles/3g.json: path.latency_ms is -5; allowed: a number from 0 to 600000`
  package var description: String {
    source.isEmpty ? fieldMessage : "\(source): \(fieldMessage)"
  }

  /// The description without its source.
  package var fieldMessage: String {
    field.isEmpty ? message : "\(field) \(message)"
  }
}

extension SettingsError {
  init(_ error: JSONError, source: String) {
    self.init(.shape, source: source, message: error.description)
  }
}
