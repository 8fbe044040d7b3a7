import Settings

/// One lease, from the API's object.
struct LeaseText {
  private let lease: JSON

  init(_ lease: JSON) { self.lease = lease }

  var id: String { lease["id"]?.string ?? "" }
  var profile: String { lease["profile"]?.string ?? "" }
  var holder: String { lease["by"]?.string ?? "" }
  /// Nil for all.
  var proxies: [String]? {
    if case .array(let names)? = lease["proxies"] { names.compactMap(\.string) } else { nil }
  }

  func covers(_ proxy: String) -> Bool { proxies?.contains(proxy) ?? true }

  /// `lease hkqz-7: offline, until 2026-11-30T10:01:00.000Z`
  var line: String {
    "lease \(id.printable): \(profile.printable), until \((lease["expires_at"]?.string ?? "").printable)\n"
  }

  static func table(_ leases: [JSON]) -> TextTable {
    var table = TextTable(["LEASE", "PROFILE", "PROXIES", "BY", "ENDS IN", "REASON"], rightAligned: [4])
    for json in leases {
      let lease = LeaseText(json)
      table.add([
        lease.id, lease.profile, lease.proxies?.joined(separator: ", ") ?? "all", lease.holder,
        time(milliseconds: json["expires_in_ms"]?.integerValue ?? 0), json["reason"]?.string ?? "",
      ])
    }
    return table
  }

  /// In whole seconds, less than ten of them in tenths: `9.5s`, `59s`, `2m05s`, `1h00m`.
  static func time(milliseconds: Int64) -> String {
    func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let seconds = milliseconds / 1_000
    if seconds < 10 { return "\(seconds).\(milliseconds % 1_000 / 100)s" }
    if seconds < 60 { return "\(seconds)s" }
    if seconds < 3_600 { return "\(seconds / 60)m\(two(seconds % 60))s" }
    return "\(seconds / 3_600)h\(two(seconds / 60 % 60))m"
  }
}

extension ControlClient {
  /// Newest first.
  func leases() throws(CommandError) -> [JSON] { try get("/leases")["leases"]?.array ?? [] }
}
