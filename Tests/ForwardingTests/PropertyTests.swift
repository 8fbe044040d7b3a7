@testable import Forwarding
import Testing

/// However an input is cut the steps are the same, and no input makes a parser trap or take more than it is offered.
@Suite struct PropertyTests {
  @Test(arguments: Examples.requests) func cutsOfRequestsMakeNoDifference(text: String) {
    checkCuts(HTTPRequestReader(), text.wire)
  }

  @Test(arguments: Examples.responses.indices) func cutsOfResponsesMakeNoDifference(index: Int) {
    checkCuts(Self.reader(Examples.responses[index].methods), Examples.responses[index].text.wire)
  }

  @Test(arguments: Examples.socks) func cutsOfSOCKSMakeNoDifference(bytes: [UInt8]) {
    checkCuts(SOCKSHandshake(), bytes)
  }

  @Test func changedInputsAreTakenOrRefused() {
    var dice = SystemRandomNumberGenerator()
    for _ in 0..<150 {
      for text in Examples.requests { checkChanged(HTTPRequestReader(), text.wire, &dice) }
      for (methods, text) in Examples.responses { checkChanged(Self.reader(methods), text.wire, &dice) }
      for bytes in Examples.socks { checkChanged(SOCKSHandshake(), bytes, &dice) }
    }
  }

  /// What goes to the origin server or the next proxy is understood there as it was here.
  @Test(arguments: Examples.requests) func rewrittenHeadsMeanTheSame(text: String) throws {
    for case .head(let head) in run(HTTPRequestReader(), text.wire).steps {
      let problem = RewritingOracle.problem(head)
      #expect(problem == nil, "\(problem ?? "")")
    }
  }

  private static func reader(_ methods: [String]) -> HTTPResponseReader {
    var reader = HTTPResponseReader()
    for method in methods { reader.begin(method: method) }
    return reader
  }

  private func checkCuts<P: Parser>(_ parser: P, _ input: [UInt8]) {
    let whole = run(parser, input)
    #expect(whole.isSound && whole.consumed > 0)
    for cut in 0...input.count { #expect(run(parser, input, cuts: [cut]) == whole, "cut at \(cut)") }
    #expect(run(parser, input, cuts: Array(0..<input.count)) == whole, "byte by byte")
  }

  private func checkChanged<P: Parser>(_ parser: P, _ input: [UInt8], _ dice: inout SystemRandomNumberGenerator) {
    var input = input
    for _ in 0..<Int.random(in: 1...4, using: &dice) {
      let place = Int.random(in: 0..<input.count, using: &dice)
      switch Int.random(in: 0..<4, using: &dice) {
      case 0: input[place] = UInt8.random(in: 0...255, using: &dice)
      case 1: input.insert(Array("\r\n :,;\u{0}05/".utf8).randomElement(using: &dice) ?? 0, at: place)
      case 2: input.removeSubrange(place..<min(input.count, place + 3))
      default: input.insert(contentsOf: input[..<place].suffix(20), at: place)
      }
      if input.isEmpty { return }
    }
    let whole = run(parser, input)
    let cut = Int.random(in: 0...input.count, using: &dice)
    #expect(whole.isSound && run(parser, input, cuts: [cut]) == whole, "\(input) cut at \(cut)")
  }
}
