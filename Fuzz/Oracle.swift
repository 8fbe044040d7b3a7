@testable import Forwarding

/// What holds for every input, whichever parser: it takes no more than it is offered, comes to an end, and cuts make no
/// difference. Where the input is cut depends on it alone, so that a finding can be repeated.
func checkCuts<P: Parser>(_ parser: P, _ input: [UInt8]) -> Run<P.Step> {
  let whole = run(parser, input)
  guard whole.isSound else { fatalError("took too much, left some, or found no end: \(whole)") }
  var hash = input.reduce(UInt64(14_695_981_039_346_656_037)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
  var dice = { () -> Int in
    hash = hash &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(hash >> 33)
  }
  var cuts = (0..<(1 + dice() % 3)).map { _ in dice() % (input.count + 1) }.sorted()
  if dice() % 8 == 0, input.count <= 512 { cuts = Array(0..<input.count) }
  let inPieces = run(parser, input, cuts: cuts)
  guard inPieces == whole else { fatalError("cut at \(cuts): \(inPieces)\nwhole: \(whole)") }
  return whole
}

/// What the client is told is one response, whatever the reason holds of the client's bytes.
func checkAnswer(_ refusal: Refusal) {
  var reader = HTTPResponseReader()
  reader.begin(method: "GET")
  let answer = ProxyAnswer.answer(to: refusal, closes: true)
  let run = run(reader, answer)
  guard run.consumed == answer.count, run.steps.last == .complete(keepsAlive: false) else {
    fatalError("the answer to \(refusal) is read as \(run)")
  }
}
