import Testing

@testable import Settings

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Foundation's decoder as a second opinion: where it takes a text, ours reads the same; what ours writes, it takes.
@Suite struct JSONOracleTests {
  @Test(arguments: 0..<200)
  func bothReadTheSame(seed: UInt64) throws {
    var dice = Dice(state: seed)
    let value = JSON.random(&dice, depth: 4)
    let text = Array(value.text.utf8)
    for dialect in [JSONReader.Dialect.lenient, .json5] {
      #expect(try JSONReader.read(text, dialect: dialect) == value)
    }
    #expect(try foundation(text) == value.canonical, "\(value)")
  }

  /// Single bytes changed, dropped or doubled: mostly no JSON any more, and then both must say so.
  @Test(arguments: 0..<200)
  func brokenTextsAreBrokenToBoth(seed: UInt64) {
    var dice = Dice(state: seed)
    var text = Array(JSON.random(&dice, depth: 3).text.utf8)
    for _ in 0..<8 where !text.isEmpty {
      let index = Int(dice.next() % UInt64(text.count))
      switch dice.next() % 3 {
      case 0: text[index] = UInt8(ascii: "0") + UInt8(dice.next() % 80)
      case 1: text.remove(at: index)
      default: text.insert(text[index], at: index)
      }
      guard let theirs = try? foundation(text) else { continue }
      // Foundation lets a comma before a closing bracket pass, and keeps the first of two equal keys; we mustn't.
      guard let ours = try? JSONReader.read(text, dialect: .json5), !ours.hasEqualKeys else { continue }
      #expect(ours.canonical == theirs, "\(String(decoding: text, as: UTF8.self))")
    }
  }

  private func foundation(_ text: [UInt8]) throws -> JSON {
    try JSONDecoder().decode(Decoded.self, from: Data(text)).value.canonical
  }
}

extension JSON {
  fileprivate static func random(_ dice: inout Dice, depth: Int) -> JSON {
    switch dice.next() % (depth > 0 ? 8 : 6) {
    case 0: return .null
    case 1: return .bool(dice.next() % 2 == 0)
    case 2: return .integer(Int64(bitPattern: dice.next()))
    case 3: return .integer(Int64(dice.next() % 1_000))
    case 4: return .number((Double(dice.next() >> 34) + 0.5) / 1_024)
    case 5: return .string(String(["", "web", "é\"\\\n", "😀<&>", "\u{2028}"][Int(dice.next() % 5)]))
    case 6: return .array((0..<dice.next() % 4).map { _ in random(&dice, depth: depth - 1) })
    default:
      return .object((0..<dice.next() % 4).map { ("k\($0)", JSON?.some(random(&dice, depth: depth - 1))) })
    }
  }

  /// Foundation doesn't keep the order of keys.
  fileprivate var canonical: JSON {
    switch self {
    case .array(let elements): .array(elements.map(\.canonical))
    case .object(let object): .object(JSONObject(object.members.map { ($0.key, $0.value.canonical) }).sorted())
    default: self
    }
  }

  fileprivate var hasEqualKeys: Bool {
    switch self {
    case .array(let elements): elements.contains(where: \.hasEqualKeys)
    case .object(let object):
      Set(object.members.map(\.key)).count < object.members.count || object.members.contains { $0.value.hasEqualKeys }
    default: false
    }
  }
}

/// A JSON value by way of Foundation.
private struct Decoded: Decodable {
  let value: JSON

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  init(from decoder: any Decoder) throws {
    if let container = try? decoder.container(keyedBy: Key.self) {
      value = .object(
        JSONObject(try container.allKeys.map { ($0.stringValue, try container.decode(Decoded.self, forKey: $0).value) })
      )
    } else if var container = try? decoder.unkeyedContainer() {
      var elements: [JSON] = []
      while !container.isAtEnd { elements.append(try container.decode(Decoded.self).value) }
      value = .array(elements)
    } else {
      value = try Decoded.scalar(decoder.singleValueContainer())
    }
  }

  private static func scalar(_ container: any SingleValueDecodingContainer) throws -> JSON {
    if container.decodeNil() { return .null }
    if let value = try? container.decode(Bool.self) { return .bool(value) }
    if let value = try? container.decode(String.self) { return .string(value) }
    if let value = try? container.decode(Int64.self) { return .integer(value) }
    if let value = try? container.decode(UInt64.self) { return .unsigned(value) }
    return .number(try container.decode(Double.self))
  }
}
