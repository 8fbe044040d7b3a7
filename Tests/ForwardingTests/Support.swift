@testable import Forwarding

/// The three parsers seen alike, for properties that hold for all.
protocol Parser {
  associatedtype Step: Hashable
  mutating func next(_ bytes: RawSpan, from offset: Int) -> (consumed: Int, step: Step)
  static func isNeedsMore(_ step: Step) -> Bool
  static func isRefused(_ step: Step) -> Bool
  /// Whether nothing more is to be asked: what follows is a tunnel, or the connection is closed.
  static func isLast(_ step: Step) -> Bool
  /// The length of a piece of a body; nil for any other step.
  static func bodyBytes(_ step: Step) -> Int?
  static func body(_ count: Int) -> Step
}

/// What a parser made of an input.
struct Run<Step: Hashable>: Hashable {
  /// Pieces of bodies that follow each other are joined.
  var steps: [Step] = []
  var consumed = 0
  /// More consumed than offered, or bytes left where all should have been taken, or no end of it.
  var isSound = true

  var isRefused = false
}

/// Offers `input` in pieces that end at `cuts`.
func run<P: Parser>(_ parser: P, _ input: [UInt8], cuts: [Int] = []) -> Run<P.Step> {
  var parser = parser
  var run = Run<P.Step>()
  var start = 0
  for end in cuts + [input.count] {
    let piece = Array(input[start..<end])
    let isOver = offer(piece, to: &parser, &run)
    start = end
    if isOver { break }
  }
  return run
}

/// Asks until the piece is used up; whether the parser wants nothing more at all.
private func offer<P: Parser>(_ piece: [UInt8], to parser: inout P, _ run: inout Run<P.Step>) -> Bool {
  var offset = 0
  for _ in 0...(piece.count * 3 + 3) {
    let (consumed, step) = parser.next(piece.span.bytes, from: offset)
    guard consumed >= 0, offset + consumed <= piece.count else {
      run.isSound = false
      return true
    }
    offset += consumed
    run.consumed += consumed
    if P.isNeedsMore(step) {
      run.isSound = run.isSound && offset == piece.count
      return false
    }
    if let count = P.bodyBytes(step) {
      run.isSound = run.isSound && count == consumed
      if let last = run.steps.last.flatMap(P.bodyBytes) {
        run.steps[run.steps.count - 1] = P.body(last + count)
        continue
      }
    }
    run.steps.append(step)
    run.isRefused = P.isRefused(step)
    if P.isLast(step) { return true }
  }
  run.isSound = false
  return true
}

extension SOCKSHandshake: Parser {
  mutating func next(_ bytes: RawSpan, from offset: Int) -> (consumed: Int, step: Step) { receive(bytes, from: offset) }
  static func isNeedsMore(_ step: Step) -> Bool { step == .needsMore }
  static func isRefused(_ step: Step) -> Bool { if case .refused = step { true } else { false } }
  static func isLast(_ step: Step) -> Bool { if case .connect = step { true } else { isRefused(step) } }
  static func bodyBytes(_ step: Step) -> Int? { nil }
  static func body(_ count: Int) -> Step { .needsMore }
}

extension HTTPRequestReader: Parser {
  static func isNeedsMore(_ step: Step) -> Bool { step == .needsMore }
  static func isRefused(_ step: Step) -> Bool { if case .refused = step { true } else { false } }
  static func isLast(_ step: Step) -> Bool {
    if case .head(let head) = step { head.isConnect } else { isRefused(step) }
  }
  static func bodyBytes(_ step: Step) -> Int? { if case .body(let count) = step { count } else { nil } }
  static func body(_ count: Int) -> Step { .body(count) }
}

extension HTTPResponseReader: Parser {
  static func isNeedsMore(_ step: Step) -> Bool { step == .needsMore }
  static func isRefused(_ step: Step) -> Bool { if case .refused = step { true } else { false } }
  static func isLast(_ step: Step) -> Bool { step == .upgraded || isRefused(step) }
  static func bodyBytes(_ step: Step) -> Int? { if case .body(let count) = step { count } else { nil } }
  static func body(_ count: Int) -> Step { .body(count) }
}

struct UnexpectedStep: Error { let step: String }

/// The head of the one request in `text`.
func requestHead(_ text: String) throws -> RequestHead {
  let run = run(HTTPRequestReader(), text.wire)
  guard case .head(let head) = run.steps.first else { throw UnexpectedStep(step: "\(run.steps)") }
  return head
}
