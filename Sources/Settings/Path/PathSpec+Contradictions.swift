import Conditioning

// Fields that are right by themselves and not beside each other.
extension PathSpec {
  func refuseContradictions(_ fields: Fields) throws(SettingsError) {
    if trace != nil, timeline != nil {
      throw fields.refusal("timeline", allowed: "none beside a trace, as both say what changes when")
    }
    for direction in Direction.allCases where trace?[direction] != nil && bytesPerSecond(direction) != nil {
      throw fields.refusal(
        "\(direction)_bytes_per_second", allowed: "none beside a trace of that direction, which says what passes")
    }
    if let queue { try refuseQueueWithoutRate(queue, fields) }
    if let need, timeline == nil { try refuseTooFast(for: need, fields) }
  }

  func refuseQueueWithoutRate(_ queue: QueueSpec, _ fields: Fields) throws(SettingsError) {
    let paths = [self] + (timeline?.steps.map(\.path) ?? [])
    guard !paths.contains(where: \.hasRate) else { return }
    throw fields.refusal(
      queue.key,
      allowed: "only with downstream_bytes_per_second, upstream_bytes_per_second or a trace, as without a rate nothing "
        + "waits")
  }

  private var hasRate: Bool { downstreamBytesPerSecond != nil || upstreamBytesPerSecond != nil || trace != nil }

  func refusePlainModel(_ fields: Fields) throws(SettingsError) {
    guard let need else { return }
    throw fields.refusal("model", allowed: "\"tcp\" with \(need), as \"plain\" shows delay and rate only")
  }

  /// Refuses a direction that TCP can't be modelled at.
  ///
  /// - Parameters:
  ///   - need: what can be shown with TCP only.
  ///   - fields: those of the path, or of a step's path.
  ///   - whole: those of the path that a step changes.
  func refuseTooFast(for need: String, _ fields: Fields, orElse whole: Fields? = nil) throws(SettingsError) {
    guard let excess else { return }
    let rateKey = "\(excess.direction)_bytes_per_second"
    let rates = "a whole number from 0 to \(Self.fastestModelled)"
    let reason = "as TCP, which \(need) needs, is modelled only up to that"
    switch excess.cause {
    case .rate:
      let owner = fields.value(rateKey) == nil ? whole ?? fields : fields
      throw owner.refusal(rateKey, allowed: "\(rates), \(reason)")
    case .noRate:
      let latency = JSON.decimalText(of: Self.leastLatencyMilliseconds)
      throw fields.refusal(
        rateKey, allowed: "\(rates), or else a latency_ms of at least \(latency), \(reason)")
    case .trace:
      throw SettingsError(
        source: fields.source, field: fields.pathOf("trace"),
        message: "delivers \(excess.rateText) bytes per second \(excess.direction); allowed: at most "
          + "\(Self.fastestModelled), \(reason)")
    }
  }
}
