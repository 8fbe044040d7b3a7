import Reactor
import Settings

extension Command {
  static let proxies = group(
    name: "proxies", aliases: ["proxy"],
    summary: "List, show, create, change and delete the proxies of a running daemon.",
    of: [listProxies, showProxy, createProxy, updateProxy, enableProxy, disableProxy, toggleProxy, deleteProxies])

  // MARK: Looking

  private static let listProxies = Command(
    name: "proxies list", aliases: ["ls", "li", "l"],
    summary: "List the proxies, each with the profile in force: its own, or that of all.",
    options: [.control, .tokenFile, .json],
    run: { arguments throws(CommandError) in
      let client = try ControlClient(arguments)
      if arguments.has("--json") { return StandardOutput.write(try client.get(ProxyTable.target).text + "\n") }
      StandardOutput.write(try ProxyTable(client).text())
    })

  private static let showProxy = Command(
    name: "proxies show", aliases: ["inspect", "ins", "i"],
    summary: "Show a proxy with its toxics and what it has carried.",
    operands: [.one("NAME", .name(.proxies))], options: [.control, .tokenFile, .json],
    details: "With --json it is the proxy as the API has it, with one more key: counters.",
    run: { arguments throws(CommandError) in
      let client = try ControlClient(arguments)
      let call = ProxyCall(arguments.operands[0], client)
      let proxy = try call.get("?all=true")
      let counters = try call.get("/counters")
      if arguments.has("--json") {
        var object = proxy.objectValue ?? [:]
        object["counters"] = counters
        return StandardOutput.write(JSON.object(object).text + "\n")
      }
      let sessions = try client.get("/sessions?proxy=\(percentEncoded(call.name))")
      StandardOutput.write(
        ProxyText(proxy).text(
          global: try client.get("/profile"), leases: try client.leases(), counters: counters,
          openSessions: sessions["sessions"]?.array.count ?? 0))
    })

  // MARK: Making and changing

  private static func listenOption(_ more: String = "") -> OptionSpec {
    OptionSpec(
      name: "--listen", aliases: ["-l"], value: "HOST:PORT",
      help: "Where it accepts clients; port 0 takes a free one, and :PORT without a host is every interface.\(more)")
  }
  private static let upstreamOption = OptionSpec(
    name: "--upstream", aliases: ["-u"], value: "HOST:PORT", help: "Where it forwards to.")

  private static let createProxy = Command(
    name: "proxies create", aliases: ["add", "new", "c"], summary: "Create a proxy, and tell where it listens.",
    operands: [.one("NAME")],
    options: [
      listenOption(" Default: a free port of 127.0.0.1."), upstreamOption,
      OptionSpec(
        name: "--mode", value: "MODE", kind: .word(of: ProxyMode.self),
        help: "http or socks: clients name the upstream themselves (default: tcp)."),
      OptionSpec(name: "--disabled", help: "Don't accept clients yet."),
      OptionSpec(
        name: "--profile", value: "PROFILE", kind: .name(.profiles),
        help: "A profile of its own, before that of all proxies."),
      .control, .tokenFile, .json,
    ],
    details: """
      Examples:
        headwind proxies create web --listen 127.0.0.1:8080 --upstream example.com:80
        headwind proxies create browser --mode http --listen 127.0.0.1:3128
      """,
    run: { arguments throws(CommandError) in
      let mode = try arguments.choice("--mode", of: ProxyMode.self)
      let upstream = try arguments.address("--upstream")
      guard (mode ?? .tcp).isForward == (upstream == nil) else {
        throw arguments.usage(
          upstream == nil ? "missing: --upstream HOST:PORT" : "--upstream and --mode http or socks exclude each other")
      }
      let body = JSON.object([
        ("name", .string(arguments.operands[0])),
        ("listen", .string(try arguments.address("--listen") ?? "127.0.0.1:0")),
        ("upstream", upstream.map(JSON.string)),
        ("mode", mode.map { .string($0.rawValue) }),
        ("enabled", arguments.has("--disabled") ? false : nil),
        ("profile", arguments.value("--profile").map(JSON.string)),
      ])
      let client = try ControlClient(arguments)
      let call = ProxyCall(arguments.operands[0], client)
      let proxy = try client.send("POST", "/proxies", body: body, about: call.subject) { call.wayOut(of: $0) }
      show(proxy, arguments)
    })

