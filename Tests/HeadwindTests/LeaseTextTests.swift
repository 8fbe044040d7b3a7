import Settings
import Testing

@testable import headwind

struct LeaseTextTests {
  @Test(
    arguments: [
      (0, "0.0s"), (99, "0.0s"), (9_999, "9.9s"), (10_000, "10s"), (59_999, "59s"), (60_000, "1m00s"),
      (125_000, "2m05s"), (3_599_999, "59m59s"), (3_600_000, "1h00m"), (86_400_000, "24h00m"),
    ] as [(Int64, String)])
  func timesThatAreLeft(milliseconds: Int64, text: String) {
    #expect(LeaseText.time(milliseconds: milliseconds) == text)
  }

  @Test func theTableAndWhatCountsForAProxy() {
    let leases: [JSON] = [
      ["id": "x-2", "profile": "3g", "proxies": ["web"], "by": "a\u{1B}", "reason": nil, "expires_in_ms": 9_500],
      ["id": "x-1", "profile": "edge", "proxies": nil, "by": "b", "reason": "why", "expires_in_ms": 60_000],
    ]
    #expect(
      LeaseText.table(leases).text(isColoured: false) == """
        LEASE  PROFILE  PROXIES  BY       ENDS IN  REASON
        x-2    3g       web      a\\u{1B}     9.5s
        x-1    edge     all      b          1m00s  why

        """)
    func shown(_ name: String) -> String {
      ProxyText(["name": .string(name), "profile": "lte"]).profile(global: ["name": "none"], leases)
    }
    #expect(shown("web") == "3g (lease x-2)")
    #expect(shown("api") == "edge (lease x-1)")
    #expect(ProxyText(["profile": "lte"]).profile(global: ["name": "none"], []) == "lte (own)")
  }
}
