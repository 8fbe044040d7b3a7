extension TCPSender {
  /// The path has another congestion control now: it begins with what is known of the round trip, and with the loss that
  /// is being repaired, if there is one.
  mutating func use(_ control: CongestionControl) {
    guard control != congestion.control else { return }
    congestion = Congestion(control)
    if roundTrips.hasSample { congestion.shookHands(roundTrip: roundTrips.leastTime) }
    guard let flight else { return }
    switch flight.phase {
    case .open: break
    case .recovery: congestion.recoveryBegan()
    case .loss: congestion.timedOut(isFirst: true, flying: flight.flying)
    }
  }
}
