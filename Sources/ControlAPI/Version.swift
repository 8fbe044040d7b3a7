/// The product's own version.
package enum Version {
  package static let current = "0.1.0"
  /// The day of that version, as the manual has it (mdoc(7), `Dd`).
  package static let released = "November 30, 2026"
}
