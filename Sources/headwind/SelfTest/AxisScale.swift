/// The scale of one axis: from 0 to a round number, with ticks at round numbers.
struct AxisScale {
  let most: Double
  let step: Double

  /// - Parameters:
  ///   - value: the largest that is to be seen, above 0.
  ///   - ticks: about so many.
  init(upTo value: Double, ticks: Int) {
    let value = max(value, 1e-6)
    var step = 1e-6
    while value / step > Double(ticks) * 10 { step *= 10 }
    for factor in [1.0, 2, 5, 10] where value / (step * factor) <= Double(ticks) {
      step *= factor
      break
    }
    self.step = step
    most = value
  }

  var ticks: [Double] { (0...Int((most / step + 1e-9).rounded(.down))).map { Double($0) * step } }

  /// Places behind the point that tell the ticks apart.
  var places: Int {
    var (places, step) = (0, step)
    while places < 3, (step - step.rounded()).magnitude > 1e-9 {
      step *= 10
      places += 1
    }
    return places
  }
}
