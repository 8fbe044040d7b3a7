import Reactor
import Settings

extension Command {
  static let use = Command(
    name: "use",
    summary: "Switch a running daemon to a profile.",
    operands: [.optional("PROFILE", .name(.profiles))],
    options: [
      .control, .tokenFile,
      OptionSpec(name: "--proxy", value: "NAME", kind: .name(.proxies), help: "Switch this proxy alone."),
      OptionSpec(
        name: "--for", value: "TIME", help: "Return to the profile before by itself, such as 30s: as a lease does."),
      OptionSpec(name: "--clear", help: "Instead of PROFILE: take the profile away, the proxy's own with --proxy."),
      .json,
    ],
    details: """
      `headwind use none` lets everything pass again. With --proxy NAME the proxy's own profile comes before the global
      one; `none` there makes it pass whatever the others do, and `headwind use --proxy NAME --clear` puts it under the
      global one again. The last of these commands counts, with --for or without; leases that others have taken come
      before a switch without --for, and are then named.

      Examples:
        headwind use 3g
        headwind use offline --proxy api --for 30s
      """,
    run: { arguments throws(CommandError) in
      let switching = try Switching(arguments)
      let lease = try switching.make()
      let inForce = try switching.inForce()
      StandardOutput.write(arguments.has("--json") ? inForce.text + "\n" : try switching.text(inForce))
      try switching.warn(of: inForce, unless: lease)
    })
}

/// One call of `headwind use`.
private struct Switching {
  /// Who holds the leases of this command: the next one for the same proxies ends them.
  static let holder = "headwind use"

  private let client: ControlClient
  /// Nil for all proxies.
  private let proxy: ProxyCall?
  /// Nil to take the profile away.
  private let profile: String?
  private let time: String?

  init(_ arguments: Arguments) throws(CommandError) {
    _ = try arguments.duration("--for")
    switch (arguments.operands.first, arguments.has("--clear")) {
    case (nil, false): throw arguments.usage("missing: PROFILE")
    case (let name?, true): throw arguments.usage("--clear and the profile \(quoted(name)) exclude each other")
    case (nil, true) where arguments.has("--for"): throw arguments.usage("--clear and --for exclude each other")
    default: break
    }
    let client = try ControlClient(arguments)
    self.client = client
    proxy = arguments.value("--proxy").map { ProxyCall($0, client) }
    (profile, time) = (arguments.operands.first, arguments.value("--for"))
  }

  private var place: String { (proxy.map { "/proxies/\(percentEncoded($0.name))" } ?? "") + "/profile" }
  private var whose: String { proxy.map { "proxy \($0.name.printable)" } ?? "all proxies" }

  func inForce() throws(CommandError) -> JSON { try client.get(place, about: proxy?.subject, wayOut: wayOut) }

  private func wayOut(_ refusal: String) -> String? { proxy?.wayOut(of: refusal) }

  /// - Returns: the identifier of the lease that was taken; nil for a lasting switch.
  func make() throws(CommandError) -> String? {
    let earlier = try client.leases().map(LeaseText.init).filter { $0.holder == Self.holder && isOfThisScope($0) }
    let lease = try put()
    // Only now, so that no other profile is in force for a moment. One that has ended by itself is no matter.
    for old in earlier { _ = try? client.send("DELETE", "/leases/\(percentEncoded(old.id))") }
    return lease
  }

  private func isOfThisScope(_ lease: LeaseText) -> Bool { lease.proxies == proxy.map { [$0.name] } }

  private func put() throws(CommandError) -> String? {
    guard let profile else {
      try client.send("DELETE", place, about: proxy?.subject, isQuiet: true, wayOut: wayOut)
      return nil
    }
    guard let time else {
      let target = "\(place)/\(percentEncoded(profile))"
      try client.send("PUT", target, about: proxy?.subject, isQuiet: true, wayOut: wayOut)
      return nil
    }
    // A proxy that isn't there is told in this command's words.
    if proxy != nil { _ = try inForce() }
    let terms = JSON.object([
      ("profile", .string(profile)), ("proxies", proxy.map { [.string($0.name)] }), ("for", .string(time)),
      ("by", .string(Self.holder)),
    ])
    return try client.send("POST", "/leases", body: terms)["id"]?.string
  }

  // MARK: Telling

  func text(_ inForce: JSON) throws(CommandError) -> String {
    let lease = inForce["lease"].flatMap { $0["id"]?.string }
    guard proxy == nil || profile != nil || lease != nil else {
      let global = try client.get("/profile")["name"]?.string ?? "none"
      return "\(whose): no profile of its own, that of all proxies is \(global)\n"
    }
    let until = inForce["reverts_at"]?.string.map { ", until \($0)" } ?? ""
    let how = lease.map { " (lease \($0))" } ?? ""
    return "\(whose): \(inForce["name"]?.string ?? "none")\(until)\(how)\n"
  }

  /// Somebody's lease comes before what was asked for, here or for some of the proxies.
  func warn(of inForce: JSON, unless own: String?) throws(CommandError) {
    if proxy == nil, own == nil {
      for lease in try client.leases() { if case .array? = lease["proxies"] { warn(ofSome: LeaseText(lease)) } }
    }
    guard let lease = inForce["lease"], let id = lease["id"]?.string, id != own else { return }
    client.warn(
      "\(whose): \(lease["profile"]?.string ?? "") stays in force until \(lease["expires_at"]?.string ?? ""), by lease "
        + "\(id) of \(lease["by"]?.string ?? ""); to end it now: headwind leases release \(id)")
  }

  private func warn(ofSome lease: LeaseText) {
    let names = (lease.proxies ?? []).joined(separator: ", ")
    client.warn(
      "proxy \(names): \(lease.profile) stays in force, by lease \(lease.id) of \(lease.holder); to end it now: headwind "
        + "leases release \(lease.id)")
  }
}
