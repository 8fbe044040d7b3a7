import Testing

@testable import Settings

/// What both dialects give for one text: compact JSON, or the error.
private func outcome(_ text: [UInt8], _ dialect: JSONReader.Dialect) -> String {
  do {
    return try JSONReader.read(text, dialect: dialect).text
  } catch { return "error: \(error)" }
}

@Suite struct JSONReaderTests {
  @Test(arguments: [
    Row(#"{"b":1,"a":[true,false,null,"x"]}"#, #"{"b":1,"a":[true,false,null,"x"]}"#),
    Row(" \r\n\t{ \"a\" : 1 }\n\n", #"{"a":1}"#),
    Row("{} trailing", "{}"),
    Row("1 2", "1"),
    Row(#"{"a":1,"a":2}"#, #"{"a":1,"a":2}"#),
    Row("null", "null"),
    Row("100.0", "100"), Row("1e3", "1000"), Row("1.50e1", "15"), Row("-0", "0"), Row("0.0", "0"), Row("2E+2", "200"),
    Row("1.5", "1.5"), Row("0.001", "0.001"), Row("1e-7", "1e-7"), Row("1e40", "1e+40"),
    Row("9007199254740993", "9007199254740993"), Row("9007199254740993.0", "9007199254740993"),
    Row("9223372036854775807", "9223372036854775807"), Row("-9223372036854775808", "-9223372036854775808"),
    Row("-9223372036854775809", "-9223372036854776000"),  // a Double: no longer an integer
    Row("18446744073709551615", "18446744073709551615"), Row("18446744073709551616", "18446744073709552000"),
    Row("1e999", "null"), Row("1e-999999999999", "0"),  // infinite, which only matters where it is used
    Row(#""\u00e9\n\/\"\\\b\f\r\t""#, #""é\n/\"\\\u0008\u000c\r\t""#),
    Row(#""\ud83d\ude00""#, "\"😀\""),
    Row(#""\ud800""#, "\"\u{FFFD}\""), Row(#""\udc00x""#, "\"\u{FFFD}x\""), Row(#""\ud800\u0041""#, "\"\u{FFFD}A\""),
  ]) func lenientReads(_ row: Row) {
    #expect(outcome(row.input.bytes, .lenient) == row.expected)
  }

  @Test(arguments: [
    Row("", "EOF"), Row(" \n", "EOF"),
    Row("{", "unexpected EOF"), Row(#"{"a""#, "unexpected EOF"), Row(#"{"a":"#, "unexpected EOF"),
    Row(#"{"a":1"#, "unexpected EOF"), Row("[1,", "unexpected EOF"), Row(#""abc"#, "unexpected EOF"),
    Row(#""\u12"#, "unexpected EOF"), Row("tru", "unexpected EOF"), Row("-", "unexpected EOF"),
    Row("garbage", "line 1, column 1: expected a value, found 'garbage'"),
    Row("\n\n  !", "line 3, column 3: expected a value, found '!'"),
    Row("\u{FEFF}{}", "line 1, column 1: a byte-order mark is not allowed"),
    Row("[1,]", "line 1, column 4: expected a value, found ']'"),
    Row("{\"a\":1,}", "line 1, column 8: expected a key in double quotes, found '}'"),
    Row("{a:1}", "line 1, column 2: expected a key in double quotes, found 'a'"),
    Row("{'a':1}", "line 1, column 2: expected a key in double quotes, found '''"),
    Row("[1 2]", "line 1, column 4: expected a comma or ], found '2'"),
    Row(#"{"a" 1}"#, "line 1, column 6: expected a colon after the key, found '1'"),
    Row("[01]", "line 1, column 3: expected a comma or ], found '1'"),
    Row("[+1]", "line 1, column 2: expected a value, found '+'"),
    Row("[.5]", "line 1, column 2: expected a value, found '.'"),
    Row("[5.]", "line 1, column 4: expected a digit after the point, found ']'"),
    Row("[1ex]", "line 1, column 4: expected a digit of the exponent, found 'x'"),
    Row("NaN", "line 1, column 1: NaN and Infinity are not allowed"),
    Row("[-Infinity]", "line 1, column 3: expected a digit, found 'I'"),
    Row("/**/1", "line 1, column 1: expected a value, found '/'"),
    Row("\"a\nb\"", "line 1, column 3: a control character in a string; write it as an escape"),
    Row(#""\x41""#, "line 1, column 2: an unknown escape in a string"),
    Row(#""\u12G4""#, "line 1, column 4: an escape needs 4 hexadecimal digits"),
    Row("é", "line 1, column 1: expected a value, found byte 0xC3"),
  ]) func lenientRefuses(_ row: Row) {
    #expect(outcome(row.input.bytes, .lenient) == "error: \(row.expected)")
  }

  @Test(arguments: [
    Row("\u{FEFF}{a: 1, 'b': 2, \"c\": 3, $_d9: [1, 2,],} // end", #"{"a":1,"b":2,"c":3,"$_d9":[1,2]}"#),
    Row("/* a */ [ // b\n 1 /* c * / */ ]\u{A0}\u{2028}", "[1]"),
    Row("[+1, .5, 5., 0x1F, -0xff, 0XFFFFFFFFFFFFFFFF, -.5e1]", "[1,0.5,5,31,-255,18446744073709551615,-5]"),
    Row(#"'it\'s \x41 \v \0 \q "quoted" \"# + "\n over'", #""it's A \u000b \u0000 q \"quoted\"  over""#),
  ]) func json5Reads(_ row: Row) {
    #expect(outcome(row.input.bytes, .json5) == row.expected)
  }

  @Test(arguments: [
    Row("", "EOF"), Row("// nothing", "EOF"), Row("\"abc", "line 1, column 5: unexpected EOF"),
    Row("{a:1", "line 1, column 5: unexpected EOF; the { of line 1, column 1 is not closed"),
    Row("{\n  a: [1,\n", "line 3, column 1: unexpected EOF; the [ of line 2, column 6 is not closed"),
    Row("{a: [1, 2], b:", "line 1, column 15: unexpected EOF; the { of line 1, column 1 is not closed"),
    Row("{} {}", "line 1, column 4: expected the end, after the first value, found '{'"),
    Row("{\n  a: 1,\n  \"a\": 2}", "line 3, column 3: the key \"a\" is there twice"),
    Row("[NaN]", "line 1, column 2: NaN and Infinity are not allowed"),
    Row("[-Infinity]", "line 1, column 2: NaN and Infinity are not allowed"),
    Row("[+NaN]", "line 1, column 2: NaN and Infinity are not allowed"),
    Row("[1e999]", "line 1, column 2: a number too large to hold"),
    Row("[01]", "line 1, column 3: a number with a leading zero"),
    Row("[.]", "line 1, column 3: expected a digit after the point, found ']'"),
    Row("[0x]", "line 1, column 2: a hexadecimal number needs 1 to 16 hexadecimal digits"),
    Row("[,]", "line 1, column 2: expected a value, found ','"),
    Row("[1,,]", "line 1, column 4: expected a value, found ','"),
    Row("{1: 2}", "line 1, column 2: expected a key, found '1'"),
    Row("/* open", "line 1, column 1: a comment that does not end"),
    Row("/x", "line 1, column 1: expected // or /*"),
    Row(#""\ud800""#, "line 1, column 2: half of a surrogate pair in a string"),
    Row(#""\1""#, "line 1, column 2: an unknown escape in a string"),
  ]) func json5Refuses(_ row: Row) {
    #expect(outcome(row.input.bytes, .json5) == "error: \(row.expected)")
  }

  @Test func brokenUTF8IsReplacedOrRefused() {
    let text = "{\"a\":\"x".bytes + [0xFF, 0xC3] + "y\"}".bytes
    #expect(outcome(text, .lenient) == "{\"a\":\"x\u{FFFD}\u{FFFD}y\"}")
    #expect(outcome(text, .json5) == "error: line 1, column 6: a string that is not valid UTF-8")
  }

  @Test(arguments: [JSONReader.Dialect.lenient, .json5], ["[", "{\"a\":"])
  func deepNestingIsRefused(_ dialect: JSONReader.Dialect, _ open: String) {
    let deepest = String(repeating: open, count: 64) + (open == "[" ? "" : "1")
    let closed = deepest + String(repeating: open == "[" ? "]" : "}", count: 64)
    #expect(outcome(closed.bytes, dialect) == closed)
    for count in [65, 1_000, 1_000_000] {
      let text = String(repeating: open, count: count)
      #expect(outcome(text.bytes, dialect).hasSuffix(": nested deeper than 64 levels"))
    }
  }

  @Test func anOrdinaryBodyTakesWellUnderAMillisecond() throws {
    let body = #"{"name":"redis","listen":"127.0.0.1:0","upstream":"localhost:6379","enabled":true,"toxics":[]}"#.bytes
    let clock = ContinuousClock()
    let fastest = try (0..<50).map { _ in
      try clock.measure { _ = try JSONReader.read(body, dialect: .lenient) }
    }.min()
    #expect(try #require(fastest) < .milliseconds(1))
  }
}
