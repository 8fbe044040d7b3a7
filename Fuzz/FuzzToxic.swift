@testable import Conditioning
@testable import Proxying
@testable import Settings

/// A toxic's body, read as both APIs and a profile read it; what is taken stands in a link for a while and is removed.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: bytes, count: count))
  if let classic = attempt({ try ClassicToxic.read(body: input).spec() }) { run(classic) }
  let known = ToxicSpec(.latency(milliseconds: 1, jitterMilliseconds: 1), stream: .upstream)
  if let updated = attempt({ try known.updated(body: input).value }) { run(updated) }
  let profile = Array(#"{"name":"x","toxics":["#.utf8) + input + Array("]}".utf8)
  if let native = attempt({ try Profile(text: profile, source: "file") }) { native.toxics.forEach(run) }
  return 0
}

private func run(_ toxic: ToxicSpec) {
  let bench = Bench()
  let plan = [
    StagePlan(
      name: toxic.name, kind: toxic.attributes.stageKind, toxicity: Double(toxic.toxicity), trigger: toxic.trigger.core)
  ]
  let link = bench.addLink(plan)
  for count in [1, 3_000, 40_000] {
    bench.send(count, opens: true, to: link)
    for _ in 0..<200 where bench.step(notAfter: bench.now + .milliseconds(40)) {}
  }
  bench.send(.end, to: link)
  bench.change(link, to: [])
  bench.settle()
  _ = LinkOracle.check(link)
}
