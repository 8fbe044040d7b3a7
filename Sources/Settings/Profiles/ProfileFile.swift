/// One `NAME.json`, read but not yet understood.
struct ProfileFile {
  /// Its path, for messages.
  var source: String
  /// The name that its profile has to have.
  var name: String
  var text: [UInt8]

  static let suffix = ".json"

  /// A file embedded in the binary.
  init(name: String, text: String) {
    self.init(source: "embedded \(name)", name: String(name.dropLast(Self.suffix.count)), text: Array(text.utf8))
  }

  init(source: String, name: String, text: [UInt8]) {
    self.source = source
    self.name = name
    self.text = text
  }

  func profile() throws(SettingsError) -> Profile {
    try Profile(text: text, source: source, expectedName: name)
  }

  /// The files of each directory, in the order of their names; other files and hidden ones are left out.
  static func layers(_ directories: [String]) throws(SettingsError) -> [[ProfileFile]] {
    var layers: [[ProfileFile]] = []
    for directory in directories {
      var files: [ProfileFile] = []
      for file in try SettingsFile.list(directory) where file.hasSuffix(suffix) && !file.hasPrefix(".") {
        let path = directory.hasSuffix("/") ? directory + file : "\(directory)/\(file)"
        let text = try SettingsFile.read(path)
        files.append(ProfileFile(source: path, name: String(file.dropLast(suffix.count)), text: text))
      }
      layers.append(files)
    }
    return layers
  }
}
