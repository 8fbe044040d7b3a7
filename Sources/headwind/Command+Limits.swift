import Reactor
import Settings

extension Command {
  static let limits = Command(
    name: "limits", aliases: ["limit"], summary: "Show what is bounded, how much of it is in use, and what was hit.",
    options: [.control, .tokenFile, .json],
    details: """
      USED is – where a limit bounds each of many things. HIT counts what was refused, cut off, made to wait or
      forgotten because of it. `headwind serve` sets them by the flags that are listed, or by keys of the config
      file: max_connections for --max-connections. docs/limits.md says what happens at each.
      """,
    run: { arguments throws(CommandError) in
      let answer = try ControlClient(arguments).get("/limits")
      if arguments.has("--json") { return StandardOutput.write(answer.text + "\n") }
      StandardOutput.write(table(of: answer["limits"]?.array ?? []).text())
    })

  static func table(of limits: [JSON]) -> TextTable {
    var table = TextTable(["FLAG", "LIMIT", "USED", "HIT"], rightAligned: [1, 2, 3])
    for limit in limits {
      func number(_ key: String) -> String { limit[key]?.integerValue.map(String.init) ?? "–" }
      let isHit = (limit["reached"]?.integerValue ?? 0) > 0
      table.add(
        [limit["flag"]?.string ?? "", number("value"), number("used"), number("reached")],
        colours: isHit ? [3: .yellow] : [:])
    }
    return table
  }
}
