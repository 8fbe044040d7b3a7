/// Valid texts that tests damage and fuzzers start from.
enum Documents {
  static let toxics = [
    #"{"type":"latency","name":"l","stream":"upstream","toxicity":0.5,"attributes":{"latency":100,"jitter":10}}"#
  ]

  static let profiles = [
    #"{"path":{"latency_ms":50,"queue_ms":9,"downstream_bytes_per_second":9,"upstream_loss":{"p":0.1,"r":1},"#
      + #""timeline":{"loop":true,"steps":[{"name":"a","for_ms":5,"path":{"downstream_loss":1}}]}}}"#,
    #"{"path":{"latency_ms":50,"congestion_control":"bbr","trace":{"downstream_ms":[0,1,2,3],"upstream_ms":[7]}}}"#,
  ]

  static let configs = [
    #"[{"name":"a","listen":"127.0.0.1:0","upstream":"h:1","enabled":true,"toxics":[{"type":"noop"}]}]"#,
    #"{"proxies":[{"name":"a","upstream":"[::1]:80"}],"profile":"3g","control":":1","seed":7,"log_level":"info"}"#,
    #"{"http_proxy":"0","socks":"[::1]:1","rules":["*.a:1=3g",{"host":"[::1]:2","use":"deny"}],"via":"http://u:p@h:1"}"#,
    #"{"proxies":[{"name":"a","mode":"http"}],"allow_clients":["10.0.0.0/8","fd00::/8"],"rules":["1.2.3.0/24=direct"]}"#,
  ]

  static let all = toxics + profiles + configs
}
