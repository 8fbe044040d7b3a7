extension Link {
  /// The fixed part of what a byte that comes now is delayed by: the latencies of all stages that act, and the modelled
  /// path's, without their jitter, and without what rates make of a queue.
  package var delay: Interval {
    latencies.reduce(modelledDelay) { $0 + max(.zero, $1.latency) }
  }

  /// The latencies that a byte which comes now meets on its way, without a modelled path's: what a handshake is charged
  /// with that passes through no model.
  package var latencies: [Latency.Parameters] {
    stages.indices.compactMap { index in
      let stage = stages[index]
      guard case .latency(let parameters) = plan[stage.planIndex].kind, isActing(stage.toxic) else { return nil }
      return parameters
    }
  }

  /// One way over the modelled path, without jitter; 0 without one.
  package var modelledDelay: Interval {
    for index in stages.indices {
      guard case .tcp(let path) = plan[stages[index].planIndex].kind else { continue }
      return max(.zero, path.parameters[identity.direction].delay)
    }
    return .zero
  }

  /// Whether a stage lets nothing pass for now and forgets nothing either: a stall, or a rate of 0.
  package var standsStill: Bool { stages.contains { $0.standsStill } }

  private func isActing(_ toxic: any Toxic) -> Bool { (toxic as? Triggered)?.isActing ?? true }
}
