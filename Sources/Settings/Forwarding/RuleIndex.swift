/// Finds the first of many rules that matches a host without a look at each: rules for one name, or for all names below
/// one, are found by that name. A change of rules asks for every live session, and there may be thousands of both.
struct RuleIndex: Hashable, Sendable {
  private let rules: [HostRule]
  /// The places of rules such as `example.com`, in order, by that name.
  private var named: [[UInt8]: [Int]] = [:]
  /// Those of rules such as `*.example.com`, by `.example.com`.
  private var below: [[UInt8]: [Int]] = [:]
  /// Those of all other rules.
  private var others: [Int] = []

  init(_ rules: [HostRule]) {
    self.rules = rules
    for (place, rule) in rules.enumerated() {
      switch rule.host.reach {
      case .name(let name): named[name, default: []].append(place)
      case .below(let suffix): below[suffix, default: []].append(place)
      case .other: others.append(place)
      }
    }
  }

  /// The first rule that matches; nil where none does.
  func first(_ name: HostName, port: UInt16) -> HostRule? {
    var best = place(in: named[name.bytes], port)
    if !below.isEmpty {
      for dot in name.bytes.indices where name.bytes[dot] == UInt8(ascii: ".") {
        best = min(best, place(in: below[Array(name.bytes[dot...])], port))
      }
    }
    let other = others.first { $0 >= best || rules[$0].host.matches(name, port: port) }
    best = min(best, other ?? rules.count)
    return best < rules.count ? rules[best] : nil
  }

  /// Of rules that match but for the port the first one; the number of all rules where there is none.
  private func place(in places: [Int]?, _ port: UInt16) -> Int {
    places?.first { rules[$0].host.port.map { $0 == port } ?? true } ?? rules.count
  }
}

extension HostPattern {
  /// How many names it may match, as far as that helps to find it.
  enum Reach {
    case name([UInt8])
    /// Every name with this end, which begins with a dot.
    case below([UInt8])
    case other
  }

  var reach: Reach {
    let bytes = Array(hostText.utf8)
    guard network == nil else { return .other }
    let stars = bytes.count { $0 == UInt8(ascii: "*") }
    if stars == 0 { return .name(bytes) }
    return stars == 1 && bytes.starts(with: "*.".utf8) ? .below(Array(bytes.dropFirst())) : .other
  }
}
