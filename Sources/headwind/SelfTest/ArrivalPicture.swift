import Conditioning
import Settings

/// Bytes of new connections over time: as they were measured, over what the model says.
struct ArrivalPicture {
  private typealias Point = SVGDrawing.Point

  private enum Style {
    static let ink = ##"fill="#1f2933""##
    static let faint = ##"fill="#52606d""##
    static let grid = ##"stroke="#e4e7eb" stroke-width="1""##
    static let axis = ##"stroke="#7b8794" stroke-width="1""##
    static let mark = ##"stroke="#52606d" stroke-width="1" stroke-dasharray="4 3""##
    static let model = ##"stroke="#2186c4" stroke-width="5" stroke-opacity="0.65" stroke-linejoin="round""##
    static let band = ##"fill="#0b69a3" fill-opacity="0.16""##
    static let measured = ##"stroke="#cb6e17" stroke-width="1.2" stroke-opacity="0.75""##
    static let dots = ##"fill="#cb6e17""##
    static let paper = ##"fill="#ffffff""##
    static let roundTrip = ##"fill="#f5f7fa""##
    /// Lines that pass behind a text leave it readable.
    static let halo =
      ##"fill="#52606d" stroke="#ffffff" stroke-width="4" stroke-linejoin="round" paint-order="stroke""##
  }

  private static let runsDrawn = 12
  private static let (width, height) = (960, 600)
  private static let plot = (left: 84.0, top: 174.0, right: 930.0, bottom: 530.0)

  let name: String
  let path: PathSpec
  let bytes: Int
  let model: [Fetches.Run]
  let measured: [Fetches.Run]

  private let curve: ArrivalCurve
  private let horizontal: AxisScale
  private let vertical: AxisScale
  private let inSeconds: Bool

  init(name: String, path: PathSpec, bytes: Int, model: [Fetches.Run], measured: [Fetches.Run]) {
    self.name = name
    self.path = path
    self.bytes = bytes
    self.model = model
    self.measured = measured.filter { $0.failure == nil }
    curve = ArrivalCurve(model, bytes: bytes)
    let end = max(curve.end, measured.compactMap(\.arrivals.last?.milliseconds).max() ?? 0) * 1.04
    inSeconds = end >= 3_000
    horizontal = AxisScale(upTo: inSeconds ? end / 1000 : end, ticks: 10)
    vertical = AxisScale(upTo: Double(bytes) / 1000 * 1.06, ticks: 6)
  }

  func svg(profile: Profile, seed: UInt64) -> String {
    var drawing = SVGDrawing(width: Self.width, height: Self.height)
    drawing.rectangle(x: 0, y: 0, width: Double(Self.width), height: Double(Self.height), Style.paper)
    drawHeading(&drawing, profile)
    drawLegend(&drawing)
    drawRoundTrips(&drawing)
    drawAxes(&drawing)
    drawModel(&drawing)
    drawMeasured(&drawing)
    drawMarks(&drawing)
    drawRoundTripNumbers(&drawing)
    drawing.label(
      "headwind selftest \(profile.name) --seed \(seed)", at: Point(x: Self.plot.right, y: 586), size: 11, anchor: .end,
      Style.faint)
    let title = "\(name): \(FigureText.bytes(bytes)) on a new connection"
    return drawing.text(title: title, description: description)
  }

  // MARK: Words

