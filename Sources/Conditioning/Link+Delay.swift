extension Link {
  /// The fixed part of what a byte that comes now is delayed by: the latencies of all stages that act, without their
  /// jitter, and without what rates make of a queue.
  package var delay: Interval {
    stages.reduce(.zero) { sum, stage in
      guard case .latency(let parameters) = plan[stage.planIndex].kind, isActing(stage.toxic) else { return sum }
      return sum + max(.zero, parameters.latency)
    }
  }

  private func isActing(_ toxic: any Toxic) -> Bool { (toxic as? Triggered)?.isActing ?? true }
}
