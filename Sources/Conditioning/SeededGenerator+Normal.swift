extension SeededGenerator {
  /// A normal deviate with mean 0 and deviation 1.
  ///
  /// By algorithm N of C. F. F. Karney, "Sampling exactly from the normal distribution" (ACM TOMS 42, 2016): a whole part
  /// and a fraction are proposed and accepted with probabilities that are found by comparing uniform deviates alone. So it
  /// needs no logarithm and no table, and is exact up to the 53 bits of a deviate. About 30 draws.
  package mutating func normal() -> Double {
    while true {
      var whole = 0
      while acceptsHalf() { whole += 1 }
      guard (0..<whole * (whole - 1)).allSatisfy({ _ in acceptsHalf() }) else { continue }
      let fraction = unit()
      let parts = Double(whole + 1)
      let exponent = fraction * (2 * Double(whole) + fraction) / 2 / parts
      guard (0...whole).allSatisfy({ _ in accepts(exponent) }) else { continue }
      let size = Double(whole) + fraction
      return next() & 1 == 0 ? size : -size
    }
  }

  private mutating func acceptsHalf() -> Bool { accepts(0.5) }

  /// True with the probability e^-x, x in 0...1 (J. von Neumann 1951): a falling run of uniform deviates below x has n or
  /// more of them with the probability xⁿ/n!, hence an even number of them with 1 - x + x²/2! - …
  private mutating func accepts(_ x: Double) -> Bool {
    var isEven = true
    var last = x
    while true {
      let next = unit()
      if next >= last { return isEven }
      last = next
      isEven.toggle()
    }
  }
}
