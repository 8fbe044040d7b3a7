@testable import Forwarding

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: bytes, count: count))
  for step in checkCuts(HTTPRequestReader(), input).steps {
    switch step {
    case .head(let head):
      if let problem = RewritingOracle.problem(head) { fatalError(problem) }
    case .refused(let refusal): checkAnswer(refusal)
    case .body, .complete, .needsMore: break
    }
  }
  return 0
}
