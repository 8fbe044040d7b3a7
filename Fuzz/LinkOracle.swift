import Conditioning

/// What holds for every link, whatever its toxics were: the bytes that came out are a beginning of those that went in, in
/// order, none before it came, each with its mark; and behind an end there is only what may stand there.
enum LinkOracle {
  /// - Returns: whether everything came out, and the end with it.
  static func check(_ link: BenchLink) -> Bool {
    var offset: Int64 = 0
    var last = Instant.distantPast
    var openings: [Int64] = []
    var arrivals = link.inputs[...]
    var closing: [Segment] = []
    for output in link.outputs {
      guard output.time >= last else { fatalError("\(output) before \(last)") }
      last = output.time
      guard case .bytes(let extent) = output.segment else {
        closing.append(output.segment)
        continue
      }
      guard extent.start == offset, closing.isEmpty else { fatalError("\(extent) at \(offset), behind \(closing)") }
      offset = extent.end
      if extent.opensExchange { openings.append(extent.start) }
      while let input = arrivals.first, input.extent.start < extent.end {
        guard input.time <= output.time else { fatalError("\(output) before \(input)") }
        arrivals.removeFirst()
      }
    }
    let marks = link.inputs.filter { $0.extent.opensExchange && $0.extent.start < offset }.map(\.extent.start)
    guard openings == marks else { fatalError("exchanges open at \(openings), not \(marks)") }
    guard isProper(closing) else { fatalError("the end is \(closing)") }
    return offset == Int64(link.sentBytes) && closing == [.end]
  }

  /// See ``Link``.
  private static func isProper(_ closing: [Segment]) -> Bool {
    [[], [.end], [.close], [.reset], [.end, .close], [.end, .reset], [.close, .reset], [.end, .close, .reset]]
      .contains(closing)
  }
}
