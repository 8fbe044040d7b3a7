/// How a path is carried out.
package enum PathModel: String, CaseIterable, Sendable {
  /// Real TCP over such a link: handshake, slow start, one shared queue, loss and its repair.
  case tcp
  /// Delay and rate only.
  case plain
}
