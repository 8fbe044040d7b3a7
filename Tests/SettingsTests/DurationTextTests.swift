import Testing

@testable import Settings

@Suite struct DurationTextTests {
  @Test(arguments: [
    ("30s", Duration.seconds(30)), ("500ms", .milliseconds(500)), ("2m", .seconds(120)), ("1h", .seconds(3600)),
    ("1.5s", .milliseconds(1500)), ("1h30m", .seconds(5400)), ("24h", .seconds(86_400)), ("0.001ms", .microseconds(1)),
  ]) func reads(_ text: String, _ duration: Duration) throws {
    #expect(try DurationText.parse(text) == duration)
  }

  @Test(arguments: [
    "", "30", "0s", "-1s", "s", "1d", "24h1ms", "1e3s", "1 s", "1.2.3s", ".5s", "30S", "٣s", "nan", "infs",
    "99999999999999999999999s", "1s2",
  ]) func refuses(_ text: String) {
    #expect(
      message { _ = try DurationText.parse(text) }
        == "time is \(JSON.string(text).text); allowed: a time above 0 and up to 24h, in ms, s, m or h, "
        + "such as 30s or 1.5m")
  }
}
