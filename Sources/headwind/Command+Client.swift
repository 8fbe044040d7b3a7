import Reactor
import Settings

extension Command {
  static let wait = Command(
    name: "wait",
    summary: "Wait until a daemon is ready.",
    options: [
      .control, .tokenFile,
      OptionSpec(name: "--timeout", value: "TIME", help: "Give up after this long (default: 10s)."),
      OptionSpec(
        name: "--pid", value: "PID",
        help: "Only this process counts: fail at once when it has ended, or another daemon has the port."),
      .json,
    ],
    details: """
      Exit status 0 as soon as every configured listener is bound, 1 when the time is over.

      Example: headwind serve --config proxies.json & headwind wait --pid $! --timeout 30s
      """,
    run: { arguments throws(CommandError) in
      let client = try ControlClient(arguments)
      let timeout = try arguments.duration("--timeout") ?? .seconds(10)
      let pid = try arguments.wholeNumber("--pid", in: 1...UInt64(Int32.max)).map { Int32($0) }
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
        // Only now: one that has answered is there, whatever its number is over here.
        if let pid, !ProcessTree.isRunning(pid) {
          throw .failure("process \(pid) is not running; \(client.url): \(last)")
        }
        ThisProcess.pause(milliseconds: 20)
      } while clock.now < end
      throw .failure("not ready after \(timeout): \(client.url): \(last)")
    })
}

extension Command {
  /// A daemon that somebody else left on the port is not the one that was waited for.
  private static func requireProcess(
    _ wanted: Int32?, of response: HTTPClientResponse, at client: ControlClient
  ) throws(CommandError) {
    guard let wanted else { return }
    let body = try? JSONReader.read(response.body, dialect: .lenient)
    guard case .integer(let found)? = body?["pid"], found != wanted else { return }
    throw .failure("another daemon is at \(client.url): its process is \(found), not \(wanted)")
  }
}
