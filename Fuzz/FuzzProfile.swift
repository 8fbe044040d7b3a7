import Conditioning

@testable import Settings

/// Profiles, and other tools' files that become some: what is taken is written and read again as the same, is said in every
/// tool's words, and runs.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: bytes, count: count))
  if let profile = attempt({ try Profile(text: input, source: "file", expectedName: nil) }) { check(profile) }
  if let read = attempt({ try ImportRequest(text: input, source: "file", name: "imported").read() }) {
    let text = ProfileFileText(read.profile, comments: read.comments).text
    guard let again = try? Profile(text: text.utf8, source: "again"), again == read.profile else {
      fatalError("what was imported can't be read: \(text)")
    }
    check(read.profile)
  }
  return 0
}

private func check(_ profile: Profile) {
  guard let again = try? Profile(text: profile.json.text.utf8, source: "again"), again == profile else {
    fatalError("\(profile.json.text) is read otherwise")
  }
  for format in ExportFormat.allCases {
    let proxy = ExportedProxy(listen: "127.0.0.1:1", upstream: "127.0.0.1:2")
    _ = profile.exported(as: format, proxy: proxy).json(of: profile, as: format).text
  }
  run(profile.path.coreTimeline)
}

/// One session over the path for five minutes of virtual time, or as many steps as there is patience for.
private func run(_ timeline: PathTimeline) {
  let world = LabWorld(seed: 1)
  let session = world.connect(over: world.addPath(timeline))
  session.client.toWrite = 30_000
  session.server.toWrite = 30_000
  session.drive(at: world.now)
  var patience = 3_000
  world.run(until: .zero + .seconds(300)) {
    patience -= 1
    return patience > 0
  }
  guard session.server.receivedBytes <= 30_000, session.client.receivedBytes <= 30_000 else { fatalError("bytes") }
}
