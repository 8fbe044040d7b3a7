import Forwarding
import Testing

@Suite struct TargetTests {
  @Test func anIPv6AddressIsBracketed() {
    #expect(Target(host: "::1", port: 80).description == "[::1]:80")
    #expect(Target(host: "example.com", port: 443).description == "example.com:443")
  }

  @Test func rulesDoNotSeeTheDotOfAnAbsoluteName() {
    #expect(Target(host: "example.com.", port: 443).hostForRules == "example.com")
    #expect(Target(host: "example.com", port: 443).hostForRules == "example.com")
  }
}
