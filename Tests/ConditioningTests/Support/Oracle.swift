import Conditioning
import Testing

/// What must hold for every link that drops nothing: the same bytes in the same order with their marks, none before it
/// came, time never back, and the end last.
func expectFaithful(_ link: BenchLink, ended: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
  var offset: Int64 = 0
  var last = Instant.distantPast
  var openings: [Int64] = []
  var arrivals = link.inputs[...]
  var extents = link.outputs[...]
  if ended { #expect(extents.popLast()?.segment == .end, sourceLocation: sourceLocation) }
  for output in extents {
    guard case .bytes(let extent) = output.segment, extent.start == offset, output.time >= last else {
      Issue.record("\(output) after offset \(offset), \(last)", sourceLocation: sourceLocation)
      return
    }
    offset = extent.end
    last = output.time
    if extent.opensExchange { openings.append(extent.start) }
    while let input = arrivals.first, input.extent.start < extent.end {
      if input.time > output.time { Issue.record("\(output) before \(input)", sourceLocation: sourceLocation) }
      arrivals.removeFirst()
    }
  }
  #expect(offset == Int64(link.sentBytes), sourceLocation: sourceLocation)
  let expected = link.inputs.filter(\.extent.opensExchange).map(\.extent.start)
  #expect(openings == expected, sourceLocation: sourceLocation)
}

/// A range of lengths drawn evenly on a logarithmic scale: from single bytes to whole buffers.
extension SeededGenerator {
  mutating func length(upTo limit: Int) -> Int {
    let scale = Int.random(in: 0...(limit.bitWidth - limit.leadingZeroBitCount - 1), using: &self)
    return Int.random(in: 1...min(limit, 1 << scale), using: &self)
  }

  mutating func chance(_ probability: Double) -> Bool {
    unit() < probability
  }
}
