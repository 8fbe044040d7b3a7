/// The secret that a daemon asks for with control requests. It is told to nobody: text made of it is three stars.
package struct AccessToken: Hashable, Sendable {
  /// In characters.
  package static let lengths = 16...4_096
  /// What a file with the longest one may have: its line's end comes behind it.
  package static let fileBytesMax = lengths.upperBound + 2

  private let bytes: [UInt8]

  /// Reads the content of a token file: one line, with or without its end.
  ///
  /// - Throws: what is wrong with it as a phrase for behind the file's name, never with a part of it.
  package init(text: some Sequence<UInt8>) throws(SettingsError) {
    var bytes = Array(text)
    if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
    if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
    // RFC 9110 §11.2 allows fewer, but these do no harm in a header.
    let odd = bytes.firstIndex { !(0x21...0x7E).contains($0) }
    if let odd { throw AccessToken.refusal("has something else at byte \(odd + 1)") }
    guard AccessToken.lengths.contains(bytes.count) else {
      throw AccessToken.refusal(
        bytes.count > AccessToken.lengths.upperBound ? "has more characters" : "has \(bytes.count) characters")
    }
    self.bytes = bytes
  }

  private static func refusal(_ reason: String) -> SettingsError {
    SettingsError(
      message: "\(reason); allowed: one line of \(lengths.lowerBound) to \(lengths.upperBound) printable ASCII "
        + "characters without blanks")
  }

  /// How long it takes depends on the candidate's length and on nothing else: who guesses learns nothing from it.
  package func matches(_ candidate: some Collection<UInt8>) -> Bool {
    var difference = UInt(bitPattern: candidate.count ^ bytes.count)
    var place = 0
    for byte in candidate {
      difference |= UInt(byte ^ bytes[place])
      place = place + 1 == bytes.count ? 0 : place + 1
    }
    return difference == 0
  }

  /// The value of the header `Authorization` that shows it (RFC 6750 §2.1).
  package var authorization: String { AccessToken.scheme + String(decoding: bytes, as: UTF8.self) }

  private static let scheme = "Bearer "

  /// What the value of a header `Authorization` shows; nil where its scheme, in any letter case, is another one.
  package static func candidate(in authorization: String) -> Substring.UTF8View? {
    guard authorization.prefix(scheme.count).lowercased() == scheme.lowercased() else { return nil }
    return authorization.dropFirst(scheme.count).drop { $0 == " " }.utf8
  }
}

extension AccessToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "***" }
  package var debugDescription: String { "***" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
