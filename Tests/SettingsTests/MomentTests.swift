import Testing

@testable import Settings

/// Moments as `--since` and `?since=` take them.
struct MomentTests {
  static let times: [(text: String, seconds: Double)] = [
    ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:00.5Z", 0.5), ("2026-11-30T10:00:00Z", 1_796_032_800),
    ("2026-11-30T11:00:00+01:00", 1_796_032_800), ("2026-11-30t04:30:00.000-05:30", 1_796_032_800),
    ("2026-11-30 10:00:00z", 1_796_032_800), ("2000-02-29T00:00:00Z", 951_782_400),
    ("2024-03-01T00:00:00Z", 1_709_251_200), ("2100-03-01T00:00:00Z", 4_107_542_400),
    ("2016-12-31T23:59:60Z", 1_483_228_800), ("@0", 0), ("@1796032800", 1_796_032_800), ("@1.25", 1.25),
  ]

  @Test(arguments: times)
  func timesAreRead(text: String, seconds: Double) throws {
    #expect(try Moment(parsing: text) == .time(nanoseconds: Int64(seconds * 1e9)))
  }

  @Test func fractionsOfASecondAreExact() throws {
    #expect(try Moment(parsing: "1970-01-01T00:00:01.123456789Z") == .time(nanoseconds: 1_123_456_789))
    #expect(try Moment(parsing: "1970-01-01T00:00:01.1234567891Z") == .time(nanoseconds: 1_123_456_789))
  }

  @Test func theLastSecondThatCanBeCountedIsRead() throws {
    #expect(try Moment(parsing: "@9223372035.999999999") == .time(nanoseconds: 9_223_372_035_999_999_999))
  }

  @Test func eventsAndTimesAgoAreRead() throws {
    #expect(try Moment(parsing: "0") == .event(0))
    #expect(try Moment(parsing: "4711") == .event(4711))
    #expect(try Moment(parsing: "5m") == .ago(.seconds(300)))
    #expect(try Moment(parsing: "1h30m") == .ago(.seconds(5_400)))
  }

  @Test(
    arguments: [
      "", "x", "-1", "+1", "1.5", "@", "@-1", "@x", "@1.", "@9223372036", "@9999999999.9", "@12345678901", "5 m", "0s",
      "25h", "@-",
      "2026-11-30", "2026-11-30T10:00:00", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-02-29T00:00:00Z",
      "2100-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z",
      "2026-01-01T00:00:61Z", "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00+1:00", "2026-01-01T00:00:00+24:00",
      "2026-01-01T00:00:00Zx", "1969-12-31T23:59:59Z", "1970-01-01T00:00:00+01:00", "2262-01-01T00:00:00Z",
      "２026-01-01T00:00:00Z", "2026-01-01T00:00:00é", "99999999999999999999",
    ])
  func whatIsNoMomentIsToldWithWhatIs(text: String) {
    let error = #expect(throws: SettingsError.self) { _ = try Moment(parsing: text) }
    #expect(error?.message == "is \(JSON.string(text).text); allowed: \(Moment.allowed)")
  }
}
