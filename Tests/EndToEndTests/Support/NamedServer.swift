import Foundation
import Testing

/// The program under the name `toxiproxy-server`: a symbolic link in a directory of its own.
struct ServerLink {
  let directory: TemporaryDirectory
  let path: String

  init(name: String = "toxiproxy-server") throws {
    directory = try TemporaryDirectory()
    path = directory.path + "/" + name
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: Program.headwind)
  }

  /// Starts it and waits until it is ready.
  func start(_ words: [String], environment: [String: String] = [:]) throws -> NamedServer {
    try NamedServer(try Program(path, words, environment: environment))
  }

  /// Runs it to its end.
  func run(_ words: [String], environment: [String: String] = [:]) throws -> Program.Result {
    let program = try Program(path, words, environment: environment)
    let status = program.exit()
    return Program.Result(status: status, output: program.output, errors: program.errors)
  }
}

/// A daemon that was started under another name, or with another command line than ``Daemon``'s.
struct NamedServer {
  let program: Program
  let ready: JSONValue
  let api: API

  init(_ program: Program) throws {
    self.program = program
    ready = try Daemon.readyLine(of: program)
    let control = try Address(try #require(ready["control"].string))
    // All interfaces: this machine's own is one of them.
    api = API(address: control.host == "::" ? Address(host: "127.0.0.1", port: control.port) : control)
  }

  /// Ends it in good order, so that all that it logged is there.
  func logAtItsEnd() throws -> [JSONValue] {
    program.send(SIGTERM)
    try #require(program.exit() == 0)
    return try program.errors.split(separator: "\n").map { try JSONValue(String($0)) }
  }
}
