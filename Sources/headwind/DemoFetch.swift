import Reactor
import Settings

/// One request, timed.
final class DemoFetch {
  struct Outcome {
    /// Nil when the whole response came.
    var error: String?
    var firstByteMilliseconds = 0.0
    var totalMilliseconds = 0.0

    var json: JSON {
      .object([
        ("ok", .bool(error == nil)), ("error", error.map(JSON.string)),
        ("first_byte_ms", error == nil ? .number(firstByteMilliseconds) : nil),
        ("total_ms", .number(totalMilliseconds)),
      ])
    }
  }

  private let loop: EventLoop
  private let startedAt: Int64
  private var outcome = Outcome()
  private var exchange: HTTPExchange?

  init(loop: EventLoop, request: HTTPClientRequest, completion: @escaping (Outcome) -> Void) {
    self.loop = loop
    startedAt = loop.now
    exchange = HTTPExchange(loop: loop, request: request) { [unowned self] result in
      outcome.totalMilliseconds = elapsedMilliseconds
      if case .failure(let error) = result { outcome.error = error.description }
      completion(outcome)
    }
    exchange?.onHeaders = { [unowned self] _ in outcome.firstByteMilliseconds = elapsedMilliseconds }
    exchange?.onChunk = { _ in }
  }

  private var elapsedMilliseconds: Double { Double(loop.now - startedAt) / 1e6 }
}
