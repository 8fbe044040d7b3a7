/// Lets a server's handler have a bounded time in each turn of the loop: a list of ten thousand things takes long to write
/// down, and of two hundred clients who want it at once each waits for those before it, not everybody else.
///
/// Who has reset the connection while waiting isn't served. (An end says nothing: the answer may be wanted all the same.)
final class HTTPRequestQueue {
  /// Of each turn; the request that is under way when it is over is the last.
  private static let nanosecondsPerTurn: Int64 = 1_000_000

  private let loop: EventLoop
  private let serve: (HTTPRequest, HTTPResponder) -> Void
  private var waiting: [(request: HTTPRequest, responder: HTTPResponder)] = []
  private var turn: Int64 = 0
  private var spentNanoseconds: Int64 = 0
  private var isScheduled = false

  init(loop: EventLoop, serve: @escaping (HTTPRequest, HTTPResponder) -> Void) {
    self.loop = loop
    self.serve = serve
  }

  func append(_ request: HTTPRequest, _ responder: HTTPResponder) {
    guard waiting.isEmpty, hasTime else {
      waiting.append((request, responder))
      return schedule()
    }
    serveNow(request, responder)
  }

  private var hasTime: Bool {
    if loop.turnStart != turn { (turn, spentNanoseconds) = (loop.turnStart, 0) }
    return spentNanoseconds < HTTPRequestQueue.nanosecondsPerTurn
  }

  private func serveNow(_ request: HTTPRequest, _ responder: HTTPResponder) {
    let began = loop.now
    serve(request, responder)
    spentNanoseconds += loop.now - began
  }

  private func schedule() {
    guard !isScheduled else { return }
    isScheduled = true
    loop.later { [weak self] in self?.takeTurn() }
  }

  private func takeTurn() {
    isScheduled = false
    let due = waiting
    waiting = []
    var served = 0
    while served < due.count, hasTime {
      let (request, responder) = due[served]
      if responder.isStillAwaited() { serveNow(request, responder) }
      served += 1
    }
    // Behind those, as they came later.
    waiting = due[served...] + waiting
    if !waiting.isEmpty { schedule() }
  }
}

@available(*, unavailable)
extension HTTPRequestQueue: Sendable {}
