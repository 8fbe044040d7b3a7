import Conditioning
import Proxying
import Reactor
import Settings

// Headwind's own calls.
extension API {
  var nativeRoutes: [Route] {
    [
      Route(
        "profiles",
        [
          "GET": { [unowned self] _, _ in .now(listProfiles()) }
        ]),
      Route(
        "profiles/{}",
        [
          "GET": { [unowned self] _, names throws(APIError) in .now(.json(try profile(named: names[0]).json)) },
          "PUT": { [unowned self] request, names throws(APIError) in try define(request, names[0]) },
          "DELETE": { [unowned self] _, names throws(APIError) in try undefine(names[0]) },
        ]),
      Route(
        "profile",
        [
          "GET": { [unowned self] _, _ in .now(.json(registry.inForce(for: nil).json)) },
          "DELETE": { [unowned self] request, _ in .now(clear(nil)) },
        ]),
      Route(
        "profile/{}",
        ["PUT": { [unowned self] request, names throws(APIError) in try put(names[0], for: nil, request) }]),
      Route(
        "proxies/{}/profile",
        [
          "GET": { [unowned self] _, names throws(APIError) in
            .now(.json(registry.inForce(for: try proxy(names[0])).json))
          },
          "DELETE": { [unowned self] _, names throws(APIError) in .now(clear(try proxy(names[0]))) },
        ]),
      Route(
        "proxies/{}/profile/{}",
        [
          "PUT": { [unowned self] request, names throws(APIError) in
            try put(names[1], for: try proxy(names[0]), request)
          }
        ]),
      Route(
        "proxies/{}/counters",
        ["GET": { [unowned self] _, names throws(APIError) in .now(counters(try proxy(names[0]))) }]),
      Route("sessions", ["GET": { [unowned self] request, _ throws(APIError) in .now(try listSessions(request)) }]),
      Route("sessions/{}", ["DELETE": { [unowned self] _, ids throws(APIError) in try endSession(ids[0]) }]),
      Route("events", ["GET": { [unowned self] request, _ throws(APIError) in try listEvents(request) }]),
      Route("traffic", ["GET": { [unowned self] request, _ throws(APIError) in .now(try countTraffic(request)) }]),
      Route("healthz", ["GET": { [unowned self] _, _ in .now(health()) }]),
      Route("readyz", ["GET": { [unowned self] _, _ in .now(readiness()) }]),
      Route("openapi.json", ["GET": { [unowned self] _, _ in .now(description) }]),
    ]
  }

  // MARK: Profiles

  private func listProfiles() -> APIResponse {
    .json(.object([("profiles", .array(registry.catalogue.profiles.map(\.json)))]))
  }

  /// - Parameter status: what an unknown name is answered with: 404 where it is the path's, 400 where it is the body's.
  func profile(named name: String, status: Int = 404) throws(APIError) -> Profile {
    do throws(UnknownProfile) {
      return try registry.catalogue.profile(named: name)
    } catch {
      throw APIError(status, error.description)
    }
  }

  private func define(_ request: APIRequest, _ name: String) throws(APIError) -> APIAnswer {
    let profile: Profile
    do throws(SettingsError) {
      profile = try Profile(text: request.body, source: "request body", expectedName: name)
    } catch {
      throw APIError(400, error.description)
    }
    if !registry.catalogue.isDefined(name) {
      let count = registry.catalogue.definedCount + 1
      try refusing { () throws(RegistryError) in try registry.require(.profiles, count, "profiles defined by calls") }
    }
    let isNew = registry.catalogue[name] == nil
    do throws(SettingsError) { try registry.catalogue.define(profile) } catch { throw APIError(400, error.description) }
    registry.catalogueChanged()
    return .now(.json(profile.json, status: isNew ? 201 : 200))
  }

  private func undefine(_ name: String) throws(APIError) -> APIAnswer {
    let profile = try profile(named: name)
    let owners = registry.proxies.filter { $0.ownProfile.holds(profile.name) }.map { JSON.string($0.name).excerpt }
    let places =
      (registry.profile.holds(profile.name) ? ["for all proxies (DELETE /profile)"] : [])
      + owners.prefix(3).map { "for proxy \($0) (DELETE /proxies/…/profile)" }
    guard places.isEmpty else {
      let all = places.joined(separator: ", ") + (owners.count > 3 ? " and others" : "")
      throw APIError(409, "profile \"\(profile.name)\" is in force \(all); switch to another one first")
    }
    if let rule = rule(naming: profile) {
      throw APIError(409, "profile \"\(profile.name)\" is named by the rule \(rule); remove that first")
    }
    if let lease = registry.lease(holding: profile) { throw APIError(holding: profile, lease) }
    guard registry.catalogue.remove(profile.name) != nil else {
      throw APIError(409, "profile \"\(profile.name)\" can't be removed")
    }
    return .now(.noContent)
  }

