import Conditioning

/// The links of the link lab (`clean` left out, which is a check of a host's own overhead): real TCP was measured over
/// each of them, so the model is held against the figures.
struct LabLink {
  /// Bits a second, milliseconds one way, bytes.
  struct Way {
    var rate: Double
    var delay: Double
    var jitter = 0.0
    var loss = 0.0
    var burst: GilbertElliott?
    var queue: Int

    var parameters: ChannelParameters {
      ChannelParameters(
        capacity: .rate(bytesPerSecond: Int64(rate / 8)), queueBytes: queue, delay: .milliseconds(delay),
        jitter: .milliseconds(jitter),
        loss: burst.map { .bursts($0) } ?? (loss > 0 ? .random(loss) : .none))
    }
  }

  let name: String
  var up: Way
  var down: Way
  var control = CongestionControl.cubic

  /// The round trip is split evenly; the queue is `bdps` times rate times round trip, at least 64 KB.
  init(
    _ name: String, down: Double, up: Double, rtt: Double, jitter: Double = 0, loss: Double = 0,
    burst: GilbertElliott? = nil, bdps: Double = 1
  ) {
    func way(_ rate: Double) -> Way {
      Way(
        rate: rate, delay: rtt / 2, jitter: jitter / 2, loss: loss, burst: burst,
        queue: max(65_536, Int(bdps * rate * rtt / 8_000)))
    }
    self.name = name
    self.up = way(up)
    self.down = way(down)
  }

  var parameters: PathParameters {
    PathParameters(upstream: up.parameters, downstream: down.parameters, congestionControl: control)
  }

  static let all = [
    LabLink("edge", down: 240e3, up: 240e3, rtt: 400, jitter: 100),
    LabLink("3g", down: 1.6e6, up: 1.6e6, rtt: 100, jitter: 50),
    LabLink("lte", down: 50e6, up: 50e6, rtt: 50),
    LabLink("lte-bloat", down: 50e6, up: 50e6, rtt: 50, bdps: 10),
    LabLink("nlc-3g-like", down: 780e3, up: 330e3, rtt: 200),
    LabLink("very-bad", down: 1e6, up: 1e6, rtt: 500, loss: 0.10),
    LabLink("dummynet", down: 1.6e6, up: 1.6e6, rtt: 300, loss: 0.01),
    LabLink("lte-loss0.1", down: 50e6, up: 50e6, rtt: 50, loss: 0.001),
    LabLink("lte-loss1", down: 50e6, up: 50e6, rtt: 50, loss: 0.01),
    LabLink("lte-loss3", down: 50e6, up: 50e6, rtt: 50, loss: 0.03),
    LabLink(
      "lte-burst1", down: 50e6, up: 50e6, rtt: 50, burst: GilbertElliott(loss: 0.01, meanBurstPackets: 5)),
    LabLink("dsl", down: 2e6, up: 256e3, rtt: 10),
    LabLink("satellite", down: 10e6, up: 2e6, rtt: 600),
  ]

  func with(_ control: CongestionControl) -> LabLink {
    var link = self
    link.control = control
    return link
  }

  static func named(_ name: String) -> LabLink { all.first { $0.name == name }! }
}
