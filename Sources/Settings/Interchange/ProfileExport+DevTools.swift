import Conditioning

// Chrome's DevTools protocol: one message for a session that has sent Network.enable.
extension Profile {
  var devTools: ProfileExport {
    let isOffline = toxics.contains { $0.refusesAll }
    // -1 is no limit; to Chrome 0 is none, too.
    func throughput(_ direction: Direction) -> JSON {
      .integer(isOffline ? -1 : path.bytesPerSecond(direction).map { max(1, $0) } ?? -1)
    }
    let parameters: JSON = [
      "offline": .bool(isOffline), "latency": .number(isOffline ? 0 : path.latencyMilliseconds),
      "downloadThroughput": throughput(.downstream), "uploadThroughput": throughput(.upstream),
    ]
    return ProfileExport(
      body: .document(["method": "Network.emulateNetworkConditions", "params": parameters]),
      notes: isOffline ? [] : devToolsNotes)
  }

  private var devToolsNotes: [String] {
    var notes = ["as a custom profile of the Network panel: \(customProfile)"]
    if path.latencyMilliseconds > 0 {
      notes.append(
        "latency is added once to each request, as on an open connection; Chrome's own presets take 2.75 to 5 times the round trip for the handshakes that a request may need"
      )
    }
    if path.jitterMilliseconds > 0 { notes.append("jitter_ms: left out") }
    for direction in Direction.allCases where path.loss(direction).meanShare > 0 {
      notes.append(
        "\(direction)_loss: left out; DevTools' packetLoss is for WebRTC only")
    }
    notes += notesOnRate(below: 1, becoming: "1 byte a second, the least there is") + notesOnTime
    return notes + notesOnBytes(of: "DevTools")
      + toxics.map { "toxic \(JSON.string($0.name).excerpt): left out" }
  }

  private var customProfile: String {
    func kilobits(_ direction: Direction) -> String {
      path.bytesPerSecond(direction).map { "\(JSON.decimalText(of: Double($0) / 125)) kbit/s" } ?? "no limit"
    }
    return
      "download \(kilobits(.downstream)), upload \(kilobits(.upstream)), latency \(JSON.decimalText(of: path.latencyMilliseconds)) ms"
  }
}
