import Settings

// What a fetch through a profile should come to: what its numbers say, and nothing measured.
extension Profile {
  /// Some exchanges or connections fail, others don't.
  var failsByChance: Bool {
    toxics.contains { toxic in
      guard case .drop(let drop) = toxic.attributes else { return false }
      return drop.probability > 0 && (drop.probability < 1 || toxic.toxicity < 1)
    }
  }

  private var certainDrop: DropSpec? {
    for toxic in toxics {
      if case .drop(let drop) = toxic.attributes, drop.probability >= 1, toxic.toxicity >= 1 { return drop }
    }
    return nil
  }

  /// One round trip; nil when nothing is to come. Without a rate limit of its own the head arrives with it.
  var expectedFirstByteMilliseconds: Double? {
    certainDrop == nil ? path.latencyMilliseconds : nil
  }

  /// A round trip, then the body at the downstream rate.
  func expectedTotalMilliseconds(_ bytes: Int) -> Double? {
    guard let first = expectedFirstByteMilliseconds else { return nil }
    guard let rate = path.downstreamBytesPerSecond else { return first }
    return rate == 0 ? nil : first + Double(bytes) / Double(rate) * 1e3
  }

  var expectedFirstByteText: String {
    guard let first = expectedFirstByteMilliseconds else { return certainDrop?.how == .hang ? "nothing" : "fails" }
    return withJitter(first)
  }

  func expectedTotalText(_ bytes: Int) -> String {
    guard let total = expectedTotalMilliseconds(bytes) else { return expectedFirstByteText }
    return withJitter(total)
  }

  private func withJitter(_ milliseconds: Double) -> String {
    let jitter = path.jitterMilliseconds
    return DemoRun.rounded(milliseconds) + (jitter > 0 ? " ± \(DemoRun.rounded(jitter))" : "")
  }

  /// Nanoseconds after which a fetch is given up: short where nothing is to come.
  func patience(_ bytes: Int) -> Int64 {
    guard let total = expectedTotalMilliseconds(bytes) else { return 2_000_000_000 }
    return Int64((total + path.jitterMilliseconds) * 2e6) + 5_000_000_000
  }
}
