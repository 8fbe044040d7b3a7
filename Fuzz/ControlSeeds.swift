/// Calls of the control API, one after the other.
enum ControlSeeds {
  private static let web = call("POST", "/proxies", #"{"name":"web","listen":"127.0.0.1:0","upstream":"127.0.0.1:1"}"#)

  static let all: [[String]] = [
    [
      web, call("POST", "/proxies/web", #"{"enabled":false,"upstream":"127.0.0.1:2"}"#), call("GET", "/proxies/web"),
      call("POST", "/proxies/web/toxics", #"{"type":"latency","attributes":{"latency":100,"jitter":10}}"#),
      call("POST", "/proxies/web/toxics/latency_downstream", #"{"attributes":{"latency":5},"toxicity":0.5}"#),
      call("GET", "/proxies/web/toxics"), call("DELETE", "/proxies/web/toxics/latency_downstream"),
      call("POST", "/reset"), call("DELETE", "/proxies/web"),
    ],
    [
      web, call("PUT", "/profile/3g?for=30s"), call("PUT", "/proxies/web/profile/edge"),
      call("GET", "/proxies/web/profile"),
      call("DELETE", "/proxies/web/profile"), call("DELETE", "/profile"), call("GET", "/proxies/web/counters"),
    ],
    [
      web, call("POST", "/leases", #"{"profile":"offline","proxies":["web"],"for":"60s","by":"a","reason":"b"}"#),
      call("GET", "/leases"), call("GET", "/events?since=0&type=lease_taken&proxy=web&limit=3"),
      call("GET", "/traffic?since=1"),
    ],
    [
      call("POST", "/proxies", #"{"name":"p","mode":"http","listen":"127.0.0.1:0"}"#),
      call("PUT", "/rules", #"{"rules":["*.a=3g",{"host":"10.0.0.0/8","use":"deny"}]}"#),
      call("POST", "/rules", #"{"host":"b:1","use":"direct"}"#), call("GET", "/rules"), call("GET", "/proxy.pac"),
      call("DELETE", "/rules/*.a"),
    ],
    [
      call(
        "PUT", "/profiles/mine",
        #"{"path":{"latency_ms":10},"toxics":[{"type":"drop","attributes":{"probability":1}}]}"#),
      call("PUT", "/profile/mine"), call("GET", "/profiles/mine"), call("DELETE", "/profiles/mine"),
      call("GET", "/version"),
    ],
    [
      call(
        "POST", "/populate",
        #"[{"name":"a","listen":"127.0.0.1:0","upstream":"127.0.0.1:1","toxics":[{"type":"noop"}]}]"#),
      call("HEAD", "//proxies/a"), call("OPTIONS", "/proxies/%61"), call("GET", "/sessions?proxy=a"),
      call("DELETE", "/sessions/1"),
    ],
    ["GET /metrics\nUser-Agent: Mozilla/5.0\nHost: evil.example", "GET /readyz\nOrigin: http://localhost"],
  ]

  private static func call(_ method: String, _ target: String, _ body: String = "") -> String {
    "\(method) \(target)" + (body.isEmpty ? "" : "\n\n\(body)")
  }
}
