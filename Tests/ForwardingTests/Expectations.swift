@testable import Forwarding
import Testing

func expectRefusal(
  _ step: HTTPRequestReader.Step?, _ kind: Refusal.Kind, _ words: String, at place: SourceLocation = #_sourceLocation
) {
  guard case .refused(let refusal) = step else {
    Issue.record("not refused: \(String(describing: step))", sourceLocation: place)
    return
  }
  #expect(refusal.kind == kind, sourceLocation: place)
  #expect(refusal.reason.contains(words), "\(refusal.reason)", sourceLocation: place)
}
