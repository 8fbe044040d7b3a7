import Proxying
import Settings

/// What there is to be named at this moment. Somebody is waiting at a prompt: what doesn't answer at once has no names.
struct KnownNames {
  struct Name: Equatable {
    let name: String
    let summary: String
  }

  private static let patience = Duration.milliseconds(500)
  /// Nobody completes a longer one.
  private static let nameBytesMax = 256

  private let arguments: Arguments
  private let client: ControlClient?

  init(_ arguments: Arguments) {
    self.arguments = arguments
    client = try? ControlClient(arguments)
  }

  /// - Parameter owners: the proxy of toxics; of attributes the toxic or its type, too.
  func names(_ kind: NameKind, of owners: [String]) -> [Name] {
    switch kind {
    case .profiles: profiles
    case .proxies: proxies
    case .toxics: owners.first.map(toxics) ?? []
    case .leases: listed("/leases", "leases") { "\(text($0, "profile")), by \(text($0, "by"))" }
    case .sessions: listed("/sessions", "sessions") { "\(text($0, "proxy")), \(text($0, "client"))" }
    case .attributes: attributes(owners)
    }
  }

  static func lines(_ names: [Name]) -> String {
    names.filter { $0.name.utf8.count <= nameBytesMax && $0.name.printable == $0.name }
      .map { "\($0.name)\t\($0.summary.printable)\n" }.joined()
  }

  static func json(_ names: [Name]) -> JSON {
    .object([("names", .array(names.map { ["name": .string($0.name), "summary": .string($0.summary)] }))])
  }

  // MARK: Kinds

  private var profiles: [Name] {
    if Command.isRemote(arguments), let there = get("/profiles")?["profiles"]?.array {
      return there.compactMap { name($0, "name", text($0, "summary")) }
    }
    return ((try? Command.local(arguments).profiles) ?? []).map { Name(name: $0.name, summary: $0.summary) }
  }

  private var proxies: [Name] {
    (get("/proxies")?.members ?? []).map {
      Name(name: $0.0, summary: "\(text($0.1, "listen")) to \(text($0.1, "upstream"))")
    }
  }

  private func toxics(of proxy: String) -> [Name] {
    (get("/proxies/\(percentEncoded(proxy))/toxics")?.array ?? []).compactMap { toxic in
      name(toxic, "name", "\(text(toxic, "type")) \(text(toxic, "stream"))")
    }
  }

  private func attributes(_ owners: [String]) -> [Name] {
    let type = owners.dropFirst().first.flatMap { word in ToxicType(rawValue: word) ?? typeOfToxic(word, owners[0]) }
    var known: Set<String> = []
    return (type.map { [$0] } ?? ToxicType.allCases).flatMap { $0.attributes(isLenient: true) }
      .filter { known.insert($0.name).inserted }
      .map { Name(name: "\($0.name)=", summary: $0.summary) }
  }

  private func typeOfToxic(_ toxic: String, _ proxy: String) -> ToxicType? {
    get("/proxies/\(percentEncoded(proxy))/toxics/\(percentEncoded(toxic))")?["type"]?.string.flatMap(ToxicType.init)
  }

  private func listed(_ target: String, _ key: String, _ summary: (JSON) -> String) -> [Name] {
    (get(target)?[key]?.array ?? []).compactMap { name($0, "id", summary($0)) }
  }

  // MARK: Asking

  private func get(_ target: String) -> JSON? {
    guard let client else { return nil }
    let outcome = client.exchange("GET", target, timeout: KnownNames.patience)
    return try? client.read(outcome, timeout: KnownNames.patience, isQuiet: true)
  }

  private func name(_ object: JSON, _ key: String, _ summary: String) -> Name? {
    let name = text(object, key)
    return name.isEmpty ? nil : Name(name: name, summary: summary)
  }

  private func text(_ object: JSON, _ key: String) -> String {
    switch object[key] {
    case .string(let text)?: text
    case .integer(let number)?: String(number)
    default: ""
    }
  }
}
