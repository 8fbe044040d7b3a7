#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Testing

@testable import Settings

private func imported(
  _ text: String, as format: ImportFormat? = nil, pick: String? = nil, name: String? = nil
) throws -> ProfileImport {
  try ImportRequest(text: text.bytes, source: "some/file.x", format: format, pick: pick, name: name).read()
}

private func propertyList(_ body: String) -> String {
  """
  <?xml version="1.0" encoding="UTF-8"?>
  <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
  <plist version="1.0"><dict>\(body)</dict></plist>
  """
}

/// A profile as the pane keeps it.
private func conditioner(_ values: [String: String]) -> String {
  let keys =
    "<key>ExcludeLoopback</key><true/><key>RunOnInterface</key><string>All</string><key>ProtocolFamily</key><integer>0</integer>"
  return keys + values.sorted { $0.key < $1.key }.map { "<key>\($0.key)</key>\($0.value)" }.joined()
}

private let slow = conditioner([
  "DownlinkBandwidth": "<real>780</real>", "DownlinkBandwidthUnit": "<integer>0</integer>",
  "DownlinkDelay": "<real>400</real>", "DownlinkPacketLossRatio": "<real>2.5</real>",
  "UplinkBandwidth": "<real>1.5</real>", "UplinkBandwidthUnit": "<integer>1</integer>",
  "UplinkDelay": "<integer>440</integer>", "UplinkPacketLossRatio": "<real>0</real>",
  "DNSDelayValue": "<integer>40</integer>",
])
private let slowPath = PathSpec(
  latencyMilliseconds: 840, dnsLatencyMilliseconds: 40, downstreamBytesPerSecond: 97_500,
  upstreamBytesPerSecond: 187_500, downstreamLoss: .share(0.025))
private let pane = propertyList(
  """
  <key>Profiles</key><dict>
    <key>My slow Wi-Fi</key><dict>\(slow)</dict>
    <key>Open</key><dict>\(conditioner(["DownlinkBandwidth": "<real>0</real>"]))</dict>
  </dict>
  <key>SelectedProfile</key><string>My slow Wi-Fi</string><key>SimulatorIsRunning</key><false/>
  <key>TimeAtLastRun</key><integer>1700000000</integer>
  """)

@Suite struct ProfileImportTests {
  // MARK: The Network Link Conditioner

