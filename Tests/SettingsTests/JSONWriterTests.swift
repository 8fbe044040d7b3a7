import Testing

@testable import Settings

@Suite struct JSONWriterTests {
  @Test func objectsKeepTheirOrderAndLeaveOutNil() {
    let value: JSON = ["z": 1, "a": [nil, true, "x", 1.5], "o": [:]]
    #expect(value.text == #"{"z":1,"a":[null,true,"x",1.5],"o":{}}"#)
    #expect(JSON.object([("b", 1), ("gone", nil), ("a", .null)]).text == #"{"b":1,"a":null}"#)
    #expect(JSON.object(JSONObject([("b", 1), ("a", 2), ("B", 3)]).sorted()).text == #"{"B":3,"a":2,"b":1}"#)
  }

  @Test func membersAreReplacedAppendedAndRemoved() {
    var object: JSONObject = ["a": 1, "b": 2]
    object["a"] = 3
    object["c"] = 4
    object["b"] = nil
    #expect(JSON.object(object).text == #"{"a":3,"c":4}"#)
    #expect(object["c"] == 4)
    #expect(object["b"] == nil)
  }

  @Test func insidesAreTypedOrNil() {
    let value: JSON = ["s": "x", "b": true, "i": 5, "d": 0.5, "a": [1], "o": ["k": nil]]
    #expect(value["s"]?.stringValue == "x")
    #expect(value["b"]?.boolValue == true)
    #expect(value["i"]?.integerValue == 5)
    #expect(value["i"]?.doubleValue == 5)
    #expect(value["d"]?.integerValue == nil)
    #expect(value["a"]?.arrayValue == [1])
    #expect(value["o"]?.objectValue?.members.map(\.key) == ["k"])
    #expect(value["s"]?["k"] == nil)
    #expect(value["s"]?.doubleValue == nil)
  }

  @Test(arguments: [0, 1, 9, 10, 99, 100, 101, 999_999_999, 1_000_000_000, .max, -1, -10, .min] as [Int64])
  func integersAreWritten(_ value: Int64) {
    #expect(JSON.integer(value).text == "\(value)")
  }

  @Test func stringsAreSafeInsideHTMLJavaScriptAndTerminals() {
    let text = "\"\\/\n\r\t\u{0}\u{1F}\u{7F}\u{9B}<b>&é😀\u{2028}\u{2029}"
    let expected = #""\"\\/\n\r\t\u0000\u001f\u007f\u009b\u003cb\u003e\u0026é😀\u2028\u2029""#
    #expect(JSON.string(text).text == expected)
  }

  @Test(arguments: [
    (0, "0"), (-0.0, "0"), (1, "1"), (-1.5, "-1.5"), (0.1, "0.1"), (100, "100"), (1e20, "100000000000000000000"),
    (1e21, "1e+21"), (-1.25e30, "-1.25e+30"), (0.000001, "0.000001"), (1.5e-7, "1.5e-7"),
    (.leastNonzeroMagnitude, "5e-324"),
    (123_456.789, "123456.789"), (.infinity, "null"), (.nan, "null"),
  ]) func doublesAreShort(_ value: Double, _ text: String) {
    #expect(JSON.number(value).text == text)
  }

  @Test(arguments: [
    (0.1, "0.1"), (0.3, "0.3"), (1, "1"), (0.333_333_333_3, "0.33333334"), (80, "80"), (-1, "-1"), (1e30, "1e+30"),
    (0.001, "0.001"),
  ]) func floatsAreShort(_ value: Float, _ text: String) {
    #expect(JSON.float(value).text == text)
  }

  @Test func everyNumberComesBackTheSame() throws {
    var dice = Dice(state: 1)
    for _ in 0..<2_000 {
      let double = Double(bitPattern: dice.next())
      if double.isFinite {
        #expect(try JSONReader.read(JSON.number(double).text.bytes, dialect: .json5).doubleValue == double)
      }
      let float = Float(bitPattern: UInt32(truncatingIfNeeded: dice.next()))
      if float.isFinite {
        let read = try JSONReader.read(JSON.float(float).text.bytes, dialect: .json5).doubleValue
        #expect(read.map(Float.init) == float)
      }
      let integer = Int64(bitPattern: dice.next()) >> Int64(dice.next() % 64)
      #expect(try JSONReader.read(JSON.integer(integer).text.bytes, dialect: .lenient) == .integer(integer))
    }
  }

  @Test func everyStringComesBackTheSame() throws {
    var dice = Dice(state: 2)
    for _ in 0..<200 {
      let scalars = (0..<20).compactMap { _ in Unicode.Scalar(UInt32.random(in: 0...0x2FFF, using: &dice)) }
      let text = String(String.UnicodeScalarView(scalars))
      #expect(try JSONReader.read(JSON.string(text).text.bytes, dialect: .json5) == .string(text))
    }
  }
}
