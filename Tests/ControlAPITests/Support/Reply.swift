import Settings

/// What the API has answered.
struct Reply {
  var status: Int
  var headers: [(name: String, value: String)]
  var text: String

  func header(_ name: String) -> String? { all(name).first }

  func all(_ name: String) -> [String] {
    headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
  }

  func json() throws -> JSON { try JSONReader.read(Array(text.utf8), dialect: .lenient) }
}
