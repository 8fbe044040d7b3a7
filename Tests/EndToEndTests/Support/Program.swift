import Foundation
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A spawned program with its outputs; it doesn't outlive its owner.
final class Program: Sendable {
  struct Ending: Equatable {
    /// Nil when a signal ended it.
    var exit: Int32?
    var signal: Int32?
  }

  let identifier: Int32
  private let outputs: (Output, Output)
  private let ending = Mutex<Ending?>(nil)

  /// The product under test, which the build puts beside the tests.
  static let headwind: String = {
    let starts = [CommandLine.arguments[0]] + Bundle.allBundles.map(\.bundlePath)
    for start in starts {
      var directory = URL(fileURLWithPath: start).standardizedFileURL
      while directory.path != "/" {
        directory.deleteLastPathComponent()
        let file = directory.appendingPathComponent("headwind").path
        var isDirectory: ObjCBool = false
        if FileManager.default.fileExists(atPath: file, isDirectory: &isDirectory), !isDirectory.boolValue {
          return file
        }
      }
    }
    return "headwind"
  }()

  /// - Parameters:
  ///   - environment: added to a bare one, in which nothing says where a daemon is.
  ///   - blocked: signals that it starts with blocked; none is inherited from this process.
  ///   - passing: descriptors of ours, and under which number it has them.
  init(
    _ path: String = headwind, _ arguments: [String], environment: [String: String] = [:], blocked: [Int32] = [],
    passing: [Int32: Int32] = [:]
  ) throws {
    outputs = (try Output(), try Output())
    var spawning = Spawning()
    spawning.redirect(outputs.0.writeEnd, to: 1)
    spawning.redirect(outputs.1.writeEnd, to: 2)
    for (descriptor, number) in passing { spawning.redirect(descriptor, to: number) }
    // Swift keeps the address of a weak reference's side table shifted: the leak checker takes each for lost.
    let variables = ["PATH": "/usr/bin:/bin", "LANG": "C", "ASAN_OPTIONS": "detect_leaks=0"].merging(environment) { $1 }
      .map { "\($0)=\($1)" }
    identifier = try spawning.spawn(path, [path] + arguments, variables, blocked: blocked)
    Guardian.shared?.watch(identifier)
    outputs.0.follow()
    outputs.1.follow()
  }

  deinit {
    guard ended() == nil else { return }
    kill(identifier, SIGKILL)
    _ = exit(within: .seconds(10))
  }

  var output: String { outputs.0.text }
  var errors: String { outputs.1.text }

  /// Sent only while the process is there: its number may be another's later.
  func send(_ signal: Int32) {
    ending.withLock { if $0 == nil { kill(identifier, signal) } }
  }

  /// How it ended, nil while it runs. All output is there when it has.
  func ended() -> Ending? {
    ending.withLock { ending in
      if let ending { return ending }
      var status: Int32 = 0
      guard waitpid(identifier, &status, WNOHANG) == identifier else { return nil }
      let signal = status & 0x7F
      Guardian.shared?.forget(identifier)
      ending = signal == 0 ? Ending(exit: (status >> 8) & 0xFF) : Ending(signal: signal)
      return ending
    }
  }

  /// The exit status; nil when a signal ended it, or nothing did within `limit`.
  func exit(within limit: Duration = .seconds(20)) -> Int32? {
    guard eventually(within: limit, { ended() != nil }) else { return nil }
    _ = eventually(within: .seconds(2)) { outputs.0.isComplete && outputs.1.isComplete }
    return ended()?.exit
  }

  struct Result {
    let status: Int32?
    let output: String
    let errors: String
    var json: JSONValue { (try? JSONValue(output)) ?? .null }
  }

  /// Runs `headwind` to its end.
  static func run(
    _ arguments: [String], environment: [String: String] = [:], within limit: Duration = .seconds(20)
  ) throws -> Result {
    let program = try Program(headwind, arguments, environment: environment)
    let status = program.exit(within: limit)
    return Result(status: status, output: program.output, errors: program.errors)
  }
}

/// A pipe that is read to its end on a thread.
private final class Output: Sendable {
  private struct State {
    var bytes: [UInt8] = []
    var isComplete = false
  }

  private let readEnd: Int32
  let writeEnd: Int32
  private let state = Mutex(State())

  init() throws {
    (readEnd, writeEnd) = try Inheritance.pipe()
  }

  var text: String { state.withLock { String(decoding: $0.bytes, as: UTF8.self) } }
  var isComplete: Bool { state.withLock { $0.isComplete } }

  func follow() {
    close(writeEnd)
    Thread.detachNewThread { [self] in
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = read(readEnd, &buffer, buffer.count)
        guard count > 0 else { break }
        state.withLock { $0.bytes += buffer[..<count] }
      }
      close(readEnd)
      state.withLock { $0.isComplete = true }
    }
  }
}
