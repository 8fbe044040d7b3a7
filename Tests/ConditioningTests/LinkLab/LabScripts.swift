@testable import Conditioning

/// What both sides of each session of a world have written, and so what has to arrive.
struct LabScripts {
  /// Of one side.
  private struct Script {
    var segments: [Segment] = []
    var bytes: Int64 = 0
    var hasEnded = false
  }

  private var scripts: [[Script]]

  init(sessions count: Int) {
    scripts = Array(repeating: [Script(), Script()], count: count)
  }

  /// - Parameter way: 0: what the client says; 1: what the server says.
  func bytes(_ number: Int, _ way: Int) -> Int64 { scripts[number][way].bytes }

  /// Does nothing behind an end.
  mutating func write(_ segment: Segment, _ number: Int, _ way: Int, in world: LabWorld) {
    guard !scripts[number][way].hasEnded else { return }
    scripts[number][way].segments.append(segment)
    scripts[number][way].bytes += Int64(segment.byteCount)
    scripts[number][way].hasEnded = segment == .end
    world.sessions[number].write(segment, way == 0 ? .upstream : .downstream, at: world.now)
  }

  /// What hasn't arrived as it was written, with its marks and its end; and paths that still want to be woken.
  func complaints(in world: LabWorld) -> [String] {
    var complaints: [String] = []
    for (number, session) in world.sessions.enumerated() {
      for (way, got) in [session.server.received, session.client.received].enumerated() {
        let (got, wanted) = (Self.joined(got), Self.joined(scripts[number][way].segments))
        if got != wanted { complaints.append("session \(number), way \(way): \(got), not \(wanted)") }
      }
    }
    if !world.paths.allSatisfy({ $0.deadline == nil }) { complaints.append("a path without traffic has a deadline") }
    return complaints
  }

  /// Cuts that the network has made are undone; those at the mark of an exchange stay.
  private static func joined(_ segments: [Segment]) -> [Segment] {
    segments.reduce(into: []) { joined, segment in
      if case .bytes(let extent) = segment, !extent.opensExchange, case .bytes(let last)? = joined.last {
        guard last.end == extent.start else { return joined.append(segment) }
        joined[joined.count - 1] = .bytes(
          Extent(start: last.start, count: last.count + extent.count, opensExchange: last.opensExchange))
      } else {
        joined.append(segment)
      }
    }
  }
}
