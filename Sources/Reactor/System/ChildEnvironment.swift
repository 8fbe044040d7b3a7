internal import CLibevent

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// The environment of a program to be started: this process's own, byte by byte, but for some variables.
package struct ChildEnvironment: Sendable {
  /// In place of those of the same name.
  package var values: [String: String] = [:]
  /// Names, and beginnings of names, of variables that the program is not to see.
  package var removed: Set<String> = []
  package var removedPrefixes: [String] = []

  package init() {}

  /// Entries `NAME=value`, each ending with a zero byte.
  var entries: [[CChar]] {
    var entries: [[CChar]] = []
    var next = headwind_environment()
    while let place = next, let entry = place.pointee {
      if isKept(String(cString: entry).prefix { $0 != "=" }) {
        entries.append(Array(UnsafeBufferPointer(start: entry, count: strlen(entry) + 1)))
      }
      next = place + 1
    }
    return entries + values.sorted { $0.key < $1.key }.map { Array("\($0.key)=\($0.value)".utf8CString) }
  }

  private func isKept(_ name: Substring) -> Bool {
    let name = String(name)
    return values[name] == nil && !removed.contains(name) && !removedPrefixes.contains { name.hasPrefix($0) }
  }
}
