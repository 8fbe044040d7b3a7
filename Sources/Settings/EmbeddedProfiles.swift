// Written by scripts/embed-profiles from Profiles/*.json; edit those and run it again.

// swift-format-ignore-file

/// The files of Profiles/, as they were when the binary was built.
enum EmbeddedProfiles {
  static let files: [(name: String, text: String)] = [
    ("100-loss.json", #"""
// Connected to a network that delivers nothing, so that only the client's own time limit ends the wait; "offline" is
// the kind that fails at once. A proxy can't lose the packets that open a connection: here it is opened, then silent.
{
  "name": "100-loss",
  "aliases": ["blackhole", "100-percent-loss"],
  "summary": "Connections open but nothing is ever answered",
  "source": "Behaviour of the \"100% Loss\" preset of Apple's Network Link Conditioner",
  "toxics": [
    { "type": "drop", "attributes": { "probability": 1, "per": "connection", "how": "hang" } },
  ],
}

"""#),
    ("3g.json", #"""
// The latency is read as the round trip (half of it is added in each direction), and the rate as that of each
// direction: the document that fixes these numbers states neither.
{
  "name": "3g",
  "aliases": [],
  "summary": "Slow mobile data: 1.6 Mbit/s, 100 ms round trip ± 50 ms",
  "source": "Headwind's requirements: 100 ms ± 50 ms, 200 kB/s",
  "path": {
    "latency_ms": 100,
    "jitter_ms": 50,
    "downstream_bytes_per_second": 200000,
    "upstream_bytes_per_second": 200000,
  },
}

"""#),
    ("edge.json", #"""
// The latency is read as the round trip (half of it is added in each direction), and the rate as that of each
// direction: the document that fixes these numbers states neither. Apple's preset of the same name has 400 ms one way
// in its downlink alone, so it is about twice as slow to answer.
{
  "name": "edge",
  "aliases": ["2.75g", "egprs"],
  "summary": "EDGE: 240 kbit/s, 400 ms round trip ± 100 ms",
  "source": "Headwind's requirements: 400 ms ± 100 ms, 30 kB/s",
  "path": {
    "latency_ms": 400,
    "jitter_ms": 100,
    "downstream_bytes_per_second": 30000,
    "upstream_bytes_per_second": 30000,
  },
}

"""#),
    ("flaky.json", #"""
// No latency (none added to the round trip) and no limit of the rate in either direction: only failures.
// An exchange is what the client sends after the server last spoke, up to the server's answer: a request, also on a
// connection that is kept alive and inside TLS. Over HTTP/2, requests that overlap share an exchange, and fail together.
{
  "name": "flaky",
  "aliases": ["unreliable"],
  "summary": "3 of 10 requests fail with a connection reset",
  "source": "Headwind's requirements: 30 % of requests fail",
  "toxics": [
    { "type": "drop", "attributes": { "probability": 0.3, "per": "exchange", "how": "reset" } },
  ],
}

"""#),
    ("lte.json", #"""
// The latency is read as the round trip (half of it is added in each direction), and the rate as that of each
// direction: the document that fixes these numbers states neither.
{
  "name": "lte",
  "aliases": [],
  "summary": "Good mobile data: 50 Mbit/s, 50 ms round trip",
  "source": "Headwind's requirements: 50 ms, 6.25 MB/s",
  "path": {
    "latency_ms": 50,
    "downstream_bytes_per_second": 6250000,
    "upstream_bytes_per_second": 6250000,
  },
}

"""#),
    ("none.json", #"""
// No conditioning: every byte passes through at once. The state without any profile has this name, so it can't be
// given another meaning.
{
  "name": "none",
  "aliases": ["native", "off", "full", "no-throttling"],
  "summary": "Pass through, nothing added",
  "source": "Headwind's own; other tools call it no throttling",
}

"""#),
    ("offline.json", #"""
// No latency (none added to the round trip) and no rate in either direction: nothing gets as far as that.
{
  "name": "offline",
  "aliases": ["airplane", "no-network"],
  "summary": "Everything fails at once: new connections are refused, open ones reset",
  "source": "Headwind's requirements: not connected, everything fails at once",
  "toxics": [
    { "type": "drop", "attributes": { "probability": 1, "per": "connection", "how": "refuse" } },
  ],
}

"""#),
    ("very-bad-network.json", #"""
// The preset it is named after also loses 10 % of the packets in each direction. That loss is LEFT OUT here, because
// packet loss can't be emulated yet: this profile is milder than the original.
// The latency is read as the round trip (half of it is added in each direction): the original has 500 ms each way.
// The rate is that of each direction: 1,000 kbit/s.
{
  "name": "very-bad-network",
  "aliases": ["very-bad"],
  "summary": "1 Mbit/s, 1 s round trip; without the 10 % packet loss of the original",
  "source": "\"Very Bad Network\" of Apple's Network Link Conditioner, as copied at https://www.useprobe.app/docs/throttling",
  "path": {
    "latency_ms": 1000,
    "downstream_bytes_per_second": 125000,
    "upstream_bytes_per_second": 125000,
  },
}

"""#),
  ]
}
