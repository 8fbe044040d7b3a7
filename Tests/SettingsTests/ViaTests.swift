import Testing

@testable import Settings

@Suite struct ViaTests {
  @Test(arguments: [
    ("http://proxy:3128", "proxy", 3128, nil), ("http://proxy", "proxy", 80, nil), ("HTTP://proxy/", "proxy", 80, nil),
    ("proxy:3128", "proxy", 3128, nil), ("proxy", "proxy", 80, nil), ("http://[::1]:8080", "::1", 8080, nil),
    ("http://[::1]", "::1", 80, nil), ("http://10.0.0.1:1/", "10.0.0.1", 1, nil),
    ("http://Aladdin:open%20sesame@h:1", "h", 1, "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
    ("http://u:p%40:%C3%A4@h:1", "h", 1, "Basic dTpwQDrDpA=="), ("http://u@h:1", "h", 1, "Basic dTo="),
    ("u:p@h:1", "h", 1, "Basic dTpw"), ("http://u:a@b@h:1", "h", 1, "Basic dTphQGI="),
  ])
  func reads(_ text: String, _ host: String, _ port: UInt16, _ authorization: String?) throws {
    #expect(try ViaSpec(parsing: text) == ViaSpec(host: host, port: port, authorization: authorization))
  }

  @Test(arguments: [
    (Row("", "no host"), ""), (Row("https://h:1", "only http:// can be spoken to the next proxy"), "https://h:1"),
    (Row("socks5://u:secret@h:1", "only http:// can be spoken to the next proxy"), "socks5://…@h:1"),
    (Row("http://h:1/x", "something behind the port"), "http://h:1/x"),
    (Row("http://h:x", "the port is not a number from 1 to 65535"), "http://h:x"),
    (Row("http://h:0", "the port is not a number from 1 to 65535"), "http://h:0"),
    (Row("http://h:99999", "invalid port"), "http://h:99999"), (Row("http://:80", "no host"), "http://:80"),
    (Row("http://u:secret@h:99999", "invalid port"), "http://…@h:99999"),
    (Row("http://u:sec/ret@h:1", "something behind the port"), "http://…@h:1"),
    (Row("http://u:secret@", "no host"), "http://…@"),
    (Row("u:secret@h:99999", "invalid port"), "…@h:99999"),
    (Row("http://u:%zzsecret@h:1", "a broken percent escape in user or password"), "http://…@h:1"),
    (Row("http://a%3Ab:secret@h:1", "a colon in the user's name"), "http://…@h:1"),
    (Row("http://u:secret%0D%0AX@h:1", "a control character in user or password"), "http://…@h:1"),
    (Row("http://u:sec ret@h:1", "white space"), "http://…@h:1"),
    (Row("http://h\r\n:1", "white space"), "http://h\r\n:1"),
  ])
  func refusesWithoutShowingThePassword(_ row: Row, _ shown: String) {
    let text = message { _ = try ViaSpec(parsing: row.input) }
    #expect(text == "is \(JSON.string(shown).text): \(row.expected); allowed: \(ViaSpec.allowed)")
    #expect(!text.contains("sec"))
  }

  @Test func aPasswordIsNotPrinted() throws {
    let via = try ViaSpec(parsing: "http://user:secret@[::1]:3128")
    #expect("\(via)" == "http://[::1]:3128" && String(reflecting: via) == "http://[::1]:3128")
    #expect(!"\(ViaSource.proxy(via))".contains(try #require(via.authorization)))
  }

  // MARK: The environment

  private func read(_ variables: [String: String]) throws -> (via: ViaSpec?, warnings: [String]) {
    try ViaSource(parsing: "env").resolve { variables[$0] }
  }

  @Test func theEnvironmentIsReadAsOtherProgramsReadIt() throws {
    #expect(try read(["HTTPS_PROXY": "http://a:1", "https_proxy": "http://b:2", "ALL_PROXY": "c:3"]).via?.host == "a")
    #expect(try read(["https_proxy": "http://b:2", "ALL_PROXY": "c:3"]).via?.host == "b")
    #expect(try read(["all_proxy": "c:3"]).via == ViaSpec(host: "c", port: 3))
    let none = try read(["HTTP_PROXY": "http://a:1"])
    #expect(none.via == nil && none.warnings.count == 1)
    #expect(
      message { _ = try read(["ALL_PROXY": "socks5://u:secret@h:1"]) }.hasPrefix(
        "ALL_PROXY is \"socks5://…@h:1\": only"))
  }

  @Test func whatIsNotToGoThroughItIsAnException() throws {
    let (via, warnings) = try read([
      "HTTPS_PROXY": "p:1", "NO_PROXY": "localhost, .corp.example,10.0.0.0/8 api.test:8080,a b..c,::1",
    ])
    let found = try #require(via)
    for (host, port, wanted) in [
      ("localhost", 80, true), ("corp.example", 80, true), ("www.corp.example", 80, true), ("xcorp.example", 80, false),
      ("10.9.9.9", 80, true), ("11.0.0.1", 80, false), ("api.test", 8080, true), ("x.api.test", 8080, true),
      ("api.test", 80, false), ("::1", 80, true),
    ] as [(String, UInt16, Bool)] {
      #expect(found.isException(host: host, port: port) == wanted, "\(host):\(port)")
    }
    #expect(warnings.count == 1 && warnings[0].contains("\"b..c\""))
    let all = try read(["HTTPS_PROXY": "p:1", "no_proxy": "*"]).via
    #expect(all?.isException(host: "anything", port: 1) == true)
  }

  @Test(arguments: [0, 1, 2, 3, 4, 5])
  func base64(_ count: Int) {
    let wanted = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE="][count]
    #expect(Base64.text(Array("fooba".utf8.prefix(count))) == wanted)
  }
}
