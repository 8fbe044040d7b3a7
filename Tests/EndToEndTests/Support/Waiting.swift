import Foundation

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
