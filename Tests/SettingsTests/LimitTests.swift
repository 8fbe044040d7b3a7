import Testing

@testable import Settings

@Suite struct LimitTests {
  @Test(arguments: Limit.allCases)
  func theTableIsSound(_ limit: Limit) {
    let terms = limit.terms
    #expect(terms.range.contains(Int64(terms.usual)))
    #expect(terms.range.lowerBound > 0)
    #expect(terms.what.first?.isUppercase == true && terms.what.last != ".")
    #expect(terms.does.last == ".")
    #expect(limit.key == "max_\(limit.rawValue)")
    #expect(limit.flag == "--max-" + limit.rawValue.split(separator: "_").joined(separator: "-"))
  }

  @Test(arguments: Limit.allCases)
  func theConfigFileSetsEachWithinItsRange(_ limit: Limit) throws {
    func read(_ value: String) throws -> LimitSettings {
      try Config(text: "{\(limit.key): \(value)}".utf8, source: "f").limits
    }
    let range = limit.range
    for value in [range.lowerBound, range.upperBound] {
      let limits = try read("\(value)")
      #expect(limits[limit] == Int(value) && limits.all == [limit])
    }
    for value in ["\(range.lowerBound - 1)", "\(range.upperBound + 1)", "\"1\""] {
      #expect(throws: SettingsError.self) { try read(value) }
    }
  }

  private func settings(_ values: [(Limit, Int)]) -> LimitSettings {
    var settings = LimitSettings()
    for (limit, value) in values { settings.set(limit, value, place: limit.flag) }
    return settings
  }

  @Test(
    arguments: [
      (
        [(.linkBufferBytes, 5_000), (.bufferBytes, 4_999)],
        "--max-link-buffer-bytes is 5000; allowed: at most --max-buffer-bytes, which is 4999"
      ),
      (
        [(.linkBufferBytes, 1 << 30)],
        "--max-link-buffer-bytes is 1073741824; allowed: at most --max-buffer-bytes, which is 536870912"
      ),
      (
        [(.connectionsPerProxy, 11), (.connections, 10)],
        "--max-connections-per-proxy is 11; allowed: at most --max-connections, which is 10"
      ),
      ([(.toxicsPerProxy, 3), (.toxics, 2)], "--max-toxics-per-proxy is 3; allowed: at most --max-toxics, which is 2"),
      (
        [(.eventStreams, 2), (.controlConnections, 2)],
        "--max-event-streams is 2; allowed: less than --max-control-connections, which is 2"
      ),
      ([(.linkBufferBytes, 5_000), (.bufferBytes, 5_000)], nil), ([(.eventStreams, 1), (.controlConnections, 2)], nil),
      ([], nil),
    ] as [([(Limit, Int)], String?)])
  func whatCantStandTogetherIsTold(_ values: [(Limit, Int)], says: String?) {
    #expect(settings(values).contradiction == says)
  }

  @Test func usualValuesGiveWayToThoseThatAreSet() {
    let small = settings([(.bufferBytes, 4_096), (.connections, 7), (.controlConnections, 2), (.toxics, 3)])
    #expect(small.contradiction == nil)
    #expect(small.values[.linkBufferBytes] == 4_096 && small.values[.connectionsPerProxy] == 7)
    #expect(small.values[.eventStreams] == 1 && small.values[.toxicsPerProxy] == 3)
    for limit in Limit.allCases { #expect(LimitSettings().values[limit] == limit.usual) }
  }

  /// What `check-config` and a start refuse.
  @Test(arguments: [
    (
      "{max_proxies: 1, proxies: [{name: 'a', upstream: 'h:1'}, {name: 'b', upstream: 'h:1'}]}",
      "too many: 2 proxies; allowed: at most 1 (--max-proxies sets it)"
    ),
    (
      "{max_proxies: 1, http_proxy: '127.0.0.1:0', socks: '127.0.0.1:0'}",
      "too many: 2 proxies; allowed: at most 1 (--max-proxies sets it)"
    ),
    ("{max_rules: 1, rules: ['a=deny', 'b=deny']}", "too many: 2 rules; allowed: at most 1 (--max-rules sets it)"),
    (
      "{max_toxics_per_proxy: 1, proxies: [{name: 'a', upstream: 'h:1', toxics: [{type: 'noop'}, {type: 'stall'}]}]}",
      "too many: 2 toxics of proxy \"a\"; allowed: at most 1 (--max-toxics-per-proxy sets it)"
    ),
    (
      "{max_name_bytes: 16, proxies: [{name: 'a', upstream: 'seventeen-bytes:1'}]}",
      "\"seventeen-bytes:1\" has 17 bytes; allowed: at most 16 (--max-name-bytes sets it)"
    ),
    ("{max_name_bytes: 16, proxies: [{name: 'a', upstream: 'sixteen--bytes:1'}]}", nil), ("{}", nil),
  ])
  func aConfigFileBeyondItsOwnLimitsIsTold(_ text: String, says: String?) throws {
    let config = try Config(text: text.utf8, source: "f")
    #expect(config.excess(over: config.limits) == says)
  }
}
