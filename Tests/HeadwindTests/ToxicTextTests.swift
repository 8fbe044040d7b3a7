import Settings
import Testing

@testable import headwind

/// Toxics as people would tell them. The objects are the API's, of kinds that this binary knows or not.
struct ToxicTextTests {
  static let effects: [(type: String, attributes: String, effect: String)] = [
    ("latency", #"{"latency":100,"jitter":20}"#, "100 ms ± 20 ms"),
    ("latency", #"{"latency":1500,"jitter":0}"#, "1.5 s"),
    ("latency", #"{"latency":-5,"jitter":-1}"#, "-5 ms"), ("bandwidth", #"{"rate":30}"#, "30 kB/s"),
    ("bandwidth", #"{"rate":6250}"#, "6.25 MB/s"), ("bandwidth", #"{"rate":0}"#, "holds everything"),
    ("slow_close", #"{"delay":2000}"#, "ends 2 s late"), ("timeout", #"{"timeout":0}"#, "drops everything"),
    ("timeout", #"{"timeout":250}"#, "drops everything, closes after 250 ms"),
    ("reset_peer", #"{"timeout":0}"#, "resets at once"), ("reset_peer", #"{"timeout":500}"#, "resets after 500 ms"),
    ("slicer", #"{"average_size":0,"size_variation":0,"delay":0}"#, "cuts nothing"),
    ("slicer", #"{"average_size":10,"size_variation":0,"delay":0}"#, "pieces of 10 B"),
    ("slicer", #"{"average_size":1000,"size_variation":200,"delay":1500}"#, "pieces of 1 kB ± 200 B, 1.5 ms apart"),
    ("limit_data", #"{"bytes":1000}"#, "closes after 1 kB"), ("limit_data", #"{"bytes":-1}"#, "closes after 0 B"),
    ("noop", "{}", "nothing"), ("stall", "{}", "holds everything"),
    ("stall", #"{"for_ms":5000}"#, "holds everything for 5 s"),
    ("drop", #"{"probability":0.3,"per":"exchange","how":"reset"}"#, "resets 30 % of exchanges"),
    ("drop", #"{"probability":1,"per":"connection","how":"refuse"}"#, "refuses 100 % of connections"),
    ("drop", #"{"probability":0.05,"per":"connection","how":"hang"}"#, "leaves 5 % of connections hanging"),
    ("teleport", #"{"to":"mars","count":3,"odds":0.5}"#, "to=mars count=3 odds=0.5"), ("teleport", "null", ""),
  ]

  @Test(arguments: effects)
  func anEffectIsSaidInWords(type: String, attributes: String, effect: String) throws {
    let attributes = try JSONReader.read(attributes.utf8, dialect: .lenient)
    #expect(ToxicText(["type": .string(type), "attributes": attributes]).effect == effect)
  }

  static let conditions: [(members: [(String, JSON?)], line: String)] = [
    ([], "latency downstream, 5 ms"), ([("toxicity", 0.5)], "latency downstream, 5 ms, toxicity 50 %"),
    ([("stream", nil)], "latency both, 5 ms"), ([("stream", "UpStream")], "latency UpStream, 5 ms"),
    ([("after_bytes", 2_000_000)], "latency downstream, 5 ms, after 2 MB"),
    ([("after_bytes", 10), ("after_ms", 1500)], "latency downstream, 5 ms, after 10 B and 1.5 s"),
    ([("first_connections", 3)], "latency downstream, 5 ms, on the first 3 connections"),
    ([("every", 5), ("toxicity", 0)], "latency downstream, 5 ms, on 1 connection in 5, toxicity 0 %"),
  ]

  @Test(arguments: conditions)
  func whenItActsIsSaidToo(members: [(String, JSON?)], line: String) {
    var toxic: JSONObject = ["type": "latency", "stream": "downstream", "toxicity": 1, "attributes": ["latency": 5]]
    for (key, value) in members { toxic[key] = value }
    #expect(ToxicText(.object(toxic)).line == line)
  }

  @Test func theHelpNamesEachKindWithAllAttributes() {
    for type in ToxicType.allCases {
      let line = ToxicText.kinds.split(separator: "\n").first { $0.hasPrefix("  \(type.rawValue) ") }
      for key in ToxicAttributes.keys(of: type) { #expect(line?.contains(" \(key)=") == true, "\(type)") }
    }
  }
}
