import Testing

@testable import Settings

@Suite struct ControlAddressTests {
  @Test(arguments: [
    ("127.0.0.1:8474", "127.0.0.1:8474"), ("[::1]:0", "[::1]:0"), (":80", ":80"),
    ("unix:/run/hw.sock", "unix:/run/hw.sock"),
    ("unix:hw.sock", "unix:hw.sock"), ("unix:///run/hw.sock", "unix:/run/hw.sock"), ("unix:./a b", "unix:./a b"),
  ])
  func reads(text: String, shown: String) throws {
    #expect(try ControlAddress(parsing: text).description == shown)
  }

  @Test(arguments: [
    ("unix:", "no path"), ("unix:@headwind", "abstract"), ("unix:/run/", "a directory"),
    ("unix:/a\nb", "control character"),
    ("unix:/a\0b", "control character"), ("127.0.0.1", "missing port"),
  ])
  func refuses(text: String, reason: String) {
    let error = #expect(throws: EndpointError.self) { try ControlAddress(parsing: text) }
    #expect(error?.reason.contains(reason) == true)
  }

  @Test func relativePathsBeginAtADirectory() {
    #expect(ControlAddress.unix(path: "s").relative(to: "/run/").description == "unix:/run/s")
    #expect(ControlAddress.unix(path: "s").relative(to: "/run").description == "unix:/run/s")
    #expect(ControlAddress.unix(path: "/s").relative(to: "/run").description == "unix:/s")
  }
}
