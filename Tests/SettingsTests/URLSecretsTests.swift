import Testing

@testable import Settings

@Suite struct URLSecretsTests {
  @Test(arguments: [
    ("https://user:S3CRET@proxy:3128", "https://…@proxy:3128"), ("http://h/?key=S3CRET", "http://h/?…"),
    ("http://u:S3C@RET@h:1/p?S3CRET", "http://…@h:1/p?…"), ("web=http://S3CRET@h:80", "web=http://…@h:80"),
    ("http://h:80/x", "http://h:80/x"), ("a@b", "a@b"), ("127.0.0.1:80", "127.0.0.1:80"), ("", ""),
  ])
  func messagesLeaveOutWhatURLsKeep(text: String, shown: String) {
    #expect(text.withoutURLSecrets == shown)
    #expect(JSON.string(text).excerpt == JSON.string(shown).text)
  }

  @Test func longURLsAreCutBehindWhatIsLeftOut() {
    let long = "http://user:\(String(repeating: "S3CRET", count: 30))@proxy:80"
    #expect(JSON.string(long).excerpt == #""http://…@proxy:80""#)
    #expect("user:S3CRET@proxy:80".withoutAddressSecrets == "…@proxy:80")
    #expect(EndpointError(text: "u:S3CRET@h:1", reason: "r").description == "address …@h:1: r")
  }
}