  private func drawHeading(_ drawing: inout SVGDrawing, _ profile: Profile) {
    drawing.label(
      "\(name): \(FigureText.bytes(bytes)) on a new connection", at: Point(x: 24, y: 38), size: 21,
      Style.ink + #" font-weight="bold""#)
    drawing.label(numbers, at: Point(x: 24, y: 62), size: 13.5, Style.faint)
  }

  /// The path in one line.
  private var numbers: String {
    var parts: [String] = []
    let latency = path.latencyMilliseconds
    if latency > 0 {
      let jitter = path.jitterMilliseconds > 0 ? " ± \(JSON.number(path.jitterMilliseconds).text)" : ""
      parts.append("round trip \(JSON.number(latency).text)\(jitter) ms")
    }
    if path.trace?.downstream != nil {
      parts.append("recorded capacity down")
    } else if let rate = path.downstreamBytesPerSecond {
      parts.append("\(UnitText.bytes(rate))/s down")
    }
    let loss = path.downstreamLoss.model != .none || path.upstreamLoss.model != .none
    if loss { parts.append("packets are lost") }
    parts.append(path.modelInForce == .tcp ? "TCP (\(path.congestionControl.rawValue))" : "delay and rate only")
    return parts.joined(separator: " · ")
  }

  private var description: String {
    let last = curve.levels.last.map { FigureText.time(milliseconds: $0.median) } ?? "-"
    let found = measured.compactMap(\.arrivals.last?.milliseconds).median.map { FigureText.time(milliseconds: $0) }
    return "Bytes received over time since the connection began. The last byte comes after \(last) by the model, after "
      + "\(found ?? "-") as measured (medians of \(model.count) and \(measured.count) runs)."
  }

  private func drawLegend(_ drawing: inout SVGDrawing) {
    var x = 24.0
    func entry(_ text: String, _ sample: (inout SVGDrawing, Double) -> Void) {
      sample(&drawing, x)
      drawing.label(text, at: Point(x: x + 34, y: 92), size: 12.5, Style.ink)
      x += 34 + SVGDrawing.width(of: text, size: 12.5) + 26
    }
    let runs = hasBand ? "model, median of \(model.count) transfers" : "model (all its transfers are alike)"
    entry(runs) { $0.line(Point(x: $1, y: 88), Point(x: $1 + 26, y: 88), Style.model) }
    if hasBand {
      entry("model, 5 % to 95 %") { $0.rectangle(x: $1, y: 80, width: 26, height: 15, Style.band) }
    }
    let drawn = drawnRuns.count
    let which =
      drawn < measured.count ? "\(drawn) of \(measured.count) measured transfers" : "measured, \(drawn) transfers"
    entry(which) { drawing, x in
      drawing.line(Point(x: x, y: 88), Point(x: x + 26, y: 88), Style.measured)
      drawing.circle(Point(x: x + 13, y: 88), radius: 2.6, Style.dots)
    }
  }

  // MARK: Axes

  private func x(_ milliseconds: Double) -> Double {
    let plot = Self.plot
    return plot.left + (plot.right - plot.left) * (inSeconds ? milliseconds / 1000 : milliseconds) / horizontal.most
  }

  private func y(_ bytes: Int) -> Double {
    let plot = Self.plot
    return plot.bottom - (plot.bottom - plot.top) * Double(bytes) / 1000 / vertical.most
  }

  private func drawAxes(_ drawing: inout SVGDrawing) {
    let plot = Self.plot
    for tick in vertical.ticks {
      let height = y(Int(tick * 1000))
      drawing.line(Point(x: plot.left, y: height), Point(x: plot.right, y: height), Style.grid)
      drawing.label(
        FigureText.decimal(tick, places: vertical.places), at: Point(x: plot.left - 10, y: height + 4), size: 12,
        anchor: .end, Style.faint)
    }
    for tick in horizontal.ticks {
      let place = x(inSeconds ? tick * 1000 : tick)
      drawing.line(Point(x: place, y: plot.bottom), Point(x: place, y: plot.bottom + 5), Style.axis)
      drawing.label(
        FigureText.decimal(tick, places: horizontal.places), at: Point(x: place, y: plot.bottom + 20), size: 12,
        anchor: .middle, Style.faint)
    }
    drawing.line(Point(x: plot.left, y: plot.bottom), Point(x: plot.right, y: plot.bottom), Style.axis)
    drawing.line(Point(x: plot.left, y: plot.top), Point(x: plot.left, y: plot.bottom), Style.axis)
    drawing.label(
      "time since the connection began (\(inSeconds ? "s" : "ms"))",
      at: Point(x: (plot.left + plot.right) / 2, y: plot.bottom + 44), size: 13, anchor: .middle, Style.ink)
    drawing.label(
      "received (kB)", at: Point(x: 30, y: (plot.top + plot.bottom) / 2), size: 13, anchor: .middle, turned: true,
      Style.ink)
  }

  /// Every other round trip as a stripe, while they can be told apart.
  private func drawRoundTrips(_ drawing: inout SVGDrawing) {
    for (number, left, right) in roundTrips where number % 2 == 1 {
      drawing.rectangle(
        x: left, y: Self.plot.top, width: right - left, height: Self.plot.bottom - Self.plot.top, Style.roundTrip)
    }
  }

  private func drawRoundTripNumbers(_ drawing: inout SVGDrawing) {
    let height = Self.plot.top - 7
    let roundTrips = roundTrips
    let isWide = roundTrips.first.map { $0.right - $0.left >= 96 } ?? false
    for (number, left, right) in roundTrips where right < Self.plot.right {
      drawing.label(
        isWide ? "round trip \(number)" : "\(number)", at: Point(x: (left + right) / 2, y: height), size: 11,
        anchor: .middle, Style.halo)
    }
    if !isWide, !roundTrips.isEmpty {
      drawing.label("round trip", at: Point(x: Self.plot.left - 8, y: height), size: 11, anchor: .end, Style.faint)
    }
  }

  /// From 1 on, with their places; none where they would be too narrow for their numbers.
  private var roundTrips: [(number: Int, left: Double, right: Double)] {
    let plot = Self.plot
    let width = x(path.latencyMilliseconds) - plot.left
    guard path.latencyMilliseconds > 0, width >= 24 else { return [] }
    let count = Int(((plot.right - plot.left) / width).rounded(.up))
    return (1...max(1, count)).map { number in
      let left = plot.left + Double(number - 1) * width
      return (number, left, min(plot.right, left + width))
    }
  }

  // MARK: Curves

  private var hasBand: Bool { curve.hasBand(of: 0.002 * (inSeconds ? horizontal.most * 1000 : horizontal.most)) }

  /// Steps: what comes at a time stands from then on.
  private func steps(_ arrivals: [(milliseconds: Double, bytes: Int)]) -> [Point] {
    var (points, before) = ([Point](), 0)
    for arrival in arrivals {
      points.append(Point(x: x(arrival.milliseconds), y: y(before)))
      points.append(Point(x: x(arrival.milliseconds), y: y(arrival.bytes)))
      before = arrival.bytes
    }
    return points
  }

  private func drawModel(_ drawing: inout SVGDrawing) {
    let levels = curve.levels
    if hasBand {
      let early = steps(levels.map { ($0.early, $0.bytes) })
      let late = steps(levels.map { ($0.late, $0.bytes) })
      drawing.polygon(early + late.reversed(), Style.band)
    }
    drawing.polyline([Point(x: x(0), y: y(0))] + steps(levels.map { ($0.median, $0.bytes) }), Style.model)
  }

  /// Spread over all that there are, by how long they took.
  private var drawnRuns: [Fetches.Run] {
    let sorted = measured.sorted { ($0.arrivals.last?.milliseconds ?? 0) < ($1.arrivals.last?.milliseconds ?? 0) }
    guard sorted.count > Self.runsDrawn else { return sorted }
    return (0..<Self.runsDrawn).map { sorted[$0 * (sorted.count - 1) / (Self.runsDrawn - 1)] }
  }

  private func drawMeasured(_ drawing: inout SVGDrawing) {
    let runs = drawnRuns
    for run in runs { drawing.polyline(steps(run.arrivals), Style.measured) }
    // Each arrival of the middle one.
    guard !runs.isEmpty else { return }
    for arrival in runs[runs.count / 2].arrivals {
      drawing.circle(Point(x: x(arrival.milliseconds), y: y(arrival.bytes)), radius: 2.6, Style.dots)
    }
  }

  // MARK: Marks

  /// The model's moments, as flags on top of the plot, at several heights where they would cover each other.
  private func drawMarks(_ drawing: inout SVGDrawing) {
    var marks: [(milliseconds: Double, text: String)] = []
    if path.modelInForce == .tcp, path.latencyMilliseconds > 0 {
      marks.append((path.latencyMilliseconds, "handshake"))
    }
    if let first = curve.levels.first { marks.append((first.median, "first byte")) }
    if let last = curve.levels.last { marks.append((last.median, "last byte")) }
    var ends = [Double](repeating: -.infinity, count: 3)
    for mark in marks {
      let text = "\(mark.text) \(FigureText.time(milliseconds: mark.milliseconds))"
      let width = SVGDrawing.width(of: text, size: 12)
      let left = min(max(x(mark.milliseconds) - width / 2, 24), Self.plot.right - width)
      let row = ends.firstIndex { $0 + 12 <= left } ?? ends.count - 1
      ends[row] = left + width
      let height = Self.plot.top - 28 - Double(row) * 17
      drawing.line(
        Point(x: x(mark.milliseconds), y: height + 4), Point(x: x(mark.milliseconds), y: Self.plot.bottom), Style.mark)
      // Behind it nothing is to be seen of a flag below.
      drawing.rectangle(x: left - 3, y: height - 11, width: width + 6, height: 14, Style.paper)
      drawing.label(text, at: Point(x: left + width / 2, y: height), size: 12, anchor: .middle, Style.ink)
    }
  }
}

extension SelfTestSection {
  /// Nil where nothing arrives.
  var picture: ArrivalPicture? {
    for task in tasks {
      guard case .path(.fetches(_, let bytes)) = task.work, !task.modelRuns.isEmpty else { continue }
      return ArrivalPicture(name: name, path: path, bytes: bytes, model: task.modelRuns, measured: task.measuredRuns)
    }
    return nil
  }
}
