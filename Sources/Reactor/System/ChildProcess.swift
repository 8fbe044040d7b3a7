internal import CLibevent

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// A program that this process has started, in its own process group and with its standard streams. Its end is told on
/// the loop; on Linux it ends when this process does, however that happens, with all that it has started: it has a
/// ``Guardian``.
package final class ChildProcess {
  package enum Ending: Hashable, Sendable {
    case exited(Int32)
    case killed(signal: Int32)

    /// As a shell gives it in `$?`.
    package var code: Int32 {
      switch self {
      case .exited(let code): code
      case .killed(let signal): 128 + signal
      }
    }
  }

  /// Why a program can't be started.
  package struct Failure: Error, Hashable, CustomStringConvertible {
    /// As a shell gives it: 127 when there is no such program, else 126.
    package let code: Int32
    package let description: String

    init(program: String, errno code: Int32) {
      self.code = code == ENOENT ? 127 : 126
      let isMissing = code == ENOENT && !program.contains("/")
      description = isMissing ? "command not found: \(program)" : "\(program): \(LoopError.message(for: code))"
    }

    static func text(of word: [CChar]?) -> String {
      String(decoding: (word ?? []).dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
  }

  package let identifier: Int32
  private var onEnd: ((Ending) -> Void)?
  private var source: SignalSource?
  /// Children that this process had before: whoever became it by exec(3) may have left it some.
  private let strangers: Set<Int32>

  /// - Parameters:
  ///   - wordCount: the program is the last so many words of this process's own command line, taken byte by byte.
  ///   - onEnd: called once, from a later loop iteration, unless this is dropped first.
  package init(
    loop: EventLoop, lastWords wordCount: Int, environment: ChildEnvironment, onEnd: @escaping (Ending) -> Void
  ) throws(Failure) {
    loop.assertOnThread("ChildProcess")
    let words = ThisProcess.lastWords(wordCount)
    strangers = Set(ProcessTree.children(of: getpid()))
    // Before there is anybody whose end could be missed.
    let ended = EndNotice()
    do throws(LoopError) {
      source = try SignalSource(loop: loop, signal: SIGCHLD) { ended.notice?() }
    } catch {
      throw Failure(program: Failure.text(of: words.first), errno: error.code)
    }
    let guarded = FirstStep.guarding(words)
    identifier = try ChildProcess.spawn(
      guarded ?? words, at: guarded == nil ? nil : FirstStep.path, environment.entries)
    self.onEnd = onEnd
    ended.notice = { [unowned self] in loop.later { [weak self] in self?.reap() } }
  }

  private final class EndNotice {
    var notice: (() -> Void)?
  }

  /// Sent only while the program is there: its number may be another's later.
  package func send(_ signal: Int32) {
    if onEnd != nil { kill(identifier, signal) }
  }

  /// Ends the program and all that it has started, as far as that is in sight (``ProcessTree``).
  package func killTree() { ProcessTree.killDescendants(except: strangers) }

  package var isRunning: Bool { onEnd != nil }

  /// Others than the program may be ours too: those of its descendants whose parents are gone (``ProcessTree``).
  private func reap() {
    var status: Int32 = 0
    while true {
      let found = waitpid(-1, &status, WNOHANG)
      if found < 0, errno == EINTR { continue }
      guard found > 0 else { return }
      guard found == identifier, let onEnd else { continue }
      self.onEnd = nil
      let signal = status & 0x7F
      onEnd(signal == 0 ? .exited((status >> 8) & 0xFF) : .killed(signal: signal))
    }
  }

  // MARK: Starting

  /// - Parameters:
  ///   - words: the command line.
  ///   - path: the program where it isn't to be looked up by the first word.
  static func spawn(
    _ words: [[CChar]], at path: String? = nil, _ environment: [[CChar]]
  ) throws(Failure) -> Int32 {
    var identifier: pid_t = 0
    let code = withPointers(words) { arguments in
      withPointers(environment) { variables in
        withSignalsReset { attributes in
          Descriptors.underLimitBefore {
            guard let path else {
              return posix_spawnp(&identifier, arguments[0]!, nil, attributes, arguments, variables)
            }
            return posix_spawn(&identifier, path, nil, attributes, arguments, variables)
          }
        }
      }
    }
    guard code == 0 else { throw Failure(program: path ?? Failure.text(of: words.first), errno: code) }
    return identifier
  }

  #if canImport(Darwin)
    private typealias Attributes = posix_spawnattr_t?
  #else
    private typealias Attributes = posix_spawnattr_t
  #endif

  /// Handlers go by themselves when another program is executed. What was ignored when this process was started goes on
  /// being ignored; what it ignores for itself doesn't. No signal is blocked.
  private static func withSignalsReset<T>(_ body: (UnsafePointer<Attributes>) -> T) -> T {
    #if canImport(Darwin)
      var attributes: posix_spawnattr_t?
    #else
      var attributes = posix_spawnattr_t()
    #endif
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    var reset = sigset_t()
    sigemptyset(&reset)
    if !ThisProcess.wasStartedIgnoringBrokenPipes { sigaddset(&reset, SIGPIPE) }
    posix_spawnattr_setsigdefault(&attributes, &reset)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))
    return withUnsafePointer(to: &attributes) { body($0) }
  }
}

@available(*, unavailable)
extension ChildProcess: Sendable {}

/// The strings as C takes them: an array of pointers with a null behind the last.
private func withPointers<T>(
  _ strings: [[CChar]], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> T
) -> T {
  let copies = strings.map { string in
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: string.count)
    copy.initialize(from: string, count: string.count)
    return copy
  }
  defer { for copy in copies { copy.deallocate() } }
  return (copies + [nil]).withUnsafeBufferPointer { body($0.baseAddress!) }
}
