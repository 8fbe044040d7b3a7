/// The growth of the window after slow start: CUBIC (RFC 9438) in the arithmetic of Linux, in segments.
struct Cubic {
  /// β and C of the RFC in 1024ths.
  private static let beta = 717
  private static let curvature = 410.0 / 1024

  /// When the curve began; `distantPast`: it begins with the next acknowledgement.
  private var epoch = Instant.distantPast
  /// The window before the last reduction, 0: unknown.
  private var peak: Int32 = 0
  /// Where the curve is flat, and how long it takes to get there.
  private var plateau: Int32 = 0
  private var climb: Float = 0
  /// What AIMD with the same β would have by now, and what was acknowledged towards its next step.
  private var friendlyWindow: Int32 = 0
  private var friendlyCredit: Int32 = 0
  /// Acknowledged towards the next step of the window.
  private var credit: Int32 = 0

  /// The slow-start threshold after a loss; the curve begins anew.
  mutating func reduce(window: Int) -> Int {
    peak = Int32(window < Int(peak) ? window * (1024 + Self.beta) / 2048 : window)
    epoch = .distantPast
    credit = 0
    return max(2, window * Self.beta / 1024)
  }

  /// A time-out forgets the curve.
  mutating func forget() { self = Cubic() }

  /// After a pause the curve goes on where it was.
  mutating func pause(_ length: Interval) {
    if epoch != .distantPast { epoch = epoch + length }
  }

  /// The window after `acknowledged` segments in congestion avoidance.
  mutating func grow(window: Int, acknowledged: Int, leastRoundTrip: Interval, at now: Instant) -> Int {
    friendlyCredit += Int32(acknowledged)
    if epoch == .distantPast { begin(window: window, acknowledged: acknowledged, at: now) }
    let needed = Int32(segmentsForStep(window: window, leastRoundTrip: leastRoundTrip, at: now))
    var window = window
    // Credit from a time of slower growth buys one step only.
    if credit >= needed {
      credit = 0
      window += 1
    }
    credit += Int32(acknowledged)
    if credit >= needed {
      window += Int(credit / needed)
      credit %= needed
    }
    return window
  }

  private mutating func begin(window: Int, acknowledged: Int, at now: Instant) {
    epoch = now
    friendlyCredit = Int32(acknowledged)
    friendlyWindow = Int32(window)
    plateau = max(peak, Int32(window))
    climb = Float(cubeRoot(Double(plateau - Int32(window)) / Self.curvature))
  }

  /// How many have to be acknowledged for the window to grow by one.
  private mutating func segmentsForStep(window: Int, leastRoundTrip: Interval, at now: Instant) -> Int {
    let time = (now - epoch).seconds + leastRoundTrip.seconds - Double(climb)
    let target = Double(plateau) + Self.curvature * time * time * time
    var needed = target >= Double(window + 1) ? max(1, Int(Double(window) / (target - Double(window)))) : 100 * window
    // Without a peak the bandwidth is unknown and the curve too careful.
    if peak == 0 { needed = min(needed, 20) }
    advanceFriendly(window: window)
    if Int(friendlyWindow) > window { needed = min(needed, window / (Int(friendlyWindow) - window)) }
    return max(needed, 2)
  }

  private mutating func advanceFriendly(window: Int) {
    let step = max(1, Int32(window * 15 / 8))
    while friendlyCredit > step {
      friendlyCredit -= step
      friendlyWindow += 1
    }
  }
}

/// By Newton's rule, since the core has no mathematics library. For 0 and above.
func cubeRoot(_ value: Double) -> Double {
  guard value > 0 else { return 0 }
  // 2^(exponent/3): within a factor of 2.
  var root = Double(sign: .plus, exponent: value.exponent / 3, significand: 1)
  for _ in 0..<8 { root -= (root - value / (root * root)) / 3 }
  return root
}
