/// What a toxic does, with its numbers. A closed set: the compiler lists every place that has to know a new kind.
package enum ToxicAttributes: Hashable, Sendable {
  /// Delay of every byte: `milliseconds` ± `jitterMilliseconds`. Negative values act as 0, but are echoed.
  case latency(milliseconds: Int64, jitterMilliseconds: Int64)
  /// Rate in units of 1,000 bytes per second; 0 holds everything.
  case bandwidth(kilobytesPerSecond: Int64)
  /// Delay of the end of the stream.
  case slowClose(milliseconds: Int64)
  /// Drops all bytes, and closes the connection after that long; 0 or less: never.
  case timeout(milliseconds: Int64)
  /// Resets the connection, that long after the toxic reached it or its stream first came to life.
  case resetPeer(milliseconds: Int64)
  case slicer(SlicerSpec)
  /// Closes the connection when that many bytes have passed.
  case limitData(bytes: Int64)
  case noop
  case drop(DropSpec)
  /// Holds all bytes for that long, or until lifted, and releases them in order.
  case stall(milliseconds: Int64?)

  package var type: ToxicType {
    switch self {
    case .latency: .latency
    case .bandwidth: .bandwidth
    case .slowClose: .slowClose
    case .timeout: .timeout
    case .resetPeer: .resetPeer
    case .slicer: .slicer
    case .limitData: .limitData
    case .noop: .noop
    case .drop: .drop
    case .stall: .stall
    }
  }

  package var json: JSON {
    switch self {
    case .latency(let delay, let jitter): ["latency": .integer(delay), "jitter": .integer(jitter)]
    case .bandwidth(let rate): ["rate": .integer(rate)]
    case .slowClose(let delay): ["delay": .integer(delay)]
    case .timeout(let timeout), .resetPeer(let timeout): ["timeout": .integer(timeout)]
    case .slicer(let slicer):
      [
        "average_size": .integer(slicer.averageSize), "size_variation": .integer(slicer.sizeVariation),
        "delay": .integer(slicer.delayMicroseconds),
      ]
    case .limitData(let bytes): ["bytes": .integer(bytes)]
    case .noop: [:]
    case .drop(let drop):
      [
        "probability": .number(drop.probability), "per": .string(drop.per.rawValue),
        "how": .string(drop.how.rawValue),
      ]
    case .stall(let time): .object([("for_ms", time.map(JSON.integer))])
    }
  }

  /// The attributes of a toxic made without any; nil where some are required.
  static func defaults(of type: ToxicType) -> ToxicAttributes? {
    switch type {
    case .latency: .latency(milliseconds: 0, jitterMilliseconds: 0)
    case .bandwidth: .bandwidth(kilobytesPerSecond: 0)
    case .slowClose: .slowClose(milliseconds: 0)
    case .timeout: .timeout(milliseconds: 0)
    case .resetPeer: .resetPeer(milliseconds: 0)
    case .slicer: .slicer(SlicerSpec())
    case .limitData: .limitData(bytes: 0)
    case .noop: .noop
    case .drop: nil
    case .stall: .stall(milliseconds: nil)
    }
  }
}

/// Small pieces, with time between them.
package struct SlicerSpec: Hashable, Sendable {
  /// Bytes; 0 or less: nothing is cut.
  package var averageSize: Int64
  /// Bytes; acts as if clamped into 0 … `averageSize`, but is echoed.
  package var sizeVariation: Int64
  /// After every piece; negative values act as 0.
  package var delayMicroseconds: Int64

  package init(averageSize: Int64 = 0, sizeVariation: Int64 = 0, delayMicroseconds: Int64 = 0) {
    self.averageSize = averageSize
    self.sizeVariation = sizeVariation
    self.delayMicroseconds = delayMicroseconds
  }
}

/// Failure of connections or exchanges at random.
package struct DropSpec: Hashable, Sendable {
  package enum Unit: String, Hashable, Sendable, CaseIterable {
    case connection
    /// What the client sends after the server last spoke, up to the server's answer.
    case exchange
  }

  package enum Manner: String, Hashable, Sendable, CaseIterable {
    /// RST.
    case reset
    /// FIN.
    case close
    /// Connection refused: the listening socket stops listening and keeps its port.
    case refuse
    /// Accepted, never answered.
    case hang
  }

  /// 0...1
  package var probability: Double
  package var per: Unit
  package var how: Manner

  package init(probability: Double, per: Unit = .connection, how: Manner = .reset) {
    self.probability = probability
    self.per = per
    self.how = how
  }
}
