extension StreamSocket {
  /// A read that gave so much found a peer that goes on sending: requests and most answers are shorter, and segments of a
  /// stream, as the loopback or a network card's driver hands them on, are longer.
  static let streamBytes = 16_384

  /// Reads as ``read(upTo:)`` does; where much came, goes on until nothing is left or `limit` bytes (1 to
  /// ``ReadBuffer/streamCapacity``) are there.
  ///
  /// Each read gives the sender room, and it fills that on its own processor while the next one copies. So several times
  /// of what lay there at first is handed on as one, and both peers are woken less often. What is little is handed on at
  /// once.
  ///
  /// The end or a failure behind bytes is the outcome of the next read.
  package func readStream(upTo limit: Int) -> ReadOutcome {
    precondition(limit > 0, "reading needs room")
    let most = min(limit, ReadBuffer.streamCapacity)
    let first = read(into: 0..<most)
    guard case .bytes(var filled) = first, filled >= StreamSocket.streamBytes else { return first }
    while filled < most, case .bytes(let count) = read(into: filled..<most) { filled += count }
    return .bytes(filled)
  }
}
