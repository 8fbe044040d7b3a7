import Settings
import Testing

@testable import ControlAPI
@testable import Proxying

/// The classic API's toxics: bodies and texts to the letter (contract, sections 4, 6 and 10).
@Suite struct ClassicToxicTests {
  private static let latency =
    #"{"attributes":{"latency":5,"jitter":0},"name":"latency_downstream","type":"latency","stream":"downstream","toxicity":1}"#

  @Test(arguments: Way.allCases)
  func addListShowDelete(_ way: Way) throws {
    let desk = try Desk(way)
    try desk.makeProxy()
    #expect(try desk.call("GET", "/proxies/web/toxics").text == "[]")
    let added = try desk.call("POST", "/proxies/web/toxics", #"{"type":"latency","attributes":{"latency":5}}"#)
    #expect(added.status == 200 && added.text == Self.latency)
    #expect(added.header("Content-Type") == "application/json")
    let second = try desk.call(
      "POST", "/proxies/web/toxics",
      #"{"Type":"bandwidth","Stream":"UpStream","Toxicity":0.3333333333,"attributes":null}"#)
    let bandwidth =
      #"{"attributes":{"rate":0},"name":"bandwidth_UpStream","type":"bandwidth","stream":"UpStream","toxicity":0.33333334}"#
    #expect(second.text == bandwidth)
    #expect(try desk.call("GET", "/proxies/web/toxics").text == "[\(bandwidth),\(Self.latency)]")
    #expect(try desk.call("GET", "/proxies/web/toxics/latency_downstream").text == Self.latency)
    #expect(try desk.call("GET", "/proxies/web").text.hasSuffix(#""toxics":[\#(bandwidth),\#(Self.latency)]}"#))
    let deleted = try desk.call("DELETE", "/proxies/web/toxics/latency_downstream")
    #expect(deleted.status == 204 && deleted.text.isEmpty)
    #expect(try desk.call("GET", "/proxies/web/toxics").text == "[\(bandwidth)]")
  }

  @Test(arguments: Way.allCases)
  func refusalsOfAddInTheirOrder(_ way: Way) throws {
    let desk = try Desk(way)
    try desk.makeProxy()
    try desk.call("POST", "/proxies/web/toxics", #"{"type":"latency","name":"t"}"#)
    for (body, text) in [
      (#"{"type":"lag","stream":"sideways"}"#, "400 stream was invalid, can be either upstream or downstream"),
      (#"{"type":"latency","stream":""}"#, "400 stream was invalid, can be either upstream or downstream"),
      ("{}", "400 invalid toxic type"), (#"{"type":"Latency"}"#, "400 invalid toxic type"),
      (#"{"type":"drop"}"#, "400 attributes.probability is missing; allowed: a number from 0 to 1"),
      (#"{"type":"latency","name":"t","attributes":{"latency":"x"}}"#, "409 toxic already exists"),
    ] {
      #expect(try desk.refusal("POST", "/proxies/web/toxics", body) == text)
    }
    for body in [
      "", "[]", #"{"type":"latency","attributes":7}"#, #"{"type":"latency","attributes":{"latency":1.5}}"#,
      #"{"type":"latency","attributes":{"latency":"100"}}"#, #"{"type":"latency","toxicity":1e40}"#,
    ] {
      #expect(try desk.refusal("POST", "/proxies/web/toxics", body).hasPrefix("400 bad request body: "), "\(body)")
    }
    for attributes in [#"{"rate":-1}"#, #"{"rate":90000000000000001}"#] {
      let body = #"{"type":"bandwidth","attributes":\#(attributes)}"#
      #expect(try desk.refusal("POST", "/proxies/web/toxics", body).hasPrefix("400 "), "\(body)")
    }
    #expect(try desk.refusal("POST", "/proxies/nobody/toxics", "{") == "404 proxy not found")
    #expect(try desk.call("GET", "/proxies/web/toxics").json().arrayValue?.count == 1)
  }

  @Test(arguments: Way.allCases, ["POST", "PATCH"])
  func update(_ way: Way, _ method: String) throws {
    let desk = try Desk(way)
    try desk.makeProxy()
    try desk.call("POST", "/proxies/web/toxics", #"{"type":"latency","name":"t","attributes":{"latency":5}}"#)
    func text(_ latency: Int, _ jitter: Int, _ toxicity: String) -> String {
      #"{"attributes":{"latency":\#(latency),"jitter":\#(jitter)},"name":"t","type":"latency","stream":"downstream","toxicity":\#(toxicity)}"#
    }
    for (body, expected) in [
      ("{}", text(5, 0, "1")), (#"{"attributes":{"Jitter":3}}"#, text(5, 3, "1")),
      (#"{"toxicity":80}"#, text(5, 3, "80")),
      (#"{"toxicity":0.1,"attributes":{"latency":1e3}}"#, text(1000, 3, "0.1")),
      (#"{"name":"u","type":"bandwidth","stream":"upstream","attributes":{"rate":7}}"#, text(1000, 3, "0.1")),
      (#"{"toxicity":null,"attributes":null}"#, text(1000, 3, "0.1")),
      (#"{"attributes":{"latency":-9223372036854775808}}"#, text(.min, 3, "0.1")),
    ] {
      let reply = try desk.call(method, "/proxies/web/toxics/t", body)
      #expect(reply.status == 200 && reply.text == expected, "\(body)")
    }
    let refused = try desk.refusal(method, "/proxies/web/toxics/t", #"{"attributes":{"latency":"x","jitter":9}}"#)
    #expect(refused.hasPrefix("400 bad request body: "))
    #expect(try desk.call("GET", "/proxies/web/toxics/t").text == text(.min, 3, "0.1"), "nothing has changed")
  }

  @Test(arguments: Way.allCases)
  func whatIsAbsentIs404WhateverTheBody(_ way: Way) throws {
    let desk = try Desk(way)
    try desk.makeProxy()
    for method in ["GET", "POST", "PATCH", "DELETE"] {
      #expect(try desk.refusal(method, "/proxies/nobody/toxics/t", "{") == "404 proxy not found")
      #expect(try desk.refusal(method, "/proxies/web/toxics/t", "{") == "404 toxic not found")
    }
    #expect(try desk.refusal("GET", "/proxies/nobody/toxics") == "404 proxy not found")
  }
}
