import Conditioning
import Testing

/// What one side sends: a script for the tracker. `C` lines carry the offset expected.
private enum Line {
  case client([UInt8], opensAt: Int?)
  case server([UInt8])
}

/// A TLS record with a payload of `count` bytes.
private func record(_ type: UInt8, _ count: Int = 20) -> [UInt8] {
  [type, 3, 3, UInt8(count >> 8), UInt8(count & 0xFF)] + [UInt8](repeating: 0x17, count: count)
}

private let hello = record(0x16, 200)
private let data = record(0x17, 100)
private let ccs = record(0x14, 1)
private let alert = record(0x15, 2)
private let text = Array("GET / HTTP/1.1\r\n\r\n".utf8)

@Suite struct ExchangeTrackerTests {
  private func check(_ script: [Line], sourceLocation: SourceLocation = #_sourceLocation) {
    var tracker = ExchangeTracker()
    for (index, line) in script.enumerated() {
      switch line {
      case .client(let bytes, let expected):
        let opening = tracker.client(bytes.span.bytes)
        #expect(opening == expected, "line \(index)", sourceLocation: sourceLocation)
      case .server(let bytes):
        tracker.server(bytes.span.bytes)
      }
    }
  }

  @Test func plainProtocolsCountWhatFollowsTheServersWord() {
    check([
      .client([], opensAt: nil), .client(text, opensAt: 0), .client(text, opensAt: nil), .server([]),
      .client(text, opensAt: nil), .server(text), .server(text), .client(text, opensAt: 0), .client(text, opensAt: nil),
    ])
    // A server that greets first.
    check([.server(text), .client(text, opensAt: 0), .server(text), .client(text, opensAt: 0)])
  }

  @Test func tls12CountsApplicationDataOnly() {
    check([
      .client(hello, opensAt: nil), .server(hello), .client(hello + ccs + hello, opensAt: nil), .server(ccs + hello),
      .client(data, opensAt: 0), .client(data, opensAt: nil), .server(data), .client(data, opensAt: 0),
      .server(data), .client(alert, opensAt: nil),
    ])
  }

  @Test func tls12WithTheRequestInTheFlightOfTheFinished() {
    // False start: the request follows the client's Finished at once.
    let finished = hello + ccs + hello
    check([
      .client(hello, opensAt: nil), .server(hello), .client(finished + data, opensAt: finished.count),
      .server(ccs + hello), .server(data), .client(data, opensAt: 0),
    ])
  }

  @Test func tls13DoesNotCountTheHiddenFinished() {
    let flight = hello + ccs + data + data
    check([
      .client(hello, opensAt: nil), .server(flight), .client(ccs + data, opensAt: nil), .server(data),
      .client(data, opensAt: 0), .client(data, opensAt: nil), .server(data), .client(data, opensAt: 0),
    ])
    // The request in the same flight as the Finished.
    check([
      .client(hello, opensAt: nil), .server(flight), .client(ccs + data + data, opensAt: ccs.count + data.count),
      .server(data), .client(data, opensAt: 0),
    ])
  }

  @Test func tls13HelloRetry() {
    check([
      .client(hello, opensAt: nil), .server(hello + ccs), .client(ccs + hello, opensAt: nil), .server(hello + data),
      .client(data, opensAt: nil), .client(data, opensAt: 0),
    ])
  }

  @Test func earlyDataIsTheRequest() {
    check([
      .client(hello + ccs + data, opensAt: hello.count + ccs.count), .server(hello + ccs + data),
      .client(data + data, opensAt: nil), .server(data), .client(data, opensAt: 0),
    ])
  }

  @Test func ticketsDuringAnUploadDoNotOpenAnother() {
    let upload = record(0x17, 16_000)
    check([
      .client(hello, opensAt: nil), .server(hello + ccs + data), .client(ccs + data, opensAt: nil),
      .client(Array(upload[..<9_000]), opensAt: 0), .server(data + data),
      .client(Array(upload[9_000...]) + upload, opensAt: nil), .client(upload, opensAt: nil), .server(data),
      .client(upload, opensAt: 0),
    ])
  }

  @Test(
    arguments: [
      [0x16, 9, 3, 0, 5], [0x16, 3, 9, 0, 5], [0x16, 3, 3, 0xFF, 0xFF], [0x42, 3, 3, 0, 5],
    ] as [[UInt8]])
  func aMalformedHeaderMeansPlainCounting(header: [UInt8]) {
    check([
      .client(hello, opensAt: nil), .server(hello), .client(header, opensAt: 0), .client(text, opensAt: nil),
      .server(text), .client(data, opensAt: 0), .server(data), .client(alert, opensAt: 0),
    ])
    check([
      .client(hello, opensAt: nil), .server(hello), .client(data, opensAt: 0), .server(header),
      .client(alert, opensAt: 0), .server(alert), .client(alert, opensAt: 0),
    ])
  }

  @Test func aServersLongRecordCountsWhenItGoesOnBehindTheUpload() {
    let answer = record(0x17, 5_000)
    check([
      .client(hello, opensAt: nil), .server(hello), .client(Array(data[..<50]), opensAt: 0),
      .server(Array(answer[..<2_000])), .client(Array(data[50...]), opensAt: nil), .server(Array(answer[2_000...])),
      .client(data, opensAt: 0),
    ])
  }

  @Test func recordsWithoutPayloadAreFollowed() {
    let empty = record(0x17, 0)
    check([
      .client(hello, opensAt: nil), .server(hello), .client(empty, opensAt: 0), .server(empty),
      .client(empty + data, opensAt: 0),
    ])
  }

  /// However a TLS session is cut into inputs, the same bytes open the same exchanges.
  @Test(arguments: 0..<50)
  func cutsDoNotMatter(seed: Int) {
    var dice = SeededGenerator(seed: UInt64(seed))
    let turns: [(client: [UInt8], server: [UInt8])] = [
      (hello, hello + ccs + data), (ccs + data + data + data, data + data), (data, record(0x17, 5_000)), (alert, alert),
      (data + data, data),
    ]
    var tracker = ExchangeTracker()
    var openings: [Int] = []
    var offset = 0
    for turn in turns {
      for piece in cut(turn.client, &dice) {
        if let opening = tracker.client(piece.span.bytes) { openings.append(offset + opening) }
        offset += piece.count
      }
      for piece in cut(turn.server, &dice) { tracker.server(piece.span.bytes) }
    }
    let request = hello.count + ccs.count + data.count
    let second = request + 2 * data.count
    #expect(openings == [request, second, second + data.count + alert.count])
  }

  private func cut(_ bytes: [UInt8], _ dice: inout SeededGenerator) -> [[UInt8]] {
    var rest = bytes[...]
    var pieces: [[UInt8]] = []
    while !rest.isEmpty {
      let count = min(rest.count, dice.length(upTo: 64))
      pieces.append(Array(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    return pieces
  }
}
