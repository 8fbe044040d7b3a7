/// What is wrong with a text; whoever wanted it says what would be right, and where it stands.
struct TextProblem: Error, Hashable {
  var reason: String

  init(_ reason: String) { self.reason = reason }

  /// `is "a b": no host; allowed: …`
  func refusal(of text: String, allowed: String) -> SettingsError {
    SettingsError(message: "is \(JSON.string(text).excerpt): \(reason); allowed: \(allowed)")
  }
}

extension SettingsError {
  /// The same error with the place of the text.
  package func at(_ field: String, in source: String = "") -> SettingsError {
    SettingsError(kind, source: source, field: field, message: message)
  }
}
