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
      let data = try Data(contentsOf: URL(filePath: path))
      guard data.count <= limit else {
        throw SettingsError(source: path, message: "has \(data.count) bytes; allowed: at most \(limit)")
      }
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

  private static func unreadable(_ path: String, _ error: any Error) -> SettingsError {
    SettingsError(.shape, source: path, message: "cannot be read: \(reason(error, path: path))")
  }

  private static func reason(_ error: any Error, path: String) -> String {
    switch (error as? CocoaError)?.code {
    case .fileReadNoSuchFile, .fileNoSuchFile: "no such file or directory"
    case .fileReadNoPermission: "permission denied"
    default: isDirectory(path) ? "it is a directory" : "not a file that can be read"
    }
  }

  private static func isDirectory(_ path: String) -> Bool {
    var isDirectory = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory
  }
}
