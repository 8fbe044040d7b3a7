// Usual values are such that no honest user meets them; what all of them together can cost stands in docs/limits.md.
extension Limit {
  package var terms: Terms {
    switch self {
    case .connections, .connectionsPerProxy, .bufferBytes, .linkBufferBytes, .lookups, .forwardHeadBytes: dataTerms
    case .controlConnections, .controlHeadBytes, .controlBodyBytes, .controlOutputBytes, .eventStreams: controlTerms
    default: tableTerms
    }
  }

  /// What clients of proxies can bring about.
  private var dataTerms: Terms {
    switch self {
    case .connections:
      Terms(
        what: "Live connections in all", usual: 100_000, range: 1...10_000_000,
        does: "New ones wait in the backlogs. It is never more than the descriptors allow, two for each.")
    case .connectionsPerProxy:
      Terms(
        what: "Live connections of one proxy", usual: 100_000, range: 1...10_000_000,
        does: "New ones wait in that proxy's backlog; the other proxies accept.")
    case .bufferBytes:
      Terms(
        what: "Bytes waiting in all connections", usual: 512 << 20, range: 4_096...1 << 50,
        does: "A direction that holds something reads no more; one that holds nothing still passes 16 KiB at a time.")
    case .linkBufferBytes:
      Terms(
        what: "Bytes waiting in one direction of a connection", usual: 128 << 20, range: 4_096...1 << 31,
        does: "No more is read from its sender, whom TCP slows down.")
    case .lookups:
      Terms(
        what: "Lookups of names that wait or run", usual: 4_096, range: 8...1_000_000,
        does: "The connection fails as with a name that can't be looked up.")
    default:
      Terms(
        what: "Head of a request to a forward proxy, and of an answer", usual: 64 << 10, range: 4_096...1 << 20,
        does: "The request is answered 431, its first line above a quarter of it 414; for a server's answer it is 502.")
    }
  }

  /// What clients of the control port can bring about before anything is understood of them.
  private var controlTerms: Terms {
    switch self {
    case .controlConnections:
      Terms(
        what: "Connections to the control port", usual: 256, range: 2...65_536,
        does: "One that is idle gives way to a new one; where none is, new ones wait in the backlog.")
    case .controlHeadBytes:
      Terms(
        what: "Request line and headers of a control request", usual: 16 << 10, range: 1_024...1 << 20,
        does: "431, and the connection is closed.")
    case .controlBodyBytes:
      Terms(
        what: "Body of a control request", usual: 1 << 20, range: 1_024...1 << 30,
        does: "413, and the connection is closed.")
    case .controlOutputBytes:
      Terms(
        what: "Answers of the control port that its clients have yet to take", usual: 256 << 20,
        range: 65_536...1 << 40,
        does: "Connections whose clients have taken nothing for a second are closed; if that isn't enough, 503.")
    default:
      Terms(
        what: "Readers of the event stream", usual: 64, range: 1...65_535, does: "503; the others read on.")
    }
  }

  /// What calls of the control API, or the config file, can ask for.
  private var tableTerms: Terms {
    switch self {
    case .proxies: Terms(what: "Proxies", usual: 10_000, range: 1...100_000, does: Self.refusal)
    case .toxics: Terms(what: "Toxics of all proxies", usual: 100_000, range: 1...1_000_000, does: Self.refusal)
    case .toxicsPerProxy: Terms(what: "Toxics of one proxy", usual: 256, range: 1...4_096, does: Self.refusal)
    case .profiles:
      Terms(what: "Profiles defined by calls", usual: 1_000, range: 1...100_000, does: Self.refusal)
    case .rules: Terms(what: "Rules by host", usual: 1_000, range: 1...10_000, does: Self.refusal)
    case .leases: Terms(what: "Live leases", usual: 1_000, range: 1...100_000, does: Self.refusal)
    case .events:
      Terms(
        what: "Events that are kept", usual: 10_000, range: 100...10_000_000, does: "The oldest one is forgotten.")
    case .keptCounters:
      Terms(
        what: "Counters kept of deleted proxies, and of addresses that proxies have left", usual: 1_000,
        range: 1...1_000_000, does: "The oldest are forgotten.")
    default:
      Terms(
        what: "Name, listen address or upstream of a proxy, or name of a toxic", usual: 1_024, range: 16...65_536,
        does: "400; nothing changes.")
    }
  }

  private static let refusal = "429; nothing changes. A config file with more is refused."
}
