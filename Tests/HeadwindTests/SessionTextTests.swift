import Settings
import Testing

@testable import headwind

/// Live sessions as a table, from the API's objects.
struct SessionTextTests {
  private let now = Int64(1_796_036_523_000_000_000)

  private func rows(_ sessions: String) throws -> [String] {
    let text = SessionText.table(try JSONReader.read(sessions.utf8, dialect: .lenient).array, atNanoseconds: now)
    return text.split(separator: "\n").dropFirst().map(String.init)
  }

  @Test func aSessionIsARow() throws {
    let row = try rows(
      #"""
      [{"id":7,"proxy":"web","number":3,"state":"open","client":"127.0.0.1:5","upstream":"127.0.0.1:80",
        "profile":"3g","opened_at":"2026-11-30T10:59:20.500Z","upstream_bytes":120,"downstream_bytes":51234,
        "buffered_bytes":0,"upstream_delay_ms":50,"downstream_delay_ms":150.5,
        "decisions":[{"outcome":"dropped"},{"outcome":"passed"}]}]
      """#)
    #expect(
      row.map { $0.split(separator: " ").joined(separator: " ") } == [
        "7 web 3 127.0.0.1:5 127.0.0.1:80 3g open 2 min 42 s 120 B 51.2 kB 0 B 50/150.5 ms 1"
      ])
  }

  @Test func aForwardSessionTellsItsTargetAndItsRule() throws {
    let row = try rows(
      #"""
      [{"id":1,"proxy":"http-proxy","number":1,"state":"open","client":"c","upstream":"192.0.2.1:443","profile":"edge",
        "target":"example.com:443","rule":"*.com=edge\u001b[31m","opened_at":"2026-11-30T08:01:59Z","upstream_bytes":0,
        "downstream_bytes":0,"buffered_bytes":0,"upstream_delay_ms":0,"downstream_delay_ms":0,"decisions":[]}]
      """#)
    #expect(
      row.map { $0.split(separator: " ").joined(separator: " ") } == [
        #"1 http-proxy 1 c example.com:443 edge (rule *.com=edge\u{1B}[31m) open 3 h 0 min 0 B 0 B 0 B - 0"#
      ])
  }

  /// From a daemon that tells less, or whose clock is ahead.
  @Test func whatIsMissingIsADash() throws {
    #expect(try rows(#"[{"id":1,"opened_at":"2027-01-01T00:00:00Z"}]"#)[0].contains(" 0 s "))
    #expect(try rows("[{}]")[0].hasPrefix(" -  -  "))
    #expect(SessionText.table([], atNanoseconds: now) == "no sessions\n")
  }
}
