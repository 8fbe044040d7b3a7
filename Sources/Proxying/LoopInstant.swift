import Conditioning
import Reactor

extension EventLoop {
  /// The loop's clock in the core's terms.
  var instant: Instant { Instant(nanoseconds: now) }
}
