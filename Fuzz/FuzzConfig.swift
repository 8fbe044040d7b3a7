@testable import Settings

/// Config files of both kinds, and what the API takes in their words.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: bytes, count: count))
  if let config = attempt({ try Config(text: input, source: "file") }) { check(config) }
  attempt { try ProxySpec.classicPopulate(body: input) }
  attempt { try ProxySpec.classicCreate(body: input) }
  attempt { try ProxyUpdate.classic(body: input) }
  attempt { try LeaseTerms(text: input, source: "request body") }
  let text = String(decoding: input.prefix(100), as: UTF8.self)
  attempt { try DurationText.parse(text) }
  attempt { try HostRule(parsing: text) }
  attempt { try ControlAddress(parsing: text) }
  if let endpoint = attempt({ try Endpoint(parsing: text) }) { checkAgain(endpoint) }
  return 0
}

private func check(_ config: Config) {
  if let control = config.control, (try? ControlAddress(parsing: control.description)) != control {
    fatalError("\(control) is read otherwise")
  }
  var forward = ForwardSettings()
  forward.rules = config.rules
  forward.allowedClients = config.allowedClients
  for host in ["example.com", "a.b.example.com", "127.0.0.1", "::1", "", "*", String(repeating: "a.", count: 100)] {
    let found = forward.rule(host: host, port: 443)
    // The index finds what looking at each in turn finds.
    let first = config.rules.first { RuleIndex([$0]).first(HostName(host), port: 443) != nil }
    guard found == first else { fatalError("\(host): \(String(describing: found)), not \(String(describing: first))") }
    _ = forward.allows(client: host)
  }
  for rule in config.rules {
    guard let again = try? HostRule(parsing: rule.description), again == rule else {
      fatalError("\(rule) is read otherwise")
    }
  }
}

private func checkAgain(_ endpoint: Endpoint) {
  guard let again = try? Endpoint(parsing: endpoint.description), again == endpoint else {
    fatalError("\(endpoint) is read otherwise")
  }
}
