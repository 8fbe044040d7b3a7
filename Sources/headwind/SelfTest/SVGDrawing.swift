/// A drawing as SVG 1.1, element by element: no scripts, no styles from elsewhere, nothing that a viewer has to fetch.
struct SVGDrawing {
  struct Point {
    var x: Double
    var y: Double
  }

  enum Anchor: String { case start, middle, end }

  let width: Int
  let height: Int
  private var elements: [String] = []

  init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// - Parameters:
  ///   - title: what it shows, for those who can't see it.
  func text(title: String, description: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" viewBox="0 0 \(width) \(height)" \
    role="img" font-family="Helvetica, Arial, 'DejaVu Sans', sans-serif">
    <title>\(JUnitReport.escaped(title))</title>
    <desc>\(JUnitReport.escaped(description))</desc>
    \(elements.joined(separator: "\n"))
    </svg>

    """
  }

  mutating func rectangle(x: Double, y: Double, width: Double, height: Double, _ style: String) {
    elements.append(
      #"<rect x="\#(number(x))" y="\#(number(y))" width="\#(number(width))" height="\#(number(height))" \#(style)/>"#)
  }

  mutating func line(_ from: Point, _ to: Point, _ style: String) {
    elements.append(
      #"<line x1="\#(number(from.x))" y1="\#(number(from.y))" x2="\#(number(to.x))" y2="\#(number(to.y))" \#(style)/>"#)
  }

  mutating func polyline(_ points: [Point], _ style: String) {
    elements.append(#"<polyline points="\#(list(points))" fill="none" \#(style)/>"#)
  }

  mutating func polygon(_ points: [Point], _ style: String) {
    elements.append(#"<polygon points="\#(list(points))" \#(style)/>"#)
  }

  mutating func circle(_ centre: Point, radius: Double, _ style: String) {
    elements.append(
      #"<circle cx="\#(number(centre.x))" cy="\#(number(centre.y))" r="\#(number(radius))" \#(style)/>"#)
  }

  mutating func label(
    _ text: String, at point: Point, size: Double, anchor: Anchor = .start, turned: Bool = false, _ style: String = ""
  ) {
    let place = #"x="\#(number(point.x))" y="\#(number(point.y))""#
    let turn = turned ? #" transform="rotate(-90 \#(number(point.x)) \#(number(point.y)))""# : ""
    let anchor = anchor == .start ? "" : #" text-anchor="\#(anchor.rawValue)""#
    elements.append(
      #"<text \#(place) font-size="\#(number(size))"\#(anchor)\#(turn) \#(style)>\#(JUnitReport.escaped(text))</text>"#)
  }

  /// How wide a text is, about: fonts differ.
  static func width(of text: String, size: Double) -> Double { Double(text.count) * size * 0.56 }

  private func list(_ points: [Point]) -> String {
    points.map { "\(number($0.x)),\(number($0.y))" }.joined(separator: " ")
  }

  /// To hundredths of a pixel.
  private func number(_ value: Double) -> String {
    var text = FigureText.decimal(value, places: 2)
    while text.hasSuffix("0") { text.removeLast() }
    if text.hasSuffix(".") { text.removeLast() }
    return text == "-0" ? "0" : text
  }
}