  /// - Parameter proxy: nil for all that have no profile of their own.
  private func put(_ name: String, for proxy: Proxy?, _ request: APIRequest) throws(APIError) -> APIAnswer {
    try request.refuseUnknownQuery(["for"])
    let profile = try profile(named: name)
    var duration: Interval?
    if let text = request.query("for") {
      do {
        duration = Interval(try DurationText.parse(text))
      } catch {
        throw APIError(400, "\(error)")
      }
    }
    (proxy?.ownProfile ?? registry.profile).set(profile, for: duration, cause: .set)
    return .now(answerInForce(for: proxy))
  }

  private func clear(_ proxy: Proxy?) -> APIResponse {
    (proxy?.ownProfile ?? registry.profile).set(nil, cause: .cleared)
    return answerInForce(for: proxy)
  }

  /// With a warning where a lease keeps what was just set from being in force.
  private func answerInForce(for proxy: Proxy?) -> APIResponse {
    let inForce = registry.inForce(for: proxy)
    return .json(inForce.json).warning(inForce.warnings)
  }

  // MARK: Counters

  /// What a proxy has carried since it was made, counted while it flows.
  private func counters(_ proxy: Proxy) -> APIResponse {
    func bytes(_ bytes: Counters.Bytes) -> JSON {
      .object([("received_bytes", .integer(bytes.received)), ("sent_bytes", .integer(bytes.sent))])
    }
    let counters = proxy.counters
    return .json(
      .object([
        ("sessions", .integer(Int64(counters.sessions))), ("dial_failures", .integer(Int64(counters.dialFailures))),
        ("drops", .integer(Int64(counters.drops))), ("exhaustions", .integer(Int64(proxy.exhaustions))),
        ("upstream", bytes(counters.upstream)), ("downstream", bytes(counters.downstream)),
      ]))
  }

  // MARK: Sessions

  private func listSessions(_ request: APIRequest) throws(APIError) -> APIResponse {
    try request.refuseUnknownQuery(["proxy"])
    let wanted = request.query("proxy")
    let sessions = registry.sessions.filter { wanted == nil || $0.proxy.name == wanted }
    return .json(.object([("sessions", .array(sessions.map(json(of:))))]))
  }

  private func json(of session: Session) -> JSON {
    .object([
      ("id", .integer(Int64(session.id))), ("proxy", .string(session.proxy.name)),
      ("number", .integer(Int64(session.number))), ("state", .string(session.state.rawValue)),
      ("client", .string(session.client.description)),
      ("upstream", .string(session.upstreamAddress?.description ?? session.proxy.upstream)),
      ("target", session.target.map(JSON.string)), ("rule", session.rule.map(JSON.string)),
      ("profile", .string(session.profileName ?? "none")),
      ("opened_at", .string(session.openedAt.description)),
      ("upstream_bytes", .integer(session.upstreamBytes)), ("downstream_bytes", .integer(session.downstreamBytes)),
      ("buffered_bytes", .integer(Int64(session.bufferedBytes))),
      ("upstream_delay_ms", .number(session.delay(.upstream).milliseconds)),
      ("downstream_delay_ms", .number(session.delay(.downstream).milliseconds)),
      ("decisions", .array(session.decisions.map(\.json))),
    ])
  }

  private func endSession(_ text: String) throws(APIError) -> APIAnswer {
    guard let id = Int(text) else {
      throw APIError(400, "session id \(JSON.string(String(text.prefix(40))).text) is not a whole number")
    }
    guard let session = registry.session(id) else { throw APIError(404, "session not found") }
    session.end()
    return .now(.noContent)
  }

  // MARK: Operations

  private func health() -> APIResponse {
    .json(.object([("status", "ok"), ("headwind", .string(Version.current)), ("seed", .unsigned(registry.seed))]))
  }

  private func readiness() -> APIResponse {
    isReady
      ? .json(.object([("status", "ready"), ("pid", .integer(Int64(ThisProcess.identifier)))]))
      : APIError(503, "not every configured listener is bound yet").response()
  }
}

extension Decision {
  var json: JSON {
    .object([
      ("toxic", .string(toxic)), ("stream", .string(direction.rawValue)),
      ("exchange", exchange.map { .integer(Int64($0)) }), ("outcome", .string(outcome.name)),
      ("how", outcome.how.map(JSON.string)),
    ])
  }
}
