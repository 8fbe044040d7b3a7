import Conditioning
import Foundation
import Settings
import Testing

@testable import headwind

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// What `selftest --svg` draws.
struct ArrivalPictureTests {
  private static let pictures: [(latency: Double, jitter: Double, ends: [Double])] = [
    (50, 0, [251, 251.2]), (100, 50, [792, 850, 803, 640]), (400, 100, [4_381, 4_600]), (600, 0, [3_007]),
    (0, 0, [0.4, 0.5]), (0, 0, []), (15, 0, [456]), (30, 0, [91_000]), (50, 0, [51]),
  ]

  /// 70 packets in rounds of the latency, the last at the end.
  private static func run(latency: Double, end: Double) -> Fetches.Run {
    let begin = min(2 * latency, end * 0.9)
    let arrivals = (1...70).map { number in
      (begin + (end - begin) * Double(number) / 70, number == 70 ? 102_400 : min(102_400, number * 1448))
    }
    return Fetches.Run(arrivals: arrivals)
  }

  private func svg(_ picture: (latency: Double, jitter: Double, ends: [Double])) -> String {
    let path = PathSpec(
      latencyMilliseconds: picture.latency, jitterMilliseconds: picture.jitter, downstreamBytesPerSecond: 1_000_000)
    let runs = picture.ends.map { Self.run(latency: picture.latency, end: $0) }
    let model = runs.isEmpty ? [Self.run(latency: picture.latency, end: 10)] : runs
    let drawn = ArrivalPicture(name: "a<b>&\"c", path: path, bytes: 102_400, model: model, measured: runs)
    return drawn.svg(profile: Profile(name: "a", path: path), seed: 1)
  }

  @Test(arguments: pictures)
  func aPictureIsXMLWithAxesAndTheirUnits(picture: (latency: Double, jitter: Double, ends: [Double])) throws {
    let parsed = try ParsedPicture(svg(picture))
    let texts = parsed.texts.map(\.text)
    #expect(texts.contains("received (kB)"))
    #expect(texts.contains { $0.hasPrefix("time since the connection began (") })
    #expect(texts.contains("a<b>&\"c: 100 KiB on a new connection") && texts.contains { $0.hasPrefix("last byte ") })
    #expect(
      parsed.elements.subtracting(["svg", "title", "desc", "rect", "line", "polyline", "polygon", "circle", "text"])
        == [])
    // Readable whatever is behind it.
    #expect(parsed.firstRectangle == ["x": "0", "y": "0", "width": "960", "height": "600", "fill": "#ffffff"])
    #expect(parsed.polylines == 1 + picture.ends.count)
    #expect(!svg(picture).contains("nan") && !svg(picture).contains("inf"))
  }

  @Test(arguments: pictures)
  func noLabelCoversAnother(picture: (latency: Double, jitter: Double, ends: [Double])) throws {
    let labels = try ParsedPicture(svg(picture)).texts.filter { !$0.isTurned }
    #expect(labels.count > 10)
    for (index, label) in labels.enumerated() {
      #expect(label.left >= 0 && label.right <= 960 && label.baseline < 600, "\(label)")
      for other in labels[(index + 1)...] { #expect(!label.covers(other), "\(label) and \(other)") }
    }
  }
}

/// What of a picture can be checked without looking at it.
private final class ParsedPicture: NSObject, XMLParserDelegate {
  struct Label {
    var text = ""
    var left = 0.0
    var right = 0.0
    var baseline = 0.0
    var size = 0.0
    var anchor = "start"
    var isTurned = false

    func covers(_ other: Label) -> Bool {
      left < other.right && other.left < right && baseline - size * 0.8 < other.baseline
        && other.baseline - other.size * 0.8 < baseline
    }
  }

  private(set) var texts: [Label] = []
  private(set) var elements: Set<String> = []
  private(set) var firstRectangle: [String: String]?
  private(set) var polylines = 0
  private var current: Label?

  init(_ text: String) throws {
    super.init()
    let parser = XMLParser(data: Data(text.utf8))
    parser.delegate = self
    guard parser.parse() else { throw parser.parserError ?? CocoaError(.fileReadCorruptFile) }
  }

  func parser(
    _ parser: XMLParser, didStartElement element: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String] = [:]
  ) {
    elements.insert(element)
    if element == "rect", firstRectangle == nil { firstRectangle = attributes }
    if element == "polyline" { polylines += 1 }
    guard element == "text" else { return }
    func number(_ name: String) -> Double { Double(attributes[name] ?? "") ?? -1 }
    current = Label(
      left: number("x"), baseline: number("y"), size: number("font-size"), anchor: attributes["text-anchor"] ?? "start",
      isTurned: attributes["transform"] != nil)
  }

  func parser(_ parser: XMLParser, foundCharacters text: String) { current?.text += text }

  func parser(_ parser: XMLParser, didEndElement element: String, namespaceURI: String?, qualifiedName: String?) {
    guard element == "text", var label = current else { return }
    let width = SVGDrawing.width(of: label.text, size: label.size)
    if label.anchor == "middle" { label.left -= width / 2 }
    if label.anchor == "end" { label.left -= width }
    label.right = label.left + width
    texts.append(label)
    current = nil
  }
}
