@testable import Forwarding

/// The first byte says which requests went out: two bits for how many, then two for each.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: bytes, count: count))
  guard let first = input.first else { return 0 }
  var reader = HTTPResponseReader()
  for method in ResponseSeed.methods(first) { reader.begin(method: method) }
  for step in checkCuts(reader, Array(input.dropFirst())).steps {
    switch step {
    case .refused(let refusal):
      guard refusal.kind == .badAnswer else { fatalError("\(refusal)") }
      checkAnswer(refusal)
    case .head(let bytes, let info):
      // Passed as it is, so it has to be whole, and there is no more than one way for it to end.
      guard bytes.suffix(4) == [13, 10, 13, 10], !(info.isUntilClose && info.keepsAlive) else {
        fatalError("\(info): \(bytes)")
      }
    case .body, .complete, .upgraded, .needsMore: break
    }
  }
  return 0
}
