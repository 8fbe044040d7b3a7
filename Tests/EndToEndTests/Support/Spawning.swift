import Foundation

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What posix_spawn is to do with descriptors and signals.
struct Spawning {
  #if canImport(Darwin)
    private var actions: posix_spawn_file_actions_t?
    private var attributes: posix_spawnattr_t?
  #else
    private var actions = posix_spawn_file_actions_t()
    private var attributes = posix_spawnattr_t()
  #endif

  init() { posix_spawn_file_actions_init(&actions) }

  mutating func redirect(_ descriptor: Int32, to target: Int32) {
    posix_spawn_file_actions_adddup2(&actions, descriptor, target)
  }

  mutating func spawn(
    _ path: String, _ arguments: [String], _ environment: [String], blocked: [Int32]
  ) throws -> Int32 {
    defer { posix_spawn_file_actions_destroy(&actions) }
    var mask = sigset_t()
    sigemptyset(&mask)
    for signal in blocked { sigaddset(&mask, signal) }
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setsigmask(&attributes, &mask)
    // Other tests of this process may have made it ignore this one.
    var reset = sigset_t()
    sigemptyset(&reset)
    sigaddset(&reset, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &reset)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))
    let argv = arguments.map { strdup($0) } + [nil]
    let envp = environment.map { strdup($0) } + [nil]
    defer { for text in argv + envp { free(text) } }
    var identifier: pid_t = 0
    let code = Inheritance.excluded { posix_spawn(&identifier, path, &actions, &attributes, argv, envp) }
    guard code == 0 else { throw SocketError(call: "posix_spawn \(path)", code: code) }
    return identifier
  }
}

/// A small shell beside the tests. When they are ended from outside, with no time to tidy up, it ends what they started.
final class Guardian: Sendable {
  static let shared = try? Guardian()

  private static let script = """
    trap '' HUP INT TERM
    live=' '
    while read -r sign process; do
      case $sign in
        +) live="$live$process " ;;
        -) live="${live%" $process "*} ${live#*" $process "}" ;;
      esac
    done
    for process in $live; do kill -9 "$process"; done
    """

  /// The end of this process closes it, whatever ends it.
  private let orders: FileHandle

  private init() throws {
    let pipe = try Inheritance.pipe()
    orders = FileHandle(fileDescriptor: pipe.writeEnd, closeOnDealloc: true)
    defer { close(pipe.readEnd) }
    let nowhere = try Inheritance.descriptor("open") { open("/dev/null", O_WRONLY) }
    defer { close(nowhere) }
    var spawning = Spawning()
    spawning.redirect(pipe.readEnd, to: 0)
    for output in [1, 2] as [Int32] { spawning.redirect(nowhere, to: output) }
    _ = try spawning.spawn("/bin/sh", ["sh", "-c", Self.script], ["PATH=/usr/bin:/bin"], blocked: [])
  }

  func watch(_ process: Int32) { orders.write(Data("+ \(process)\n".utf8)) }
  func forget(_ process: Int32) { orders.write(Data("- \(process)\n".utf8)) }
}
