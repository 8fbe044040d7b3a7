import Settings

// Forward proxies: their shapes, and the calls of `Native+Forwarding.swift`.
extension OpenAPI {
  static let forwardMode = Schema.choice(
    ProxyMode.allCases.filter(\.isForward).map(\.rawValue),
    "Of proxies whose clients name the upstream: by CONNECT or an absolute URL, or by SOCKS.")

  static let forwardSchemas: [(String, Schema)] = [
    (
      "NewForwardProxy",
      .object(
        "A proxy whose clients name the upstream. It listens on a loopback address, unless there is `--allow-client`.",
        required: [("name", .string(minLength: 1, example: "http-proxy")), ("mode", forwardMode)],
        optional: [("upstream", Schema.choice([ProxyMode.anyUpstream], "Whatever the client names.").orNull)]
          + newProxyOptions,
        example: ["name": "browser", "mode": "http", "listen": "127.0.0.1:0"])
    )
  ]
}
