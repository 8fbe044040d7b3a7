/// The candidate that was most likely meant by a mistyped word; nil when none is near.
package func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
  let wanted = Array(word.lowercased().unicodeScalars.prefix(80))
  // One slip in a short word, one in three letters of a longer one: more would suggest unrelated names.
  let limit = max(1, wanted.count / 3)
  let ranked = candidates.map { ($0, editDistance(wanted, Array($0.lowercased().unicodeScalars))) }
  // Nothing of the word is left where every letter is another.
  return ranked.filter { $0.1 <= limit && $0.1 < wanted.count }.min { $0.1 < $1.1 }?.0
}

/// Insertions, deletions, replacements and swaps of neighbours (optimal string alignment).
func editDistance<Element: Equatable>(_ a: [Element], _ b: [Element]) -> Int {
  var twoBack: [Int] = []
  var previous = Array(0...b.count)
  for i in a.indices {
    var row = [i + 1]
    for j in b.indices {
      let replaced = previous[j] + (a[i] == b[j] ? 0 : 1)
      var best = min(replaced, previous[j + 1] + 1, row[j] + 1)
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, twoBack[j - 1] + 1) }
      row.append(best)
    }
    (twoBack, previous) = (previous, row)
  }
  return previous[b.count]
}
