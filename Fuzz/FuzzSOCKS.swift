@testable import Forwarding

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: bytes, count: count))
  for step in checkCuts(SOCKSHandshake(), input).steps {
    switch step {
    case .connect(let target):
      // What it names can be asked for again in HTTP, and names the same.
      var reader = HTTPRequestReader()
      let request = target.connectRequest(authorization: nil)
      guard case .head(let head) = reader.next(request.span.bytes, from: 0).step, head.target == target else {
        fatalError("\(target)")
      }
    case .refused(let refusal): checkAnswer(refusal)
    case .reply(let bytes):
      guard bytes == [5, 0] else { fatalError("\(bytes)") }
    case .needsMore: break
    }
  }
  return 0
}
