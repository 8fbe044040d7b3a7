import Proxying
import Reactor
import Settings

// Leases: a profile for some proxies, or all, with a holder and an end.
extension API {
  var leaseRoutes: [Route] {
    [
      Route(
        "leases",
        [
          "GET": { [unowned self] _, _ in .now(listLeases()) },
          "POST": { [unowned self] request, _ throws(APIError) in .now(try takeLease(request)) },
        ]),
      Route(
        "leases/{}",
        [
          "GET": { [unowned self] _, ids throws(APIError) in .now(json(of: try lease(ids[0]))) },
          "DELETE": { [unowned self] _, ids throws(APIError) in
            try refusing { () throws(RegistryError) in try registry.releaseLease(ids[0]) }
            return .now(.noContent)
          },
        ]),
      Route(
        "leases/{}/renew",
        ["POST": { [unowned self] request, ids throws(APIError) in .now(try renewLease(ids[0], request)) }]),
    ]
  }

  private func lease(_ id: String) throws(APIError) -> Lease {
    try refusing { () throws(RegistryError) in try registry.lease(id) }
  }

  private func listLeases() -> APIResponse {
    let now = WallTime.now
    return .json(.object([("leases", .array(registry.liveLeases.map { $0.json(at: now) }))]))
  }

  private func json(of lease: Lease, status: Int = 200) -> APIResponse { .json(lease.json(at: .now), status: status) }

  private func takeLease(_ request: APIRequest) throws(APIError) -> APIResponse {
    let terms = try readingSettings { () throws(SettingsError) in
      try LeaseTerms(text: request.body, source: "request body")
    }
    let profile = try profile(named: terms.profile, status: 400)
    for (index, name) in (terms.proxies ?? []).enumerated() where (try? registry.proxy(named: name)) == nil {
      let known = registry.proxies.prefix(20).map { JSON.string($0.name).text }.joined(separator: ", ")
      throw APIError(
        400,
        "proxies[\(index)] is \(JSON.string(String(name.prefix(60))).text); allowed: the name of a proxy that there is"
          + (known.isEmpty ? ", and there is none" : "; known: \(known)"))
    }
    let lease = try refusing { () throws(RegistryError) in try registry.take(terms, profile: profile) }
    var response = json(of: lease, status: 201)
    response.headers.append(("Location", "/leases/\(lease.id)"))
    return response
  }

  private func renewLease(_ id: String, _ request: APIRequest) throws(APIError) -> APIResponse {
    // That it has ended is told before what is wrong with the body.
    _ = try lease(id)
    let length = try readingSettings { () throws(SettingsError) in
      try LeaseTerms.renewal(text: request.body, source: "request body")
    }
    return json(of: try refusing { () throws(RegistryError) in try registry.renewLease(id, for: length) })
  }

  private func readingSettings<T>(_ body: () throws(SettingsError) -> T) throws(APIError) -> T {
    do throws(SettingsError) {
      return try body()
    } catch {
      throw APIError(400, error.description)
    }
  }
}

// MARK: Shapes

extension Lease {
  fileprivate func json(at now: WallTime) -> JSON {
    .object([
      ("id", .string(id)), ("profile", .string(profile.name)),
      ("proxies", proxies.map { .array($0.map(JSON.string)) } ?? .null), ("by", .string(holder)),
      ("reason", reason.map(JSON.string) ?? .null), ("created_at", .string(createdAt.description)),
      ("expires_at", .string(expiresAt.description)),
      ("expires_in_ms", .integer(max(0, (expiresAt.nanoseconds - now.nanoseconds) / 1_000_000))),
    ])
  }

  /// Why what was set is not in force. The holder comes last: a long name may be cut off.
  fileprivate var covering: String {
    "lease \(id) covers this: \(profile.name) stays in force until \(expiresAt), held by \(holder)"
  }
}

extension ProfileInForce {
  var json: JSON {
    let lease = lease.map { lease -> JSON in
      .object([
        ("id", .string(lease.id)), ("by", .string(lease.holder)), ("profile", .string(lease.profile.name)),
        ("expires_at", .string(lease.expiresAt.description)),
      ])
    }
    return .object([
      ("name", .string(profile?.name ?? "none")), ("since", .string(since.description)),
      ("reverts_at", revertsAt.map { .string($0.description) } ?? .null), ("lease", lease ?? .null),
      ("step", step?.json),
    ])
  }

  /// What is odd about a switch that this is the outcome of.
  var warnings: [String] { lease.map { [$0.covering] } ?? [] }
}

extension PathStep {
  var json: JSON {
    .object([
      ("index", .integer(Int64(index))), ("name", .string(name)), ("round", .integer(Int64(round))),
      ("since", .string(since.description)), ("until", until.map { .string($0.description) } ?? .null),
    ])
  }
}

extension APIError {
  /// A profile can't go while a lease holds it.
  init(holding profile: Profile, _ lease: Lease) {
    self.init(
      409,
      "profile \"\(profile.name)\" is held by lease \(lease.id) of \(JSON.string(lease.holder).text) until \(lease.expiresAt)"
    )
  }
}
