/// Reads what may be wrong; what the user is told then is one line of bounded length.
///
/// - Returns: what was read; nil where it was refused.
@discardableResult
func attempt<Value>(_ read: () throws -> Value) -> Value? {
  do {
    return try read()
  } catch {
    let message = "\(error)"
    guard !message.isEmpty, message.utf8.count < 1_000, message.allSatisfy({ !$0.isNewline && $0 != "\0" }) else {
      fatalError("a message for nobody: \(message.debugDescription)")
    }
    return nil
  }
}
