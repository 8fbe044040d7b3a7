import Testing

@testable import Settings

/// Valid documents, damaged at random: every reader either takes the result or says in one line what is wrong.
@Suite struct MutationTests {
  private static let documents = EmbeddedProfiles.files.map(\.text) + Documents.all

  private static let fragments =
    [
      "{", "}", "[", "]", ",", ":", "\"", "'", "\\", "\\u", "\\ud800", "//", "/*", "-", "1e999", "0x", "NaN", "null",
      "true",
      "99999999999999999999", "-1", "\u{FEFF}", "\n", "\0", "é", "name", "toxics",
    ].map(\.bytes) + [[0xFF], [0xC3], [0xF0, 0x9F]]

  private static func mutate(_ text: [UInt8], _ dice: inout Dice) -> [UInt8] {
    var text = text
    for _ in 0..<Int.random(in: 1...4, using: &dice) where !text.isEmpty {
      let start = Int.random(in: 0..<text.count, using: &dice)
      let end = min(text.count, start + Int.random(in: 0...6, using: &dice))
      switch Int.random(in: 0..<5, using: &dice) {
      case 0: text.removeSubrange(start..<end)
      case 1: text.insert(contentsOf: fragments.randomElement(using: &dice) ?? [], at: start)
      case 2: text.replaceSubrange(start..<end, with: fragments.randomElement(using: &dice) ?? [])
      case 3: text[start] = UInt8.random(in: .min ... .max, using: &dice)
      default: text.removeLast(text.count - start)
      }
    }
    return text
  }

  private static let readers: [@Sendable ([UInt8]) throws -> Void] = [
    { _ = try Profile(text: $0, source: "file") },
    { _ = try Config(text: $0, source: "file") },
    { _ = try ClassicToxic.read(body: $0).spec() },
    { _ = try ToxicSpec(.latency(milliseconds: 1, jitterMilliseconds: 1), stream: .upstream).updated(body: $0) },
    { _ = try ProxySpec.classicCreate(body: $0) },
    { _ = try ProxySpec.classicPopulate(body: $0) },
    { _ = try ProxyUpdate.classic(body: $0) },
    { _ = try Endpoint(parsing: String(decoding: $0.prefix(40), as: UTF8.self)) },
    { _ = try DurationText.parse(String(decoding: $0.prefix(10), as: UTF8.self)) },
  ]

  @Test func damageIsNeverSilentNorFatal() {
    var dice = Dice(state: 3)
    var refusals = 0
    for round in 0..<300 {
      let text = Self.mutate(Self.documents[round % Self.documents.count].bytes, &dice)
      for read in Self.readers {
        do {
          try read(text)
        } catch {
          refusals += 1
          let message = "\(error)"
          #expect(!message.isEmpty)
          #expect(message.utf8.count < 1_000)
          #expect(message.allSatisfy { !$0.isNewline && $0 != "\0" })
        }
      }
    }
    #expect(refusals > 500, "the damage is real")
  }

  /// What is accepted is understood: written again and read again, it is the same.
  @Test func acceptedProfilesComeBackTheSame() throws {
    var dice = Dice(state: 4)
    var accepted = 0
    for round in 0..<1_000 {
      let text = Self.mutate(EmbeddedProfiles.files[round % EmbeddedProfiles.files.count].text.bytes, &dice)
      guard let profile = try? Profile(text: text, source: "file") else { continue }
      accepted += 1
      #expect(try Profile(text: profile.json.text.utf8, source: "again") == profile)
    }
    #expect(accepted > 50, "the test looks at something")
  }
}
