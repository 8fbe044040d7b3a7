/// What values attributes may have.
enum AttributeLimits {
  /// The classic API's: everything that the reference takes, but for values that would be nonsense to the engine.
  case classic
  /// Profiles, config files and native calls.
  case native

  var latencyMilliseconds: ClosedRange<Int64> { self == .classic ? .min ... .max : 0...600_000 }
  /// Classic: |jitter| below 2^62, so that twice the jitter still fits 64 bits.
  var jitterMilliseconds: ClosedRange<Int64> {
    self == .classic ? -(1 << 62) + 1...(1 << 62) - 1 : 0...600_000
  }
  /// Of a wait: before a close, for instance.
  var milliseconds: ClosedRange<Int64> { self == .classic ? .min ... .max : 0...86_400_000 }
  var microseconds: ClosedRange<Int64> { self == .classic ? .min ... .max : 0...60_000_000 }
  var bytes: ClosedRange<Int64> { self == .classic ? .min ... .max : 0...9_007_199_254_740_992 }
  /// Of a slicer.
  var pieceBytes: ClosedRange<Int64> { self == .classic ? .min ... .max : 1...1_000_000_000 }
  var kilobytesPerSecond: ClosedRange<Int64> {
    self == .classic ? 0...90_000_000_000_000_000 : 0...1_000_000_000
  }
}

extension ToxicAttributes {
  static let stallMilliseconds: ClosedRange<Int64> = 0...86_400_000

  package static func keys(of type: ToxicType) -> [String] {
    switch type {
    case .latency: ["latency", "jitter"]
    case .bandwidth: ["rate"]
    case .slowClose: ["delay"]
    case .timeout, .resetPeer: ["timeout"]
    case .slicer: ["average_size", "size_variation", "delay"]
    case .limitData: ["bytes"]
    case .noop: []
    case .drop: ["probability", "per", "how"]
    case .stall: ["for_ms"]
    }
  }

  /// The attributes of a new toxic.
  static func read(
    _ type: ToxicType, from fields: Fields, limits: AttributeLimits
  ) throws(SettingsError) -> ToxicAttributes {
    if type == .slicer, limits == .native, fields.value("average_size") == nil {
      throw fields.refusal("average_size", allowed: limits.pieceBytes.text)
    }
    if let defaults = defaults(of: type) { return try defaults.merged(fields, limits: limits) }
    guard fields.value("probability") != nil else {
      throw fields.refusal("probability", allowed: "a number from 0 to 1")
    }
    return try ToxicAttributes.drop(DropSpec(probability: 1)).merged(fields, limits: limits)
  }

  /// These attributes with the named ones replaced.
  func merged(_ fields: Fields, limits: AttributeLimits) throws(SettingsError) -> ToxicAttributes {
    switch self {
    case .latency(let delay, let jitter):
      return .latency(
        milliseconds: try fields.integer("latency", in: limits.latencyMilliseconds) ?? delay,
        jitterMilliseconds: try fields.integer("jitter", in: limits.jitterMilliseconds) ?? jitter)
    case .bandwidth(let rate):
      return .bandwidth(kilobytesPerSecond: try fields.integer("rate", in: limits.kilobytesPerSecond) ?? rate)
    case .slowClose(let delay):
      return .slowClose(milliseconds: try fields.integer("delay", in: limits.milliseconds) ?? delay)
    case .timeout(let timeout):
      return .timeout(milliseconds: try fields.integer("timeout", in: limits.milliseconds) ?? timeout)
    case .resetPeer(let timeout):
      return .resetPeer(milliseconds: try fields.integer("timeout", in: limits.milliseconds) ?? timeout)
    case .slicer(let slicer): return .slicer(try slicer.merged(fields, limits: limits))
    case .limitData(let count):
      return .limitData(bytes: try fields.integer("bytes", in: limits.bytes) ?? count)
    case .noop: return .noop
    case .drop(let drop): return .drop(try drop.merged(fields))
    case .stall(let time):
      return .stall(milliseconds: try fields.integer("for_ms", in: Self.stallMilliseconds) ?? time)
    }
  }
}

extension SlicerSpec {
  fileprivate func merged(_ fields: Fields, limits: AttributeLimits) throws(SettingsError) -> SlicerSpec {
    let slicer = SlicerSpec(
      averageSize: try fields.integer("average_size", in: limits.pieceBytes) ?? averageSize,
      sizeVariation: try fields.integer("size_variation", in: limits.bytes) ?? sizeVariation,
      delayMicroseconds: try fields.integer("delay", in: limits.microseconds) ?? delayMicroseconds)
    if limits == .native, slicer.sizeVariation > slicer.averageSize {
      throw fields.refusal("size_variation", allowed: "at most average_size, \(slicer.averageSize)")
    }
    return slicer
  }
}

extension DropSpec {
  fileprivate func merged(_ fields: Fields) throws(SettingsError) -> DropSpec {
    let drop = DropSpec(
      probability: try fields.number("probability", in: 0...1) ?? probability,
      per: try fields.choice("per", of: Unit.self) ?? per,
      how: try fields.choice("how", of: Manner.self) ?? how)
    // A listening socket refuses everybody or nobody.
    if drop.how == .refuse, drop.probability != 1 || drop.per != .connection {
      throw fields.refusal("how", allowed: "\"refuse\" only with probability 1 and per \"connection\"")
    }
    return drop
  }
}
