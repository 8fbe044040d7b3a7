/// A text in which `*` stands for any number of bytes, none too. Matching takes time in proportion to the text, whatever
/// the pattern.
struct Glob: Hashable, Sendable {
  /// What has to be found in this order, between the stars.
  private let pieces: [Piece]
  private let beginsWithStar: Bool
  private let endsWithStar: Bool

  init(_ pattern: some Collection<UInt8>) {
    let star = UInt8(ascii: "*")
    pieces = pattern.split(separator: star).map { Piece(Array($0)) }
    beginsWithStar = pattern.first == star
    endsWithStar = Array(pattern).last == star
  }

  func matches(_ text: [UInt8]) -> Bool {
    var pieces = pieces[...]
    var rest = text[...]
    // A piece without a star before it, or behind it, has one place alone.
    if !beginsWithStar {
      guard let first = pieces.popFirst() else { return rest.isEmpty }
      guard rest.starts(with: first.bytes) else { return false }
      rest = rest.dropFirst(first.bytes.count)
      if pieces.isEmpty, !endsWithStar { return rest.isEmpty }
    }
    if !endsWithStar, let last = pieces.popLast() {
      guard rest.count >= last.bytes.count, rest.suffix(last.bytes.count).elementsEqual(last.bytes) else {
        return false
      }
      rest = rest.dropLast(last.bytes.count)
    }
    // The earliest place of each leaves the most to the ones behind it, so there is never a way back.
    for piece in pieces {
      guard let end = piece.firstEnd(in: rest) else { return false }
      rest = rest[end...]
    }
    return true
  }

  private struct Piece: Hashable, Sendable {
    let bytes: [UInt8]
    /// For each beginning of the piece, how long its longest end is that is a beginning, too (Knuth, Morris, Pratt).
    private let borders: [Int]

    init(_ bytes: [UInt8]) {
      var borders = [0]
      for byte in bytes.dropFirst() {
        borders.append(Piece.advance(borders[borders.count - 1], by: byte, bytes, borders))
      }
      (self.bytes, self.borders) = (bytes, borders)
    }

    /// Where the first occurrence ends.
    func firstEnd(in text: ArraySlice<UInt8>) -> Int? {
      var matched = 0
      for index in text.indices {
        matched = Piece.advance(matched, by: text[index], bytes, borders)
        if matched == bytes.count { return index + 1 }
      }
      return nil
    }

    private static func advance(_ matched: Int, by byte: UInt8, _ bytes: [UInt8], _ borders: [Int]) -> Int {
      var matched = matched
      while matched > 0, bytes[matched] != byte { matched = borders[matched - 1] }
      return bytes[matched] == byte ? matched + 1 : matched
    }
  }
}
