/// The limits that somebody has set, each with the words that say where: `--max-proxies`, or `FILE: max_proxies`.
package struct LimitSettings: Hashable, Sendable {
  private var given: [Limit: Given] = [:]

  private struct Given: Hashable, Sendable {
    var value: Int
    var place: String
  }

  package init() {}

  /// Nil where nobody has said anything.
  package subscript(limit: Limit) -> Int? { given[limit]?.value }

  package mutating func set(_ limit: Limit, _ value: Int, place: String) {
    given[limit] = Given(value: value, place: place)
  }

  package var all: [Limit] { Limit.allCases.filter { given[$0] != nil } }

  /// What holds for each. A usual value that another limit makes senseless gives way to that.
  package var values: [Limit: Int] {
    var values = Dictionary(uniqueKeysWithValues: Limit.allCases.map { ($0, self[$0] ?? $0.usual) })
    for rule in LimitSettings.order {
      guard let part = values[rule.part], let whole = values[rule.whole] else { continue }
      values[rule.part] = min(part, max(1, whole - rule.less))
    }
    return values
  }

  /// The first of those that somebody has set which another one makes senseless, in words.
  package var contradiction: String? {
    for rule in LimitSettings.order {
      guard let part = given[rule.part] else { continue }
      let whole = self[rule.whole] ?? rule.whole.usual
      guard part.value > whole - rule.less else { continue }
      let most = rule.less == 0 ? "at most" : "less than"
      return "\(part.place) is \(part.value); allowed: \(most) \(rule.whole.flag), which is \(whole)"
    }
    return nil
  }

  /// What is a part of something can't be more than it.
  private static let order: [(part: Limit, whole: Limit, less: Int)] = [
    (.connectionsPerProxy, .connections, 0), (.linkBufferBytes, .bufferBytes, 0), (.toxicsPerProxy, .toxics, 0),
    // Some connection has to be left for calls.
    (.eventStreams, .controlConnections, 1),
  ]
}
