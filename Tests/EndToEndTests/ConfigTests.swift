import Foundation
import Testing

/// Config files: what they may say, what they may not, and who wins.
@Suite(.blocking)
struct ConfigTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test func toxiproxysArrayIsRead() throws {
    let upstream = try Upstream.echo()
    let file = try directory.write(
      #"[{"name":"web","listen":"127.0.0.1:0","upstream":"\#(upstream.address)","enabled":true}]"#, to: "proxies.json")
    #expect(try Program.run(["check-config", file]).status == 0)
    let daemon = try Daemon([:], ["--config", file])
    #expect(daemon.isEchoing("web"))
  }

  @Test func anObjectIsReadAndTheCommandLineWins() throws {
    let upstream = try Upstream.echo()
    let port = try ListeningSocket.freePort()
    let file = try directory.write(
      #"""
      { // JSON5
        "proxies": [
          {"name": "web", "listen": "127.0.0.1:0", "upstream": "\#(upstream.address)", "profile": "edge"},
          {"name": "db", "listen": "127.0.0.1:0", "upstream": "127.0.0.1:1"},
        ],
        "profile": "lte", "control": "127.0.0.1:\#(port)", "seed": 5,
      }
      """#, to: "headwind.json")
    #expect(try Program.run(["check-config", "--config", file, "--json"]).json["proxies"] == 2)
    let daemon = try Daemon(["db": upstream.address], ["--config", file, "--profile", "3g"])
    #expect(daemon.ready["control"].string != "127.0.0.1:\(port)")
    #expect(daemon.ready["seed"] == 5)
    #expect(try daemon.api.get("/profile").json["name"] == "3g")
    #expect(try daemon.api.get("/proxies/web/profile").json["name"] == "edge")
    #expect(daemon.isEchoing("db"), "the command line's upstream")
    let plain = try Program(Program.headwind, ["serve", "--config", file])
    let ready = try Daemon.readyLine(of: plain)
    #expect(ready["control"].string == "127.0.0.1:\(port)")
    #expect(ready["profile"] == "lte")
  }

  static let mistakes: [(text: String, says: [String])] = [
    ("", ["is empty; allowed: JSON or JSON5"]),
    (#"{"profile":"#, ["line 1, column 12: unexpected EOF; the { of line 1, column 1 is not closed"]),
    (#"{"profil":"3g"}"#, ["profil", #""profile""#]),
    (#"{"seed":-3}"#, ["seed", "-3", "allowed"]),
    (#"{"connect_timeout_ms":0}"#, ["connect_timeout_ms", "0", "allowed"]),
    (#"{"log_level":"loud"}"#, ["log_level", "loud", "allowed"]),
    (#"{"control":"nonsense"}"#, ["control", "nonsense"]),
    (#"{"profile":"3gg"}"#, ["profile", "3gg", #"did you mean "3g""#]),
    (#"[{"name":"p","upstream":"x:1","profile":"nope"}]"#, ["proxies[0].profile", "nope"]),
    (#"[{"name":"p"}]"#, ["proxies[0]", "upstream"]),
    (#"[{"name":"p","upstream":"x:1","listen":"127.0.0.1:99999"}]"#, ["proxies[0].listen", "99999"]),
    (
      #"[{"name":"p","upstream":"x:1","toxics":[{"type":"latency","attributes":{"latency":"x"}}]}]"#,
      ["proxies[0].toxics[0].attributes.latency", #""x""#, "allowed"]
    ),
    (#"[{"name":"p","upstream":"x:1"},{"name":"p","upstream":"x:1"}]"#, ["proxies[1].name", #""p""#, "allowed"]),
    (String(repeating: "[", count: 1000), ["deep"]),
  ]

  @Test(arguments: mistakes)
  func aMistakeIsNamed(text: String, says: [String]) throws {
    let file = try directory.write(text, to: "bad.json")
    for words in [["check-config", file], ["serve", "--control", "127.0.0.1:0", "--config", file]] {
      let result = try Program.run(words)
      #expect(result.status == 1)
      #expect(result.output.isEmpty)
      #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
      for part in says + [file] { #expect(result.errors.contains(part), "\(result.errors)") }
    }
  }

  /// Nothing is wrong with the file's words, and yet `serve` can't start with it: the check says the same.
  @Test(arguments: [
    ("{control: '0.0.0.0:0'}", [], "control address 0.0.0.0:0 can be reached from other machines; allowed: "),
    ("{control: ':0'}", [], "control address :0 can be reached"),
    ("{token_file: '/nowhere'}", [], "token file /nowhere cannot be read: "),
    ("{token_file: 'DIR/open'}", [], "token file DIR/open has mode 0644"),
    ("{token_file: 'DIR/short'}", [], "token file DIR/short has 5 characters; allowed: "),
    ("{http_proxy: '0.0.0.0:0'}", [], #""http-proxy" of mode "http" would be an open proxy on 0.0.0.0:0; allowed: "#),
    ("{socks: '[::]:0'}", [], #""socks" of mode "socks" would be an open proxy on [::]:0"#),
    (
      "[{name: 'a', upstream: 'h:1', listen: 'no-such-host.invalid:0'}]", [],
      #"proxy "a": listen tcp: lookup no-such-host"#
    ),
    (
      "[{name: 'a', upstream: 'h:1', listen: '127.0.0.1:7'}, {name: 'b', upstream: 'h:1', listen: 'localhost:7'}]", [],
      #"proxy "b": listen 127.0.0.1:7 is proxy "a"'s already"#
    ),
    (
      "[{name: 'a', upstream: 'h:1', listen: ':7'}, {name: 'b', upstream: 'h:1', listen: '127.0.0.1:7'}]", [],
      #"proxy "b": listen 127.0.0.1:7 is proxy "a"'s already"#
    ),
    (
      "[{name: 'a', upstream: 'h:1', listen: '[::1]:7'}, {name: 'b', upstream: 'h:1', listen: '0.0.0.0:7'}]", [],
      #"proxy "b": listen 0.0.0.0:7 is proxy "a"'s already"#
    ),
    (
      "{control: '127.0.0.1:7', proxies: [{name: 'a', upstream: 'h:1', listen: 'localhost:7'}]}", [],
      #"proxy "a": listen 127.0.0.1:7 is the control API's already"#
    ),
    (
      "{control: ':7', proxies: [{name: 'a', upstream: 'h:1', listen: '127.0.0.1:7'}]}", ["--allow-remote"],
      #"proxy "a": listen 127.0.0.1:7 is the control API's already"#
    ),
    ("{control: 'unix:DIR/open'}", [], "control address unix:DIR/open: there is a file, which is left alone"),
    ("{control: 'unix:DIR'}", [], "control address unix:DIR: there is a directory, which is left alone"),
    ("{control: 'unix:/\(String(repeating: "x", count: 200))'}", [], "the path has 201 bytes; allowed: at most"),
    (
      "{max_proxies: 1, proxies: [{name: 'a', upstream: 'h:1'}, {name: 'b', upstream: 'h:1'}]}", [],
      "too many: 2 proxies; allowed: at most 1 (--max-proxies sets it)"
    ),
    (
      "[{name: 'a', upstream: 'h:1', toxics: [{type: 'latency'}, {type: 'timeout'}]}]", ["--max-toxics", "1"],
      #"too many: 2 toxics of proxy "a"; allowed: at most 1 (--max-toxics-per-proxy sets it)"#
    ),
    (
      """
      [{name: 'a', upstream: 'h:1', toxics: [{type: 'latency'}]},
       {name: 'b', upstream: 'h:1', toxics: [{type: 'latency'}]}]
      """, ["--max-toxics", "1"], "too many: 2 toxics; allowed: at most 1 (--max-toxics sets it)"
    ),
    ("{rules: ['*=3gg']}", [], "unknown profile"), ("{}", ["--profile", "3gg"], "unknown profile"),
    ("{control: '127.0.0.1:0'}", ["--http-proxy", ":0"], "would be an open proxy on :0"),
  ]) func whatServeRefusesTheCheckRefuses(text: String, options: [String], says: String) throws {
    for (name, mode) in [("open", 0o644), ("short", 0o600)] {
      let path = try directory.write(name == "open" ? String(repeating: "x", count: 20) : "12345", to: name)
      #expect(chmod(path, mode_t(mode)) == 0)
    }
    let file = try directory.write(text.replacing("DIR", with: directory.path), to: "headwind.json")
    let (checked, served) = (
      try Program.run(["check-config", file] + options), try Program.run(["serve", "--config", file] + options)
    )
    #expect(checked.status == 1 && checked.errors == served.errors && served.status == 1)
    #expect(checked.errors.contains(says.replacing("DIR", with: directory.path)), "\(checked.errors)")
  }

  @Test func whatTheStartMakesNeedNotBeThereYet() throws {
    let file = try directory.write("{control: 'unix:\(directory.path)/none/x.sock'}", to: "headwind.json")
    let result = try Program.run(["check-config", file])
    #expect(result.status == 0, "\(result.errors)")
  }

  @Test func whatOptionsAllowTheCheckAllows() throws {
    let token = try directory.write(String(repeating: "x", count: 20), to: "token")
    #expect(chmod(token, 0o600) == 0)
    let file = try directory.write("{control: '0.0.0.0:0', http_proxy: '0.0.0.0:0'}", to: "headwind.json")
    for options in [["--allow-remote"], ["--token-file", token]] {
      let result = try Program.run(["check-config", file, "--allow-client", "10.0.0.0/8"] + options)
      #expect(result.status == 0 && result.output.hasPrefix("ok: 1 proxy"), "\(result.errors)")
    }
    let both = try Program.run(["check-config", file, "--config", file])
    #expect(both.status == 64 && both.errors.contains("exclude each other"))
  }

  @Test func aTakenPortIsNamedWithItsOwner() throws {
    let taken = try ListeningSocket()
    let address = "\(taken.address)"
    let proxy = try Program.run(["serve", "--control", "127.0.0.1:0", "--proxy", "web=\(address),h:1"])
    #expect(
      proxy.errors.hasPrefix("headwind: listen tcp \(address): bind: ") && proxy.errors.contains(#"(proxy "web")"#),
      "\(proxy.errors)")
    let control = try Program.run(["serve", "--control", address])
    #expect(
      control.errors.hasPrefix("headwind: control address \(address): bind: ") && control.errors.contains("--control"))
    #expect(proxy.status == 1 && control.status == 1)
  }

  @Test func anAbsentFileIsNamed() throws {
    for words in [["check-config", "/nowhere.json"], ["serve", "--config", "/nowhere.json"]] {
      let result = try Program.run(words)
      #expect(result.status == 1)
      #expect(result.errors.contains("/nowhere.json"))
    }
  }
}
