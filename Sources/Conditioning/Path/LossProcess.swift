/// Decides which packets are lost.
struct LossProcess {
  /// Bursts hit whatever is on the wire, so they have dice of their own; random loss is drawn from the connection's, so
  /// that its luck doesn't depend on its neighbours.
  private var dice: SeededGenerator
  private var isBad = false

  init(dice: SeededGenerator) {
    self.dice = dice
  }

  /// To be asked once for each packet: a burst lasts for a number of packets, not for a time, as netem has it.
  mutating func loses(by model: LossModel, dice connection: inout SeededGenerator) -> Bool {
    switch model {
    case .none: return false
    case .random(let share): return connection.unit() < share
    case .bursts(let chain):
      if dice.unit() < (isBad ? chain.badToGood : chain.goodToBad) { isBad.toggle() }
      return dice.unit() < (isBad ? chain.lossInBad : chain.lossInGood)
    }
  }

  /// A burst of another kind of loss is over.
  mutating func changed(to model: LossModel) {
    if case .bursts = model { return }
    isBad = false
  }
}
