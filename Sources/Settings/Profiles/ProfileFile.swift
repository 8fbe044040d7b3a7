/// One `NAME.json`, read but not yet understood.
struct ProfileFile {
  /// Its path, for messages.
  var source: String
  /// The name that its profile has to have.
  var name: String
  var text: [UInt8]
  /// Its own directory, with a slash behind it; nil: it is in none.
  var directory: String?

  static let suffix = ".json"

  /// A file embedded in the binary.
  init(name: String, text: String) {
    self.init(source: "embedded \(name)", name: String(name.dropLast(Self.suffix.count)), text: Array(text.utf8))
  }

  init(source: String, name: String, text: [UInt8], directory: String? = nil) {
    self.source = source
    self.name = name
    self.text = text
    self.directory = directory
  }

  func profile() throws(SettingsError) -> Profile {
    try Profile(text: text, source: source, expectedName: name, traceDirectory: directory)
  }

  /// The files of each directory, in the order of their names; other files and hidden ones are left out.
  static func layers(_ directories: [String]) throws(SettingsError) -> [[ProfileFile]] {
    var layers: [[ProfileFile]] = []
    for directory in directories {
      let prefix = directory.hasSuffix("/") ? directory : "\(directory)/"
      var files: [ProfileFile] = []
      for file in try SettingsFile.list(directory) where file.hasSuffix(suffix) && !file.hasPrefix(".") {
        let path = prefix + file
        let text = try SettingsFile.read(path)
        let name = String(file.dropLast(suffix.count))
        files.append(ProfileFile(source: path, name: name, text: text, directory: prefix))
      }
      layers.append(files)
    }
    return layers
  }
}
