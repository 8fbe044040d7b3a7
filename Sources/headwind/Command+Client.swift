import Reactor
import Settings

extension Command {
  static let use = Command(
    name: "use",
    summary: "Switch a running daemon to a profile.",
    operands: [.optional("PROFILE")],
    options: [
      .control,
      OptionSpec(name: "--proxy", value: "NAME", help: "Switch this proxy alone."),
      OptionSpec(name: "--for", value: "TIME", help: "Return to the profile before by itself, such as 30s."),
      OptionSpec(name: "--clear", help: "Instead of PROFILE: take the profile away, the proxy's own with --proxy."),
      .json,
    ],
    details: """
      `headwind use none` lets everything pass again. With --proxy NAME the proxy's own profile comes before the global
      one; `none` there makes it pass whatever the others do, and `headwind use --proxy NAME --clear` puts it under the
      global one again.
      """,
    run: { arguments throws(CommandError) in
      let client = try ControlClient(arguments)
      let proxy = arguments.value("--proxy").map { ProxyCall($0, client) }
      let answer = try switchProfile(arguments) { method, target throws(CommandError) in
        guard let proxy else { return try client.send(method, target) }
        return try proxy.send(method, target)
      }
      if arguments.has("--json") { return StandardOutput.write(answer.text + "\n") }
      let whose = proxy.map { "proxy \($0.name.printable)" } ?? "all proxies"
      guard proxy == nil || !arguments.has("--clear") else {
        let global = try client.get("/profile")["name"]?.string ?? "none"
        return StandardOutput.write("\(whose): no profile of its own, that of all proxies is \(global)\n")
      }
      let until = answer["reverts_at"]?.string.map { ", until \($0)" } ?? ""
      StandardOutput.write("\(whose): \(answer["name"]?.string ?? "none")\(until)\n")
    })

  private static func switchProfile(
    _ arguments: Arguments, _ send: (_ method: String, _ target: String) throws(CommandError) -> JSON
  ) throws(CommandError) -> JSON {
    _ = try arguments.duration("--for")
    switch (arguments.operands.first, arguments.has("--clear")) {
    case (nil, false): throw arguments.usage("missing: PROFILE")
    case (let name?, true): throw arguments.usage("--clear and the profile \(quoted(name)) exclude each other")
    case (nil, true) where arguments.has("--for"): throw arguments.usage("--clear and --for exclude each other")
    case (nil, true): return try send("DELETE", "/profile")
    case (let name?, false):
      let time = arguments.value("--for").map { "?for=\(percentEncoded($0))" } ?? ""
      return try send("PUT", "/profile/\(percentEncoded(name))\(time)")
    }
  }

  static let status = Command(
    name: "status",
    summary: "Show a running daemon's profile, proxies and sessions.",
    options: [.control, .json],
    run: { arguments throws(CommandError) in
      let client = try ControlClient(arguments)
      let table = try ProxyTable(client)
      if arguments.has("--json") {
        let status = JSON.object([
          ("health", try client.get("/healthz")), ("profile", table.profile), ("proxies", table.proxies),
          ("sessions", table.sessions["sessions"] ?? []),
        ])
        return StandardOutput.write(status.text + "\n")
      }
      let until = table.profile["reverts_at"]?.string.map { " (until \($0))" } ?? ""
      StandardOutput.write("profile: \(table.profile["name"]?.string ?? "none")\(until)\n\n\(table.text())")
    })

  static let wait = Command(
    name: "wait",
    summary: "Wait until a daemon is ready.",
    options: [
      .control, OptionSpec(name: "--timeout", value: "TIME", help: "Give up after this long (default: 10s)."),
      OptionSpec(
        name: "--pid", value: "PID", help: "Only this process counts: with another daemon on the port, fail at once."),
      .json,
    ],
    details: "Exit status 0 as soon as every configured listener is bound, 1 when the time is over.",
    run: { arguments throws(CommandError) in
      let client = try ControlClient(arguments)
      let timeout = try arguments.duration("--timeout") ?? .seconds(10)
      let pid = try arguments.wholeNumber("--pid")
      let clock = ContinuousClock()
      let end = clock.now + timeout
      var last = ""
      repeat {
        switch client.exchange(
          "GET", "/readyz", timeout: max(.milliseconds(1), min(.seconds(1), clock.now.duration(to: end))))
        {
        case .success(let response) where response.status == 200:
          try requireProcess(pid, of: response, at: client)
          if arguments.has("--json") { StandardOutput.write(String(decoding: response.body, as: UTF8.self) + "\n") }
          return
        case .success(let response): last = "status \(response.status)"
        case .failure(let error): last = error.description
        }
        ThisProcess.pause(milliseconds: 20)
      } while clock.now < end
      throw .failure("not ready after \(timeout): http://\(client.address): \(last)")
    })
}

extension Command {
  /// A daemon that somebody else left on the port is not the one that was waited for.
  private static func requireProcess(
    _ wanted: UInt64?, of response: HTTPClientResponse, at client: ControlClient
  ) throws(CommandError) {
    guard let wanted else { return }
    let body = try? JSONReader.read(response.body, dialect: .lenient)
    guard case .integer(let found)? = body?["pid"], UInt64(exactly: found) != wanted else { return }
    throw .failure("another daemon is at http://\(client.address): its process is \(found), not \(wanted)")
  }
}
