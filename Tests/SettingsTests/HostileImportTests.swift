import Testing

@testable import Settings

private func imported(_ text: [UInt8]) throws -> ProfileImport {
  try ImportRequest(text: text, source: "some/file.x", name: "x").read()
}

/// Files that nobody's tool wrote.
@Suite struct HostileImportTests {
  /// The library's decoder goes down with each element.
  @Test(arguments: ["<array>", "<dict><key>a</key>"]) func deepListsDoNotUseUpTheStack(_ opening: String) {
    func text(_ depth: Int) -> [UInt8] { "<plist>\(String(repeating: opening, count: depth))".bytes }
    #expect(message { _ = try imported(text(200_000)) } == "some/file.x: is nested deeper than 16 levels")
    #expect(message { _ = try imported(text(16)) }.contains("is not a property list that can be read"))
  }

  @Test func asManyElementsAsOneLikesAreNotDeep() throws {
    let many = String(repeating: "<key>a</key><true/><key>b</key><array><dict/></array>", count: 100)
    let text =
      "<?xml version=\"1.0\"?><!-- a comment --><plist><dict><key>UplinkDelay</key><real>5</real>\(many)</dict></plist>"
    #expect(try imported(text.bytes).profile.path == PathSpec(latencyMilliseconds: 5))
  }

  /// Binary, with one array, whose one element is the array itself.
  @Test func aListThatHoldsItselfIsOnlyRefused() {
    let array: [UInt8] = [0xA1, 0]
    let offsets: [UInt8] = [8]
    let sizes: [UInt8] = [0, 0, 0, 0, 0, 0, 1, 1]
    let counts: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1] + [0, 0, 0, 0, 0, 0, 0, 0] + [0, 0, 0, 0, 0, 0, 0, 10]
    let text = "bplist00".bytes + array + offsets + sizes + counts
    #expect(message { _ = try imported(text) } == "some/file.x: is a property list, but no dictionary")
  }

  /// What is printed must be a profile that can be read.
  @Test func latencyBeyondThatOfAPathStaysAToxic() throws {
    let text = #"""
      {"name": "web", "toxics": [
        {"name": "a", "type": "latency", "stream": "upstream", "attributes": {"latency": 600000}},
        {"name": "b", "type": "latency", "attributes": {"latency": 1}}]}
      """#
    let read = try imported(text.bytes)
    #expect(read.profile.path == PathSpec(latencyMilliseconds: 600_000))
    #expect(read.profile.toxics.map(\.name) == ["b"])
    #expect(
      try Profile(text: ProfileFileText(read.profile, comments: read.comments).text.utf8, source: "") == read.profile)
  }
}
