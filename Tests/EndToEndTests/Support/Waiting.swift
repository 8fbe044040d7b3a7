import Foundation
import Testing

/// True as soon as `condition` holds, false when it doesn't within `limit`.
func eventually(within limit: Duration = .seconds(10), _ condition: () throws -> Bool) rethrows -> Bool {
  let end = ContinuousClock.now + limit
  while true {
    if try condition() { return true }
    guard ContinuousClock.now < end else { return false }
    pause(.milliseconds(3))
  }
}

/// Only between looks at a condition, or where a case asks for a time without traffic.
func pause(_ time: Duration) {
  Thread.sleep(forTimeInterval: time.seconds)
}

extension Duration {
  var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
  var milliseconds: Double { seconds * 1000 }
}

/// How long `body` takes.
func elapsed(_ body: () throws -> Void) rethrows -> Duration {
  try ContinuousClock().measure(body)
}

/// Compares much data. (`#expect` would look for the smallest difference of the two, without end for megabytes.)
func expectSame(
  _ received: [UInt8], _ sent: [UInt8], _ comment: String = "", at location: SourceLocation = #_sourceLocation
) {
  guard received != sent else { return }
  let difference = zip(received, sent).enumerated().first { $0.element.0 != $0.element.1 }?.offset
  let place = difference.map { "differ at byte \($0)" } ?? "are a part of what was sent, or more"
  Issue.record("\(received.count) bytes of \(sent.count) \(place) \(comment)", sourceLocation: location)
}
