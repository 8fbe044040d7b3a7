import Conditioning

// dnctl(8) and pfctl(8) of macOS: a pipe for each direction and rules that lead all TCP but loopback's into them.
extension Profile {
  private static let anchor = "headwind"
  /// dummynet's limit, unless net.inet.ip.dummynet says otherwise.
  private static let largestQueueKilobytes = 1024

  var dnctl: ProfileExport {
    let pipes = [pipe(.downstream), pipe(.upstream)]
    guard pipes != ["", ""] else {
      return ProfileExport(body: .commands([], undo: []), notes: dnctlNotes + ["nothing is left to do for packets"])
    }
    let rules = [
      "no dummynet quick on lo0 all", "dummynet in proto tcp from any to any pipe 1",
      "dummynet out proto tcp from any to any pipe 2",
    ]
    let commands = [
      "dnctl pipe 1 config\(pipes[0])", "dnctl pipe 2 config\(pipes[1])",
      "(cat /etc/pf.conf; echo 'dummynet-anchor \"\(Self.anchor)\"'; echo 'anchor \"\(Self.anchor)\"') | pfctl -q -f -",
      "printf '%s\\n' \(rules.map { "'\($0)'" }.joined(separator: " ")) | pfctl -q -a \(Self.anchor) -f -",
      "pfctl -E",
    ]
    let undo = [
      "pfctl -q -a \(Self.anchor) -F all", "pfctl -q -f /etc/pf.conf", "dnctl -q flush",
      "pfctl -X TOKEN    # the token that pfctl -E printed",
    ]
    let reach = "acts on all TCP of the host but loopback, and not on one app"
    return ProfileExport(body: .commands(commands, undo: undo), notes: [reach] + dnctlNotes)
  }

  private func pipe(_ direction: Direction) -> String {
    var words: [String] = []
    // To dummynet a bandwidth of 0 is none.
    if let rate = path.bytesPerSecond(direction), rate > 0 { words.append("bw \(Self.bandwidth(rate))") }
    let delay = path.wholeOneWay(direction, of: path.latencyMilliseconds)
    if delay > 0 { words.append("delay \(delay)") }
    let loss = packetLoss(direction).meanShare
    if loss > 0 { words.append("plr \(JSON.decimalText(of: loss))") }
    if let kilobytes = queueKilobytes(direction) {
      words.append("queue \(min(kilobytes, Self.largestQueueKilobytes))KBytes")
    }
    return words.map { " " + $0 }.joined()
  }

  private static func bandwidth(_ bytesPerSecond: Int64) -> String {
    let bits = bytesPerSecond * 8
    return bits.isMultiple(of: 1000) ? "\(bits / 1000)Kbit/s" : "\(bits)bit/s"
  }

  private func queueKilobytes(_ direction: Direction) -> Int? {
    guard path.bytesPerSecond(direction) ?? 0 > 0, let bytes = path.queueLimitBytes(direction) else { return nil }
    return max(2, (bytes + 1023) / 1024)
  }

  private var dnctlNotes: [String] {
    var notes: [String] = []
    if path.latencyMilliseconds != path.latencyMilliseconds.rounded() {
      notes.append("latency_ms \(JSON.decimalText(of: path.latencyMilliseconds)): rounded to whole milliseconds")
    }
    if path.jitterMilliseconds > 0 {
      notes.append(
        "jitter_ms \(JSON.decimalText(of: path.jitterMilliseconds)): left out; dummynet's delay doesn't vary")
    }
    for direction in Direction.allCases {
      if path.loss(direction).bursts != nil {
        notes.append("\(direction)_loss: its mean; dummynet knows no bursts")
      }
      if let kilobytes = queueKilobytes(direction), kilobytes > Self.largestQueueKilobytes {
        notes.append("queue of \(kilobytes) KB: cut to 1 MB, which dummynet allows unless told otherwise")
      }
    }
    return notes + notesOnRate(below: 1, becoming: "everything is lost") + notesOnTime + notesOnRealTCP
  }
}
