// Replies wait in memory until their clients take them: who doesn't read is not to hold all of it.
extension HTTPServer {
  /// A client that has taken nothing for so long isn't just behind.
  private static let patienceNanoseconds: Int64 = 1_000_000_000

  /// Ends connections whose clients have taken nothing for a second, the longest first, until there is room for so many
  /// bytes. Not to be called from inside the callbacks of one that it may end.
  ///
  /// - Returns: whether there is room.
  package func makeRoom(for bytes: Int) -> Bool {
    guard unsentBytes + bytes > limits.unsentBytesMax else { return true }
    onLimit(.unsentBytes)
    // A long turn is nobody's fault: what it has added nobody could take yet.
    let since = loop.turnStart - HTTPServer.patienceNanoseconds
    let stalled = connections.values
      .filter { $0.bufferedBytes > 0 && $0.lastTaken < since }
      .sorted { $0.lastTaken < $1.lastTaken }
    for connection in stalled {
      guard unsentBytes + bytes > limits.unsentBytesMax else { break }
      connection.giveWay()
    }
    return unsentBytes + bytes <= limits.unsentBytesMax
  }
}