  @Test func theSelectedProfileOfThePaneIsTaken() throws {
    let read = try imported(pane)
    #expect(read.profile.name == "my-slow-wi-fi")
    #expect(read.profile.path == slowPath)
    #expect(read.profile.summary == "780/1500 kbit/s, 840 ms round trip, 2.5 % loss down, 40 ms to look up a name")
    #expect(read.profile.source == #"Network Link Conditioner's "My slow Wi-Fi", imported from file.x"#)
    #expect(
      read.comments == [
        "Latency: one way there, 400 ms down and 440 ms up; here their sum, the round trip (half of it in each direction, 420 ms)."
      ])
    #expect(try imported(pane, pick: "open").profile.path == PathSpec())
    #expect(try imported(pane, name: "mine").profile.name == "mine")
  }

  @Test func binaryPropertyListsAreRead() throws {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    let profiles = ["Profiles": ["P": ["DownlinkDelay": 30.0, "UplinkDelay": 20.0, "DownlinkBandwidth": 100.0]]]
    let text = Array(try encoder.encode(profiles))
    #expect(text.starts(with: "bplist".utf8))
    let read = try ImportRequest(text: text, source: "x.plist").read()
    #expect(read.profile.path == PathSpec(latencyMilliseconds: 50, downstreamBytesPerSecond: 12_500))
    let cut = ImportRequest(text: text.dropLast(9), source: "x.plist")
    #expect(message { _ = try cut.read() }.contains("is not a property list that can be read"))
  }

  /// As `defaults read com.apple.network.prefPaneSimulate` prints it.
  @Test func whatDefaultsPrintsIsRead() throws {
    let text = """
      {
          Profiles = { "My one" = { DownlinkBandwidth = 780; DownlinkDelay = "2.5"; UplinkDelay = 3; RunOnInterface = All; }; };
          SelectedProfile = "My one";
      }
      """
    let read = try imported(text, as: .nlc)
    #expect(read.profile.name == "my-one")
    #expect(read.profile.path == PathSpec(latencyMilliseconds: 5.5, downstreamBytesPerSecond: 97_500))
  }

  /// "100% Loss" has no rate, but loss can't be shown without one.
  @Test func lossWithoutARateGetsOne() throws {
    let read = try imported(propertyList(conditioner(["DownlinkPacketLossRatio": "<integer>100</integer>"])))
    #expect(read.profile.path.downstreamLoss == .share(1))
    #expect(read.profile.path.downstreamBytesPerSecond == PathSpec.fastestModelled)
    #expect(read.comments.contains { $0.contains("highest") })
    let file = ProfileFileText(read.profile, comments: read.comments).text
    #expect(try Profile(text: file.utf8, source: "again") == read.profile)
  }

  @Test func aProfileAloneIsTakenByItsFilesName() throws {
    let request = ImportRequest(text: propertyList(slow).bytes, source: "/somewhere/Slow One.plist")
    #expect(try request.read().profile.name == "slow-one")
    #expect(try request.read().profile.path == slowPath)
    #expect(try !request.read().profile.source.contains("somewhere"))
  }

  static let wrongLists = [
    Row(
      "<plist",
      "is not a property list that can be read; `plutil -convert xml1` on a Mac says why, or writes one that can"),
    Row("<plist version=\"1.0\"><array/></plist>", "is a property list, but no dictionary"),
    Row(propertyList(""), "has no profile to import"),
    Row(propertyList("<key>Profiles</key><dict/>"), "has no profile to import"),
    Row(
      propertyList(conditioner(["UplinkDelay": "<real>-3</real>"])),
      "UplinkDelay is -3; allowed: a number from 0 to 300000"),
    Row(
      propertyList(
        "<key>Profiles</key><dict><key>P</key><dict>\(conditioner(["DownlinkDelay": "<string>soon</string>"]))</dict></dict>"
      ),
      "Profiles.P.DownlinkDelay is \"soon\"; allowed: a number from 0 to 300000"),
    Row(
      propertyList(conditioner(["DownlinkPacketLossRatio": "<real>101</real>"])),
      "DownlinkPacketLossRatio is 101; allowed: a number from 0 to 100"),
    Row(
      propertyList(conditioner(["UplinkBandwidth": "<array/>"])),
      "UplinkBandwidth is an array; allowed: a number from 0 to 8000000000"),
    Row(
      propertyList(
        conditioner(["UplinkBandwidth": "<real>1</real>", "UplinkBandwidthUnit": "<integer>7</integer>"])),
      "UplinkBandwidthUnit is 7; allowed: a number from 0 to 1"),
    Row(
      propertyList("<key>Profiles</key><dict><key>A</key><dict>\(slow)</dict><key>B</key><dict>\(slow)</dict></dict>"),
      "has 2 profiles; --pick says which: \"A\", \"B\""),
  ]

  @Test(arguments: wrongLists) func wrongPropertyListsAreTold(_ row: Row) {
    #expect(message { _ = try imported(row.input) } == "some/file.x: \(row.expected)")
  }

  @Test func anUnknownPickIsTold() {
    #expect(
      message { _ = try imported(pane, pick: "x") }
        == "some/file.x: has no profile \"x\"; it has \"My slow Wi-Fi\", \"Open\"")
  }

  // MARK: WebPageTest

  private static let connectivity = """
    ; bits per second and milliseconds
    [settings]
    something=1

    [Cable]
    label="Cable (5/1 Mbps, 28ms RTT)"
    bwIn=5000000
    bwOut = 1000000
    latency=28
    plr=0

    [Free]
    label=Free, as in = nothing
    BWIN=0
    latency=0
    """

  @Test func aSectionIsTaken() throws {
    let read = try imported(Self.connectivity, pick: "cable")
    #expect(
      read.profile.path
        == PathSpec(latencyMilliseconds: 28, downstreamBytesPerSecond: 625_000, upstreamBytesPerSecond: 125_000))
    #expect(read.profile.name == "cable")
    #expect(try imported(Self.connectivity, pick: "Free").profile.path == PathSpec())
    #expect(
      message { _ = try imported(Self.connectivity) }
        == "some/file.x: has 2 sections; --pick says which: \"Cable\", \"Free\"")
  }

  @Test(arguments: [
    #"[3G] label="3G (1.6 Mbps, 300ms)", bwIn=1600000, bwOut=768000, latency=300, plr=1.5"#,
    "[3G] bwIn=1600000,bwOut=768000,latency=300,plr=1.5",
    "\u{FEFF}[3G]\r\nbwIn=1600000\r\nbwOut=768000\r\nlatency=300\r\nplr=1.5\r\n",
    "[3G] label=one, bwIn=1600000, bwOut=768000, latency=300, plr=1.5, # end=1",
  ]) func aLineIsTaken(_ line: String) throws {
    let read = try imported(line)
    #expect(read.profile.name == "3g")
    #expect(
      read.profile.path
        == PathSpec(
          latencyMilliseconds: 300, downstreamBytesPerSecond: 200_000, upstreamBytesPerSecond: 96_000,
          downstreamLoss: .share(0.015), upstreamLoss: .share(0.015)))
    #expect(read.comments.contains { $0.hasPrefix("Loss: ") })
  }

  @Test func aLineWithoutASectionNeedsAName() throws {
    #expect(try imported("bwIn=800", name: "n").profile.path == PathSpec(downstreamBytesPerSecond: 100))
    #expect(
      message { _ = try imported("bwIn=800") }
        == "some/file.x: calls it \"\", of which no profile's name can be made; --name gives one")
  }

  @Test(arguments: [
    Row("[A]\nbwIn=fast", "[A] bwIn is \"fast\"; allowed: a number from 0 to 8000000000000"),
    Row("[A]\nlatency=-1", "[A] latency is \"-1\"; allowed: a number from 0 to 600000"),
    Row("[A]\nplr=101", "[A] plr is \"101\"; allowed: a number from 0 to 100"),
    Row("[A]\nlatency=nan", "[A] latency is \"nan\"; allowed: a number from 0 to 600000"),
    Row("[A\nlatency=1", "line 1 is no section; allowed: [NAME]"),
    Row("[A]\nlatency", "line 2 is \"latency\"; allowed: KEY=VALUE"),
    Row("[A]\n=5", "line 2 is \"=5\"; allowed: KEY=VALUE"), Row("[A]\nx=1", "has no section to import"),
    Row("; nothing", "has no section to import"),
    Row("[!]\nlatency=1", "calls it \"!\", of which no profile's name can be made; --name gives one"),
    Row("[none]\nlatency=1", "calls it \"none\", of which no profile's name can be made; --name gives one"),
  ]) func wrongSectionsAreTold(_ row: Row) {
    #expect(message { _ = try imported(row.input) } == "some/file.x: \(row.expected)")
  }

  // MARK: toxiproxy

  private static let web = #"""
    {"name":"web","listen":"127.0.0.1:1","upstream":"h:80","enabled":true,"toxics":[
      {"name":"a","type":"latency","stream":"downstream","toxicity":1,"attributes":{"latency":300,"jitter":50}},
      {"name":"b","type":"latency","stream":"upstream","toxicity":1,"attributes":{"latency":20,"jitter":0}},
      {"name":"c","type":"bandwidth","stream":"downstream","toxicity":1,"attributes":{"rate":90}},
      {"name":"d","type":"bandwidth","attributes":{"rate":30}},
      {"name":"e","type":"latency","stream":"upstream","toxicity":0.5,"attributes":{"latency":1000}},
      {"name":"f","type":"latency","stream":"upstream","attributes":{"latency":1,"jitter":2}},
      {"name":"g","type":"slicer","stream":"upstream","attributes":{"average_size":100}}]}
    """#

  @Test(arguments: [web, "[\(web)]", "{\"web\": \(web)}", "{\"proxies\": [\(web)]}", "[{\"name\":\"o\"}, \(web)]"])
  func latencyAndBandwidthBecomeThePath(_ text: String) throws {
    let read = try imported(text, pick: text.contains("\"o\"") ? "web" : nil)
    #expect(
      read.profile.path
        == PathSpec(latencyMilliseconds: 320, jitterMilliseconds: 50, downstreamBytesPerSecond: 30_000))
    #expect(read.profile.toxics.map(\.name) == ["e", "f", "g"], "odds and jitter above the delay are no path's")
    #expect(read.profile.name == "web")
    #expect(read.comments.first?.contains("300 ms down and 20 ms up") == true)
  }

  @Test(arguments: [
    Row("[{", "line 1, column 3: unexpected EOF; the { of line 1, column 2 is not closed"),
    Row("[]", "has no proxy to import"), Row("{}", "has no proxy to import"),
    Row("[{\"name\":\"a\"}]", "[0].toxics has none; allowed: a proxy with toxics, as GET /proxies answers it"),
    Row(
      #"{"name":"a","toxics":[{"type":"latency","attributes":{"latency":-1}}]}"#,
      "toxics[0].attributes.latency is -1; allowed: a whole number from 0 to 600000"),
    Row(
      #"[{"name":"a","toxics":[{"type":"x"}]}]"#,
      ##"[0].toxics[0].type is "x"; allowed: "latency", "bandwidth", "slow_close", "timeout", "reset_peer", "slicer", "limit_data", "noop", "drop", "stall""##
    ),
    Row("[{\"name\":\"a\",\"toxics\":[]},{\"name\":\"b\"}]", "has 2 proxies; --pick says which: \"a\", \"b\""),
  ]) func wrongProxiesAreTold(_ row: Row) {
    #expect(message { _ = try imported(row.input) } == "some/file.x: \(row.expected)")
  }

  // MARK: All of them

  @Test(arguments: [
    Row("", "is empty"),
    Row("hello", "is no property list, no [section] of KEY=VALUE lines and no JSON; --format says what it is"),
  ])
  func whatIsNothingIsTold(_ row: Row) {
    #expect(message { _ = try imported(row.input) } == "some/file.x: \(row.expected)")
  }

  @Test func aGivenFormatIsHeldTo() {
    #expect(message { _ = try imported("[A]\nlatency=1", as: .nlc) }.contains("property list"))
    #expect(message { _ = try imported(pane, as: .toxiproxy) } != "(no error)")
    #expect(
      message { _ = try imported("[A] latency=1", name: "No Name") }
        == "--name is \"No Name\"; allowed: \(Profile.nameRule)")
  }

  @Test(arguments: [pane, connectivity + "\nplr=3", web]) func theFileComesBackTheSame(_ text: String) throws {
    let read = try imported(text, pick: text == pane ? nil : text == Self.web ? "web" : "Free")
    let file = ProfileFileText(read.profile, comments: read.comments).text
    #expect(try Profile(text: file.utf8, source: "again", expectedName: read.profile.name) == read.profile)
    #expect(file.split(separator: "\n").filter { $0.hasPrefix("//") }.allSatisfy { $0.count <= 118 })
  }

  @Test func theModelIsWrittenWhereItWasAskedFor() {
    func text(_ path: PathSpec) -> String { ProfileFileText(Profile(name: "x", path: path), comments: []).text }
    #expect(!text(PathSpec(latencyMilliseconds: 100)).contains("model"))
    #expect(text(PathSpec(latencyMilliseconds: 100, model: .plain)).contains(#""model": "plain""#))
  }

  @Test(
    arguments: [
      ("3G (slow)", "3g-slow"), ("  LTE. ", "lte"), ("...a__b", "a-b"), ("Wi-Fi 802.11ac", "wi-fi-802.11ac"),
      (String(repeating: "n", count: 70), String(repeating: "n", count: 64)),
    ])
  func aNameIsMadeOfTheOneThere(_ found: String, _ made: String) throws {
    #expect(try imported("[\(found)]\nlatency=1").profile.name == made)
  }

  @Test func theSlowestOfSeveralRatesCounts() throws {
    let toxics = [("upstream", 30), ("upstream", 40), ("downstream", 40), ("downstream", 30)].enumerated().map {
      #"{"name":"\#($0)","type":"bandwidth","stream":"\#($1.0)","attributes":{"rate":\#($1.1)}}"#
    }
    let path = try imported(#"[{"name":"a","toxics":[\#(toxics.joined(separator: ","))]}]"#).profile.path
    #expect(path.upstreamBytesPerSecond == 30_000 && path.downstreamBytesPerSecond == 30_000)
  }

  /// What toxiproxy is told of a profile comes back, but for what it has no words for.
  @Test func exportedProfilesComeBack() throws {
    for profile in try ProfileCatalogue().profiles where profile.path.latencyMilliseconds > 0 {
      let proxy = ExportedProxy(listen: "127.0.0.1:0", upstream: "h:1")
      guard case .document(let document) = profile.exported(as: .toxiproxy, proxy: proxy).body else { continue }
      let again = try ImportRequest(text: document.bytes, source: "again").read().profile
      #expect(again.name == profile.name)
      #expect(again.path.latencyMilliseconds == profile.path.latencyMilliseconds.rounded(), "\(profile.name)")
      func isNear(_ a: Int64?, _ b: Int64?) -> Bool { (a == nil) == (b == nil) && abs((a ?? 0) - (b ?? 0)) <= 999 }
      #expect(isNear(again.path.downstreamBytesPerSecond, profile.path.downstreamBytesPerSecond), "\(profile.name)")
      #expect(isNear(again.path.upstreamBytesPerSecond, profile.path.upstreamBytesPerSecond), "\(profile.name)")
    }
  }

  /// Damaged files end in an error or a profile, and never worse.
  @Test func damagedFilesAreOnlyRefused() {
    var dice = Dice(state: 5)
    for text in [pane, Self.connectivity, Self.web] {
      for _ in 0..<300 {
        var bytes = text.bytes
        for _ in 0..<Int.random(in: 1...4, using: &dice) {
          bytes[Int.random(in: bytes.indices, using: &dice)] = UInt8.random(in: 0...255, using: &dice)
        }
        if Bool.random(using: &dice) { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &dice)) }
        guard let read = try? ImportRequest(text: bytes, source: "x").read() else { continue }
        let file = ProfileFileText(read.profile, comments: read.comments).text
        #expect(message { _ = try Profile(text: file.utf8, source: "again") } == "(no error)", "\(file)")
      }
    }
  }
}
