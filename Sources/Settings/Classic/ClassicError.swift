/// Why a body of the classic API is refused. Each is a 400; `description` is the API's `error` text.
package enum ClassicError: Error, Hashable, CustomStringConvertible {
  /// Not JSON, or a field of the wrong type.
  case badBody(String)
  /// `proxy` counts from 1, in a list of proxies.
  case missing(field: String, proxy: Int?)
  case invalidStream
  /// Missing, unknown, or in the wrong letter case.
  case invalidType
  /// A value that the engine can't honour.
  case invalidValue(String)
  /// A toxic in the body of a proxy is bad. `proxy` counts from 1, in a list of proxies.
  indirect case badToxic(index: Int, proxy: Int?, ClassicError)
  /// Two toxics of one body have the same name.
  case duplicateToxic(String)

  package var description: String {
    switch self {
    case .badBody(let reason): "bad request body: \(reason)"
    case .missing(let field, nil): "missing required field: \(field)"
    case .missing(let field, let proxy?): "missing required field: \(field) at proxy \(proxy)"
    case .invalidStream: "stream was invalid, can be either upstream or downstream"
    case .invalidType: "invalid toxic type"
    case .invalidValue(let reason): reason
    case .badToxic(let index, nil, let error): error.text(ofToxic: index)
    case .badToxic(let index, let proxy?, let error): "proxy \(proxy): \(error.text(ofToxic: index))"
    case .duplicateToxic(let name): "another toxic is named \(JSON.string(name).excerpt)"
    }
  }

  private func text(ofToxic index: Int) -> String {
    switch self {
    case .badBody(let reason), .invalidValue(let reason): reason  // names the field, with its path
    default: "toxics[\(index)]: \(self)"
    }
  }

  init(_ error: SettingsError) {
    self = error.kind == .shape ? .badBody(error.fieldMessage) : .invalidValue(error.fieldMessage)
  }
}

/// What was read from a body of the classic API, and what in it was ignored.
package struct ClassicBody<Value: Sendable>: Sendable {
  package var value: Value
  /// One line for each unknown key, at most 8 for each object.
  package var warnings: [String] = []
}

extension ClassicBody: Equatable where Value: Equatable {}

// MARK: Reading

/// Runs a reading step, with its errors as the classic API words them.
func classic<Value>(_ read: () throws(SettingsError) -> Value) throws(ClassicError) -> Value {
  do { return try read() } catch { throw ClassicError(error) }
}

extension Fields {
  /// The lenient reading of one object of the classic API.
  static func classic(_ value: JSON, path: String = "") throws(ClassicError) -> Fields {
    try Settings.classic { () throws(SettingsError) in
      try Fields(value, source: "", path: path, keys: .anyCase)
    }
  }

  /// The object of that name; objects that come more than once are merged. Empty when absent.
  func classicFields(_ key: String) throws(ClassicError) -> Fields {
    var merged = JSONObject()
    for value in values(key) {
      merged.members += try Fields.classic(value, path: pathOf(key)).object.members
    }
    return try Fields.classic(.object(merged), path: pathOf(key))
  }

  /// One line for each unknown key, up to a number that a response header can carry.
  func warnings(known: [String]) -> [String] {
    unknownKeys(known).prefix(8).map { key in
      "unknown key \(JSON.string(key).excerpt)" + (path.isEmpty ? "" : " in \(path)") + " was ignored"
    }
  }
}

extension JSONReader {
  static func classicBody(_ body: some Sequence<UInt8>) throws(ClassicError) -> JSON {
    do { return try read(body, dialect: .lenient) } catch { throw .badBody(error.description) }
  }
}
