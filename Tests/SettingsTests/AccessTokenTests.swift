import Testing

@testable import Settings

@Suite struct AccessTokenTests {
  private static let text = "0123456789abcdef"

  @Test(arguments: ["", "\n", "\r\n"])
  func theLinesEndIsNoPartOfIt(end: String) throws {
    let token = try AccessToken(text: (Self.text + end).utf8)
    #expect(token.authorization == "Bearer \(Self.text)")
    #expect(token.matches(Array(Self.text.utf8)))
  }

  @Test func lengthsAreBounded() throws {
    for (count, isTaken) in [(0, false), (1, false), (15, false), (16, true), (4_096, true), (4_097, false)] {
      let text = String(repeating: "k", count: count)
      #expect(((try? AccessToken(text: text.utf8)) != nil) == isTaken, "\(count)")
    }
  }

  /// What is wrong is told without a part of it.
  @Test(arguments: [
    "S3CRET", "S3CRET S3CRET S3CRET", "S3CRETS3CRETS3CRET\nS3CRET", "S3CRETS3CRETS3CRET\t", "S3CRETS3CRETS3CRET\u{e9}",
    "\u{FEFF}S3CRETS3CRETS3CRET", "S3CRETS3CRETS3CRET\0", String(repeating: "S3CRET", count: 1_000),
  ])
  func refusalsKeepItToThemselves(text: String) {
    do throws(SettingsError) {
      _ = try AccessToken(text: text.utf8)
      Issue.record("taken")
    } catch {
      #expect(!error.description.contains("S3C") && error.description.contains("; allowed: one line of 16 to 4096"))
    }
  }

  @Test func onlyTheSameBytesMatch() throws {
    let token = try AccessToken(text: Self.text.utf8)
    let bytes = Array(Self.text.utf8)
    for place in bytes.indices {
      for bit in 0..<8 {
        var other = bytes
        other[place] ^= 1 << bit
        #expect(!token.matches(other))
      }
      #expect(!token.matches(bytes.prefix(place)))
    }
    #expect(!token.matches(bytes + bytes) && !token.matches(bytes + [0]) && !token.matches([UInt8]()))
  }

  /// A comparison that ends at the first difference takes a hundredth of the time where that is the first byte. The quickest of
  /// many runs is not disturbed by others.
  @Test func howManyBytesAreRightTakesNoTime() throws {
    let bytes = [UInt8](repeating: 0x61, count: AccessToken.lengths.upperBound)
    let token = try AccessToken(text: bytes)
    func quickest(wrongAt place: Int) -> Duration {
      var candidate = bytes
      candidate[place] ^= 1
      return (0..<200).map { _ in
        ContinuousClock().measure { if token.matches(candidate) { Issue.record("it isn't the same") } }
      }.min() ?? .zero
    }
    let (early, late) = (quickest(wrongAt: 0), quickest(wrongAt: bytes.count - 1))
    #expect(early * 5 > late && late * 5 > early, "\(early), \(late)")
  }

  /// In no interpolation, dump or mirror.
  @Test func textOfItIsThreeStars() throws {
    let token = try AccessToken(text: Self.text.utf8)
    var dumped = ""
    dump([token], to: &dumped)
    for text in ["\(token)", "\([token])", String(reflecting: token), String(describing: Optional(token)), dumped] {
      #expect(text.contains("***") && !text.contains("0123"), "\(text)")
    }
  }
}