  private static let updateProxy = Command(
    name: "proxies update",
    summary: "Change where a proxy listens or forwards to. Its connections are closed, its toxics stay.",
    operands: [.one("NAME", .name(.proxies))], options: [listenOption(), upstreamOption, .control, .tokenFile, .json],
    run: { arguments throws(CommandError) in
      let listen = try arguments.address("--listen")
      let upstream = try arguments.address("--upstream")
      guard listen != nil || upstream != nil else {
        throw arguments.usage("nothing to change; give --listen, --upstream or both")
      }
      let call = ProxyCall(arguments.operands[0], try ControlClient(arguments))
      let change = [("listen", listen.map(JSON.string)), ("upstream", upstream.map(JSON.string))]
      show(try call.send("POST", body: .object(change)), arguments)
    })

  private static let enableProxy = switchCommand("enable", "Let a proxy accept clients.") { _ in true }
  private static let disableProxy = switchCommand(
    "disable", "Close a proxy's port and connections; its toxics stay."
  ) { _ in false }
  private static let toggleProxy = switchCommand(
    "toggle", aliases: ["tog"], "Enable a proxy that is disabled, disable one that is enabled."
  ) { call throws(CommandError) in !ProxyText(try call.get()).isEnabled }

  /// - Parameter isEnabled: what the proxy is to become.
  private static func switchCommand(
    _ word: String, aliases: [String] = [], _ summary: String,
    to isEnabled: @escaping @Sendable (ProxyCall) throws(CommandError) -> Bool
  ) -> Command {
    Command(
      name: "proxies \(word)", aliases: aliases, summary: summary, operands: [.one("NAME", .name(.proxies))],
      options: [.control, .tokenFile, .json],
      run: { arguments throws(CommandError) in
        let call = ProxyCall(arguments.operands[0], try ControlClient(arguments))
        show(try call.send("POST", body: ["enabled": .bool(try isEnabled(call))]), arguments)
      })
  }

  private static func show(_ proxy: JSON, _ arguments: Arguments) {
    StandardOutput.write(arguments.has("--json") ? proxy.text + "\n" : ProxyText(proxy).line)
  }

  // MARK: Deleting

  private static let deleteProxies = Command(
    name: "proxies delete", aliases: ["remove", "rm", "del", "d"],
    summary: "Delete proxies, and close their connections.",
    operands: [.several("NAME", .name(.proxies))], options: [.control, .tokenFile, .json],
    details: "One that isn't there makes the exit status 1; the others are deleted.",
    run: { arguments throws(CommandError) in
      let client = try ControlClient(arguments)
      try forEach(arguments.operands, arguments, done: "deleted") { name throws(CommandError) in
        try ProxyCall(name, client).send("DELETE")
        return "proxy \(name.printable): deleted\n"
      }
    })

  /// Does one thing after another; a failure of one doesn't keep the others from it.
  ///
  /// - Parameters:
  ///   - done: the key under which JSON lists what succeeded.
  ///   - body: gives the line for people.
  static func forEach(
    _ names: [String], _ arguments: Arguments, done: String, _ body: (String) throws(CommandError) -> String
  ) throws(CommandError) {
    var succeeded: [JSON] = []
    var failures: [String] = []
    for name in names {
      do throws(CommandError) {
        let line = try body(name)
        succeeded.append(.string(name))
        if !arguments.has("--json") { StandardOutput.write(line) }
      } catch {
        failures.append(error.message)
      }
    }
    if arguments.has("--json") { StandardOutput.write(JSON.object([(done, .array(succeeded))]).text + "\n") }
    if !failures.isEmpty { throw .failure(failures.joined(separator: "; ")) }
  }
}

extension Arguments {
  /// An address as the daemon takes it. Without a host it is every interface, so an empty one (an unset variable of a
  /// script) is refused.
  fileprivate func address(_ name: String) throws(CommandError) -> String? {
    guard let text = value(name) else { return nil }
    let reason = text.isEmpty ? "no address" : Endpoint.problem(in: text)?.reason
    guard let reason else { return text }
    throw usage("\(name) is \(quoted(text)): \(reason); allowed: HOST:PORT, such as 127.0.0.1:8080")
  }
}
