import Proxying
import Reactor
import Settings

/// Events as they happen, as `text/event-stream` (WHATWG HTML, "Server-sent events"), for any number of readers.
///
/// What happens in one turn of the loop is encoded once and handed to each reader in one piece at the end of the turn: a
/// call that ends a thousand sessions makes a thousand events, and sixty readers want each.
final class EventFeed {
  /// Handed out in one turn: to sixty readers, about a millisecond.
  private static let eventsPerTurn = 64

  private let loop: EventLoop
  private let events: EventLog
  /// Readers at once: they have no time limit, and must leave connections of the control port for calls.
  private let readersMax: Int
  /// Whether there is room for so many bytes beside those that all clients have yet to take; may end streams.
  var hasRoom: (Int) -> Bool = { _ in true }
  /// Told each time that a reader is refused.
  var onFull: () -> Void = {}
  private var readers: [ObjectIdentifier: EventReader] = [:]
  private var subscription: Int?
  /// The newest event that readers have been given who are up to date.
  private var position = 0
  private var isTurnScheduled = false

  init(loop: EventLoop, events: EventLog, readersMax: Int) {
    self.readersMax = readersMax
    self.loop = loop
    self.events = events
  }

  var readerCount: Int { readers.count }

  /// Answers with a stream that begins behind the event with the identifier `since`, and with these headers.
  func open(
    _ responder: HTTPResponder, since: Int, _ filter: EventFilter = .none, headers: [(name: String, value: String)]
  ) {
    guard readers.count < readersMax else {
      onFull()
      let message = "too many event streams; allowed: \(readersMax) at once (\(Limit.eventStreams.flag) sets it)"
      var refusal = APIError(503, message).response()
      refusal.headers += headers
      return responder.reply(refusal)
    }
    var all: HTTPHeaders = ["Content-Type": "text/event-stream", "Cache-Control": "no-store"]
    for (name, value) in headers { all.append(name, value) }
    let stream = responder.beginStream(status: 200, headers: all)
    // A comment first, so that the reader sees the stream open before anything happens.
    stream.send(Array(": headwind\n\n".utf8))
    // The client may be gone already; nobody would tell us then.
    guard stream.isOpen else { return }
    beUpToDate()
    // An identifier that is still to come is one of a daemon that ran before.
    let reader = EventReader(stream, filter, position: min(since, position))
    stream.onClose = { [weak self] in self?.forget(reader) }
    readers[ObjectIdentifier(reader)] = reader
    scheduleTurn()
  }

  /// So that nobody is ahead of the feed, not even a new reader.
  private func beUpToDate() {
    if readers.isEmpty {
      position = events.newest
      subscription = subscription ?? events.subscribe { [unowned self] _ in scheduleTurn() }
    }
    while position < events.newest { sendNews() }
  }

  private func forget(_ reader: EventReader) {
    readers[ObjectIdentifier(reader)] = nil
    guard readers.isEmpty, let subscription else { return }
    events.unsubscribe(subscription)
    self.subscription = nil
  }

  private func scheduleTurn() {
    guard !isTurnScheduled else { return }
    isTurnScheduled = true
    loop.later { [weak self] in self?.takeTurn() }
  }

  private func takeTurn() {
    isTurnScheduled = false
    guard !readers.isEmpty else { return }
    // One of those who want the past gets a part of it; the others follow in later turns.
    if let late = readers.values.first(where: { $0.position < position }) { catchUp(late) }
    sendNews()
    if position < events.newest || readers.values.contains(where: { $0.position < position }) { scheduleTurn() }
  }

  private func catchUp(_ reader: EventReader) {
    let past = events.events(since: reader.position, atMost: EventFeed.eventsPerTurn).filter { $0.id <= position }
    let bytes = EventFeed.encode(past.filter(reader.filter.admits))
    guard hasRoom(bytes.count) else { return cutOff(reader) }
    reader.sendPast(bytes, upTo: past.last?.id ?? position)
  }

  /// At once, with what it holds.
  private func cutOff(_ reader: EventReader) {
    reader.abort()
    forget(reader)
  }

  private func sendNews() {
    let news = events.events(since: position, atMost: EventFeed.eventsPerTurn)
    guard let last = news.last?.id else { return }
    // Most want all.
    let all = readers.values.contains { $0.filter.isNone } ? EventFeed.encode(news) : []
    for reader in readers.values where reader.position == position {
      let bytes = reader.filter.isNone ? all : EventFeed.encode(news.filter(reader.filter.admits))
      guard hasRoom(bytes.count) else {
        cutOff(reader)
        continue
      }
      if !reader.send(bytes, upTo: last) { forget(reader) }
    }
    position = last
  }

  private static func encode(_ events: [Event]) -> [UInt8] {
    var text = ""
    for event in events { text += "id: \(event.id)\nevent: \(event.type)\ndata: \(API.json(of: event).text)\n\n" }
    return Array(text.utf8)
  }
}

@available(*, unavailable)
extension EventFeed: Sendable {}

/// One reader of the feed, and how far it is.
private final class EventReader {
  /// A reader that lets more than this wait, beyond the past that it asked for, is cut off; it may come again with
  /// `Last-Event-ID`.
  private static let backlogBytes = 1 << 20

  private let stream: HTTPStream
  let filter: EventFilter
  /// The identifier of the last event that it was sent, or that is not for it.
  private(set) var position: Int
  private var limitBytes = EventReader.backlogBytes

  init(_ stream: HTTPStream, _ filter: EventFilter, position: Int) {
    self.stream = stream
    self.filter = filter
    self.position = position
  }

  func sendPast(_ bytes: [UInt8], upTo id: Int) {
    if !bytes.isEmpty { stream.send(bytes) }
    position = id
    limitBytes = EventReader.backlogBytes + stream.bufferedBytes
  }

  func abort() { stream.abort() }

  /// False when the reader didn't keep up: then its stream is at its end.
  func send(_ bytes: [UInt8], upTo id: Int) -> Bool {
    guard stream.bufferedBytes < limitBytes else {
      stream.end()
      return false
    }
    if !bytes.isEmpty { stream.send(bytes) }
    position = id
    return true
  }
}
