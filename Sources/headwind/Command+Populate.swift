import Reactor
import Settings

// What changes all proxies at once.
extension Command {
  static let populate = Command(
    name: "populate", summary: "Make the proxies of a file, or change them to what it says: all of them or none.",
    operands: [.one("FILE", .file)], options: [.control, .tokenFile, .json],
    details: """
      FILE is a config file or toxiproxy's array of proxies; of a config file only the proxies count. `-` is standard
      input. A proxy that is as the file says keeps its connections; those that it doesn't name stay as they are.
      """,
    run: { arguments throws(CommandError) in
      let proxies = try proxiesAsWritten(in: arguments.operands[0])
      let client = try ControlClient(arguments)
      let answer = try client.send("POST", "/populate", body: .array(proxies.list))
      if !proxies.others.isEmpty {
        let keys = proxies.others.map(\.plainExcerpt).joined(separator: ", ")
        client.warn("of the file only the proxies count, not \(keys): `headwind serve --config FILE` takes all of it")
      }
      if arguments.has("--json") { return StandardOutput.write(answer.text + "\n") }
      let made = answer["proxies"]?.array ?? []
      StandardOutput.write(made.isEmpty ? "no proxies\n" : made.map { ProxyText($0).line }.joined())
    })

  /// The entries of a config file, which is held to what `check-config` holds it to, and its keys besides those.
  private static func proxiesAsWritten(in file: String) throws(CommandError) -> (list: [JSON], others: [String]) {
    let text = try file == "-" ? standardInput() : failing { () throws(SettingsError) in try SettingsFile.read(file) }
    _ = try failing { () throws(SettingsError) in
      try Config(text: text, source: file == "-" ? "standard input" : file)
    }
    let config = try? JSONReader.read(text, dialect: .json5)
    if let list = config?.arrayValue { return (list, []) }
    return (config?["proxies"]?.arrayValue ?? [], config?.members.map(\.0).filter { $0 != "proxies" } ?? [])
  }

  static func standardInput() throws(CommandError) -> [UInt8] {
    let limit = SettingsFile.maximumBytes
    let text = try failing { () throws(LoopError) in try StandardInput.read(atMost: limit) }
    guard text.count <= limit else { throw .failure("standard input: more than \(limit) bytes") }
    return text
  }

  static let reset = Command(
    name: "reset", summary: "Enable all proxies and remove all toxics; profiles stay.",
    options: [.control, .tokenFile, .json],
    run: { arguments throws(CommandError) in
      try ControlClient(arguments).send("POST", "/reset")
      StandardOutput.write(
        arguments.has("--json") ? "{\"ok\":true}\n" : "all proxies: enabled, without toxics\n")
    })
}
