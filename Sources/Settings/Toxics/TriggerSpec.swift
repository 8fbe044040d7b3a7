/// When a toxic acts, and on which connections; zeros mean no condition. All conditions must hold.
package struct TriggerSpec: Hashable, Sendable {
  /// Acts on a connection once so many bytes of its stream have passed since it came there.
  package var afterBytes: Int64 = 0
  /// Acts on a connection once so much time has passed since it came there.
  package var afterMilliseconds: Int64 = 0
  /// Acts only on the first so many connections of the proxy since it came to it.
  package var firstConnections: Int64 = 0
  /// With 3 it acts only on each third connection of the proxy since it came to it; 0 and 1 mean all.
  package var every: Int64 = 0

  package init() {}

  package var isEmpty: Bool { afterBytes == 0 && afterMilliseconds == 0 && firstConnections == 0 && every <= 1 }

  package static let keys = ["after_bytes", "after_ms", "first_connections", "every"]
  package static let bytesRange: ClosedRange<Int64> = 0...9_007_199_254_740_992
  package static let millisecondsRange: ClosedRange<Int64> = 0...86_400_000
  package static let connectionsRange: ClosedRange<Int64> = 0...1_000_000_000

  /// Only those that are set.
  var members: [(String, JSON?)] {
    zip(Self.keys, [afterBytes, afterMilliseconds, firstConnections, every]).map { key, value in
      (key, value == 0 ? nil : .integer(value))
    }
  }

  /// These conditions with the named ones replaced.
  func merged(_ fields: Fields) throws(SettingsError) -> TriggerSpec {
    var copy = self
    copy.afterBytes = try fields.integer("after_bytes", in: Self.bytesRange) ?? afterBytes
    copy.afterMilliseconds = try fields.integer("after_ms", in: Self.millisecondsRange) ?? afterMilliseconds
    copy.firstConnections = try fields.integer("first_connections", in: Self.connectionsRange) ?? firstConnections
    copy.every = try fields.integer("every", in: Self.connectionsRange) ?? every
    return copy
  }
}
