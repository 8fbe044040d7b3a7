import Proxying
import Reactor
import Settings

/// Events as they happen, as `text/event-stream` (WHATWG HTML, "Server-sent events").
final class EventStream {
  /// A reader that lets more than this wait, beyond the past that it asked for, is cut off; it may come again with
  /// `Last-Event-ID`.
  private static let backlogBytes = 1 << 20

  /// Readers at once: they have no time limit, and must leave connections of the control port for calls.
  static let readersMax = 64

  private let stream: HTTPStream
  private let events: EventLog
  private var subscription: Int?
  private var limitBytes = EventStream.backlogBytes

  /// Lives until the reader goes: the stream's handler holds it.
  static func start(
    _ responder: HTTPResponder, events: EventLog, since: Int, headers: [(name: String, value: String)]
  ) {
    guard events.readers < readersMax else {
      var refusal = APIError(503, "too many event streams; allowed: \(readersMax) at once").response()
      refusal.headers += headers
      return responder.reply(refusal)
    }
    var all: HTTPHeaders = ["Content-Type": "text/event-stream", "Cache-Control": "no-store"]
    for (name, value) in headers { all.append(name, value) }
    let stream = responder.beginStream(status: 200, headers: all)
    let writer = EventStream(stream, events: events)
    stream.onClose = { writer.stop() }
    writer.begin(since: since)
  }

  private init(_ stream: HTTPStream, events: EventLog) {
    self.stream = stream
    self.events = events
  }

  private func begin(since: Int) {
    // A comment first, so that the reader sees the stream open before anything happens.
    stream.send(Array(": headwind\n\n".utf8))
    for event in events.events(since: since) { send(event) }
    // The client may be gone already; nobody would unsubscribe then.
    guard stream.isOpen else { return }
    limitBytes += stream.bufferedBytes
    subscription = events.subscribe { [unowned self] event in
      guard stream.bufferedBytes < limitBytes else {
        stop()
        return stream.end()
      }
      send(event)
    }
  }

  private func send(_ event: Event) {
    stream.send(Array("id: \(event.id)\nevent: \(event.type)\ndata: \(API.json(of: event).text)\n\n".utf8))
  }

  private func stop() {
    if let subscription { events.unsubscribe(subscription) }
    subscription = nil
  }
}
