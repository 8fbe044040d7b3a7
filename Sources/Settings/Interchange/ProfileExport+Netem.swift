import Conditioning

// tc-netem(8) of Linux. What comes in can't be delayed where it arrives, so it goes through an ifb device.
extension Profile {
  private static let interface = "${dev:-eth0}"
  private static let inlet = "ifb0"
  /// As good as none where there is no rate, at which something could wait: netem's own 1,000 packets would be lost at
  /// high rates.
  private static let packetsWithoutRate = 100_000

  var netem: ProfileExport {
    var commands: [String] = []
    var undo: [String] = []
    if let upstream = netem(.upstream) {
      commands.append("tc qdisc add dev \(Self.interface) root \(upstream)")
      undo.append("tc qdisc del dev \(Self.interface) root")
    }
    if let downstream = netem(.downstream) {
      commands += [
        "ip link add \(Self.inlet) type ifb", "ip link set \(Self.inlet) up",
        "tc qdisc add dev \(Self.interface) handle ffff: ingress",
        "tc filter add dev \(Self.interface) parent ffff: protocol all u32 match u32 0 0 action mirred egress redirect dev \(Self.inlet)",
        "tc qdisc add dev \(Self.inlet) root \(downstream)",
      ]
      undo += ["tc qdisc del dev \(Self.interface) ingress", "ip link del \(Self.inlet)"]
    }
    return ProfileExport(body: .commands(commands, undo: undo), notes: netemNotes(hasCommands: !commands.isEmpty))
  }

  /// Nil where nothing is to be done.
  private func netem(_ direction: Direction) -> String? {
    // To netem a rate of 0 is none.
    let rate = path.bytesPerSecond(direction).flatMap { $0 > 0 ? " rate \(Self.rate($0))" : nil } ?? ""
    let words = delay + Self.loss(packetLoss(direction)) + rate
    return words.isEmpty ? nil : "netem limit \(packetLimit(direction))\(words)"
  }

  private var delay: String {
    guard path.latencyMilliseconds > 0 else { return "" }
    let delay = " delay \(JSON.decimalText(of: path.oneWayMilliseconds))ms"
    guard path.jitterMilliseconds > 0 else { return delay }
    let jitter = " \(JSON.decimalText(of: path.jitterMilliseconds / 2))ms"
    return delay + jitter + (path.jitterDistribution == .normal ? " distribution normal" : "")
  }

  private static func loss(_ loss: LossSpec) -> String {
    func percent(_ share: Double) -> String { "\(JSON.decimalText(of: (share * 1e10).rounded() / 1e8))%" }
    guard let bursts = loss.bursts else { return loss.meanShare > 0 ? " loss \(percent(loss.meanShare))" : "" }
    let numbers = [bursts.goodToBad, bursts.badToGood, bursts.lossInBad, bursts.lossInGood]
    return " loss gemodel " + numbers.map(percent).joined(separator: " ")
  }

  private static func rate(_ bytesPerSecond: Int64) -> String {
    let bits = bytesPerSecond * 8
    return bits.isMultiple(of: 1000) ? "\(bits / 1000)kbit" : "\(bits)bit"
  }

  /// netem counts what is on its way with what waits.
  private func packetLimit(_ direction: Direction) -> Int {
    guard let rate = path.bytesPerSecond(direction), rate > 0, let queue = path.queueLimitBytes(direction) else {
      return Self.packetsWithoutRate
    }
    let underWay = Double(rate) * (path.oneWayMilliseconds + path.jitterMilliseconds) / 1000
    return Int((Double(queue) + underWay) / 1500) + 1
  }

  private func netemNotes(hasCommands: Bool) -> [String] {
    var notes = notesOnRate(below: 1, becoming: "everything is lost") + notesOnTime + notesOnRealTCP
    guard hasCommands else { return notes + ["nothing is left to do for packets"] }
    if path.jitterMilliseconds > 0 {
      notes.insert("jitter_ms: netem lets packets overtake each other, where Headwind keeps their order", at: 0)
    }
    notes.insert("acts on all traffic of the interface eth0, or of the one that `sudo dev=NAME sh` names", at: 0)
    return notes
  }
}
