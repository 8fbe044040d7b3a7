import Testing

@testable import Reactor

@Suite struct WallTimeTests {
  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (1_000_000, "1970-01-01T00:00:00.001Z"),
      (951_827_696_123_999_999, "2000-02-29T12:34:56.123Z"), (1_796_032_800_000_000_000, "2026-11-30T10:00:00.000Z"),
      (.max, "2262-04-11T23:47:16.854Z"),
    ] as [(Int64, String)])
  func isShownAsRFC3339(nanoseconds: Int64, text: String) {
    #expect(WallTime(nanoseconds: nanoseconds).description == text)
  }
}
