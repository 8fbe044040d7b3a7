import Conditioning
package import Reactor
package import Settings

/// Something that happened, as `GET /events` tells it.
package struct Event {
  /// What happened. The frequent ones are kept small; the rest bring their details along.
  enum Kind: Sendable {
    case sessionOpened(client: SocketAddress)
    case sessionClosed(SessionSum)
    case decision(DecisionNote)
    case forwarded(ForwardNote)
    case other(String, [(String, JSON)])
  }

  package let id: Int
  package let at: WallTime
  package let proxy: String?
  package let session: Int?
  /// The session's number within its proxy; 0 without a session. (Small: it stands where nothing else would.)
  let number: UInt32
  let kind: Kind

  package var type: String {
    switch kind {
    case .sessionOpened: "session_opened"
    case .sessionClosed: "session_closed"
    case .decision: "decision"
    case .forwarded: "forwarded"
    case .other(let type, _): type
    }
  }

  /// The session's number within its proxy, where it is known.
  package var sessionNumber: Int? { number == 0 ? nil : Int(number) }

  package var details: [(String, JSON)] {
    switch kind {
    case .sessionOpened(let client): [("client", .string(client.description))]
    case .sessionClosed(let sum): sum.details
    case .decision(let note): note.details
    case .forwarded(let note): note.details
    case .other(_, let details): details
    }
  }
}

/// The last happenings, in order: a ring of fixed size, and whoever listens.
package final class EventLog {
  /// How many events are kept.
  package let capacity: Int
  /// The identifier of the newest event; 0 when nothing has happened yet.
  package private(set) var newest = 0
  /// Nothing can have happened before.
  package let beganAt = WallTime.now

  private var ring: [Event] = []
  private var listeners: [Int: (Event) -> Void] = [:]
  private var nextListener = 0

  package init(capacity: Int = Limit.events.usual) {
    self.capacity = capacity
    // Untouched pages cost nothing; growing would copy.
    ring.reserveCapacity(capacity)
  }

  func record(_ type: String, proxy: String? = nil, _ details: [(String, JSON)] = []) {
    record(.other(type, details), proxy: proxy, session: nil)
  }

  func record(_ type: String, of session: Session, _ details: [(String, JSON)]) {
    record(.other(type, details), of: session)
  }

  func record(_ kind: Event.Kind, of session: Session) {
    record(kind, proxy: session.proxy.name, session: session.id, number: UInt32(clamping: session.number))
  }

  /// - Parameter time: when it happened, where that was on another loop.
  func record(_ kind: Event.Kind, proxy: String?, session: Int?, number: UInt32 = 0, at time: WallTime = .now) {
    newest += 1
    let event = Event(id: newest, at: time, proxy: proxy, session: session, number: number, kind: kind)
    if ring.count < capacity {
      ring.append(event)
    } else {
      ring[(newest - 1) % capacity] = event
    }
    for listener in listeners.values { listener(event) }
  }

  /// The events after the one with identifier `id`, oldest first, as far back as they are kept.
  package func events(since id: Int, atMost limit: Int = .max) -> [Event] {
    let oldest = max(id, newest - ring.count)
    guard oldest < newest else { return [] }
    return (oldest..<newest).prefix(limit).map { ring[$0 % capacity] }
  }

  package var kept: Int { ring.count }

  /// The identifier of the oldest event that is kept; one more than ``newest`` when there is none.
  package var oldest: Int { newest - ring.count + 1 }

  /// The identifier of the last event before `time`, as far back as events are kept: what came at it or later comes after.
  package func lastID(before time: WallTime) -> Int {
    let kept = (oldest - 1)..<newest
    return kept.first { ring[$0 % capacity].at >= time } ?? newest
  }

  /// When the event with this identifier happened; nil when it isn't kept.
  package func time(of id: Int) -> WallTime? {
    id >= oldest && id <= newest ? ring[(id - 1) % capacity].at : nil
  }

  /// Calls `listener` with each event from now on, until the returned token is given to `unsubscribe`.
  package func subscribe(_ listener: @escaping (Event) -> Void) -> Int {
    nextListener += 1
    listeners[nextListener] = listener
    return nextListener
  }

  package func unsubscribe(_ token: Int) {
    listeners[token] = nil
  }
}

@available(*, unavailable)
extension EventLog: Sendable {}
