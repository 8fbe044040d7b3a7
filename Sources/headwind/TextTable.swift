/// Columns that line up, for people.
struct TextTable {
  /// Nil without a heading.
  private let heading: [String]?
  private var rows: [[String]] = []
  /// The colours of each row, by column.
  private var colours: [[Int: Colour]] = []
  /// Columns whose contents stand to the right, counted from 0.
  private let rightAligned: Set<Int>

  init(_ heading: [String]? = nil, rightAligned: Set<Int> = []) {
    self.heading = heading
    self.rightAligned = rightAligned
  }

  /// - Parameter colours: by column, where something is to be seen.
  mutating func add(_ row: [String], colours: [Int: Colour] = [:]) {
    rows.append(row.map(\.printable))
    self.colours.append(colours)
  }

  var isEmpty: Bool { rows.isEmpty }

  func text(isColoured: Bool = Colour.isWanted) -> String {
    let all = (heading.map { [$0] } ?? []) + rows
    let colours = (heading == nil ? [] : [[:]]) + colours
    let widths = (all.first ?? []).indices.map { column in all.map { $0[column].count }.max() ?? 0 }
    return zip(all, colours).map { row, colours in
      let cells = row.indices.map { column -> String in
        let space = String(repeating: " ", count: widths[column] - row[column].count)
        let cell = isColoured ? colours[column]?.painted(row[column]) ?? row[column] : row[column]
        return rightAligned.contains(column) ? space + cell : cell + space
      }
      return cells.joined(separator: "  ").trimmingTrailingSpace + "\n"
    }.joined()
  }
}

extension String {
  fileprivate var trimmingTrailingSpace: String {
    var copy = self
    while copy.last == " " { copy.removeLast() }
    return copy
  }
}
