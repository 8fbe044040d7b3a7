import Testing

@testable import ControlAPI
@testable import Reactor

/// The writer of the exposition format, by its specification.
@Suite struct MetricsTextTests {
  private func text(_ body: (inout MetricsText) -> Void) -> String {
    var text = MetricsText()
    body(&text)
    return String(decoding: text.text, as: UTF8.self)
  }

  @Test(arguments: [
    ("web", #"web"#), ("", ""), (#"a"b"#, #"a\"b"#), (#"a\b"#, #"a\\b"#), ("a\nb", #"a\nb"#), (#"a\nb"#, #"a\\nb"#),
    ("a\rb\t", "a\rb\t"), ("a\0b\u{1B}[31m", "a\0b\u{1B}[31m"), ("ключ 🔑 e\u{301}", "ключ 🔑 e\u{301}"),
    ("a,b}={", "a,b}={"),
    (String(decoding: [0x61, 0xFF, 0x62] as [UInt8], as: UTF8.self), "a\u{FFFD}b"), (#"\""#, #"\\\""#),
  ])
  func labelValuesAreEscaped(value: String, written: String) {
    // As bytes: equal strings may have different ones.
    #expect(MetricLabel("proxy", value).text == Array("proxy=\"\(written)\"".utf8))
  }

  @Test(arguments: [
    (MetricValue.integer(0), "0"), (.integer(Int64.max), "9223372036854775807"), (.integer(-1), "-1"),
    (.seconds(nanoseconds: 0), "0"), (.seconds(nanoseconds: 1), "0.000000001"),
    (.seconds(nanoseconds: 1_500_000_000), "1.5"), (.seconds(nanoseconds: 3_000_000_000), "3"),
    (.seconds(nanoseconds: 10_000_000), "0.01"),
    (.seconds(nanoseconds: 1_796_025_941_764_164_661), "1796025941.764164661"),
    (.seconds(nanoseconds: -2_500_000_000), "-2.5"), (.seconds(nanoseconds: .min), "-9223372036.854775808"),
  ])
  func numbersAreExact(value: MetricValue, written: String) {
    #expect(value.text == written)
  }

  @Test func familiesAreSortedAndHaveHelpAndType() {
    let written = text { text in
      text.single("b_total", .counter, #"A \ and "quotes""# + "\nin two lines.", .integer(2))
      text.family("a", .gauge, "First.") { family in
        family.add(
          .integer(1), MetricLabel("x", "1"), MetricLabel("y", "2"), MetricLabel("z", "3"), MetricLabel("zz", "4"))
        family.add(.integer(5), MetricLabel("x", "0"))
      }
      text.family("empty", .gauge, "Not to be seen.") { _ in }
      text.single("absent", .gauge, "Not to be seen.", nil)
    }
    #expect(
      written == #"""
        # HELP a First.
        # TYPE a gauge
        a{x="1",y="2",z="3",zz="4"} 1
        a{x="0"} 5
        # HELP b_total A \\ and "quotes"\nin two lines.
        # TYPE b_total counter
        b_total 2

        """#)
  }

  @Test func bucketsAreCumulativeAndAgreeWithTheCount() {
    var histogram = DurationHistogram()
    for nanoseconds in [50_000, 90_000, 200_000, 2_000_000_000] as [Int64] {
      histogram.record(nanoseconds: nanoseconds)
    }
    let lines = text { text in
      text.family("wait_seconds", .histogram, "Waits.") { $0.add(histogram, MetricLabel("handler", "/x")) }
    }.split(separator: "\n")
    #expect(lines[2] == #"wait_seconds_bucket{handler="/x",le="0.0001"} 2"#)
    #expect(lines[3] == #"wait_seconds_bucket{handler="/x",le="0.00025"} 3"#)
    #expect(lines[13] == #"wait_seconds_bucket{handler="/x",le="1"} 3"#)
    #expect(lines[14] == #"wait_seconds_bucket{handler="/x",le="+Inf"} 4"#)
    #expect(lines[15] == #"wait_seconds_sum{handler="/x"} 2.00034"#)
    #expect(lines[16] == #"wait_seconds_count{handler="/x"} 4"#)
    #expect(text { $0.family("w", .histogram, "W.") { $0.add(histogram) } }.contains(#"w_bucket{le="0.0001"} 2"#))
  }
}
