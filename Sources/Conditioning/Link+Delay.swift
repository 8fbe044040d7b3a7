extension Link {
  /// The fixed part of what a byte that comes now is delayed by: the latencies of all stages that act, without their
  /// jitter, and without what rates make of a queue.
  package var delay: Interval {
    latencies.reduce(.zero) { $0 + max(.zero, $1.latency) }
  }

  /// The delays that a byte which comes now meets on its way: what a handshake is charged with.
  package var latencies: [Latency.Parameters] {
    stages.compactMap { stage in
      guard case .latency(let parameters) = plan[stage.planIndex].kind, isActing(stage.toxic) else { return nil }
      return parameters
    }
  }

  private func isActing(_ toxic: any Toxic) -> Bool { (toxic as? Triggered)?.isActing ?? true }
}
