/// Columns that line up, for people.
struct TextTable {
  private var rows: [[String]]
  /// Columns whose contents stand to the right, counted from 0.
  private let rightAligned: Set<Int>

  init(_ heading: [String], rightAligned: Set<Int> = []) {
    rows = [heading]
    self.rightAligned = rightAligned
  }

  mutating func add(_ row: [String]) { rows.append(row) }

  var text: String {
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let cells = row.indices.map { column -> String in
        let space = String(repeating: " ", count: widths[column] - row[column].count)
        return rightAligned.contains(column) ? space + row[column] : row[column] + space
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
