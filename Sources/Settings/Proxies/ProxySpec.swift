/// A proxy as configured.
package struct ProxySpec: Hashable, Sendable {
  package var name: String
  /// As given; empty: any interface, any port.
  package var listen: String
  /// As given; never resolved here. ``ProxyMode/anyUpstream`` for a forward proxy.
  package var upstream: String
  /// Nil: not said; a new proxy is `tcp` then, an existing one stays as it is.
  package var mode: ProxyMode?
  /// Nil: not said; a new proxy is enabled then, an existing one stays as it is.
  package var enabled: Bool?
  /// The profile of this proxy alone; nil: the global one applies.
  package var profile: String?
  /// Nil: not said.
  package var toxics: [ToxicSpec]?

  package init(
    name: String, listen: String = "", upstream: String, mode: ProxyMode? = nil, enabled: Bool? = nil,
    profile: String? = nil, toxics: [ToxicSpec]? = nil
  ) {
    self.name = name
    self.listen = listen
    self.upstream = upstream
    self.mode = mode
    self.enabled = enabled
    self.profile = profile
    self.toxics = toxics
  }
}

/// A change of a proxy through the API; nil fields stay as they are.
package struct ProxyUpdate: Hashable, Sendable {
  package var listen: String?
  package var upstream: String?
  /// Can't change; to be held against what it is.
  package var mode: ProxyMode?
  package var enabled: Bool?

  package init(listen: String? = nil, upstream: String? = nil, mode: ProxyMode? = nil, enabled: Bool? = nil) {
    self.listen = listen
    self.upstream = upstream
    self.mode = mode
    self.enabled = enabled
  }
}
