#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Files and directories, with errors of one line.
package enum SettingsFile {
  /// Far more than any settings need.
  package static let maximumBytes = 4_000_000

  package static func read(_ path: String, atMost limit: Int = maximumBytes) throws(SettingsError) -> [UInt8] {
    do {
      // Before it is read: a file of gigabytes would take the daemon's memory, and its time.
      if let size = size(of: path) { try check(size, of: path, atMost: limit) }
      let data = try Data(contentsOf: URL(filePath: path))
      try check(data.count, of: path, atMost: limit)
      return Array(data)
    } catch let error as SettingsError {
      throw error
    } catch {
      throw unreadable(path, error)
    }
  }

  /// Names in a directory, sorted.
  static func list(_ path: String) throws(SettingsError) -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    } catch {
      throw unreadable(path, error)
    }
  }

  private static func check(_ size: Int, of path: String, atMost limit: Int) throws(SettingsError) {
    guard size > limit else { return }
    throw SettingsError(source: path, message: "has \(size) bytes; allowed: at most \(limit)")
  }

  /// In bytes; nil where nothing is to be said.
  private static func size(of path: String) -> Int? {
    let size = attributes(of: path)?[.size]
    // Which type it is differs between the libraries.
    return size as? Int ?? (size as? UInt).flatMap(Int.init(exactly:))
  }

  /// Of what a link leads to.
  private static func attributes(of path: String) -> [FileAttributeKey: Any]? {
    try? FileManager.default.attributesOfItem(atPath: URL(filePath: path).resolvingSymlinksInPath().path)
  }

  private static func unreadable(_ path: String, _ error: any Error) -> SettingsError {
    SettingsError(.shape, source: path, message: "cannot be read: \(reason(error, path: path))")
  }

  private static func reason(_ error: any Error, path: String) -> String {
    switch (error as? CocoaError)?.code {
    case .fileReadNoSuchFile, .fileNoSuchFile: "no such file or directory"
    case .fileReadNoPermission where isSpecial(path): "not a regular file"
    case .fileReadNoPermission: "permission denied"
    default: isDirectory(path) ? "it is a directory" : "not a file that can be read"
    }
  }

  /// Pipes, devices and the like.
  private static func isSpecial(_ path: String) -> Bool {
    guard let type = attributes(of: path)?[.type] as? FileAttributeType else { return false }
    return type != .typeRegular && type != .typeDirectory
  }

  private static func isDirectory(_ path: String) -> Bool {
    var isDirectory = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory
  }
}
