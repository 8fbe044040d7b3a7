import Testing

@testable import Reactor

import CLibevent

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

#if !canImport(Darwin)
  // Swift's module of glibc leaves it out.
  @_silgen_name("pipe2")
  private func pipe2(_ ends: UnsafeMutablePointer<Int32>, _ flags: Int32) -> Int32
#endif

/// A pipe that no process inherits which another test starts meanwhile: it would hold the ends open.
func privatePipe() -> [Int32] {
  var ends: [Int32] = [0, 0]
  #if canImport(Darwin)
    #expect(pipe(&ends) == 0)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  #else
    #expect(pipe2(&ends, O_CLOEXEC) == 0)
  #endif
  return ends
}

enum TestThread {
  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  static func start(_ body: @escaping @Sendable () -> Void) {
    let context = Unmanaged.passRetained(Body(body)).toOpaque()
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    pthread_create(
      &thread, nil,
      { context in
        #if canImport(Darwin)
          let opaque = context
        #else
          let opaque = context!
        #endif
        Unmanaged<Body>.fromOpaque(opaque).takeRetainedValue().run()
        return nil
      }, context)
    #if canImport(Darwin)
      pthread_detach(thread!)
    #else
      pthread_detach(thread)
    #endif
  }
}

/// SplitMix64: the same seed gives the same test.
struct TestGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// The process's resident memory, from /proc (Linux only).
func residentBytes() throws -> Int {
  let file = try #require(fopen("/proc/self/statm", "r"))
  defer { fclose(file) }
  var line = [CChar](repeating: 0, count: 128)
  fgets(&line, Int32(line.count), file)
  let fields = line.prefix { $0 != 0 }.map { Character(UnicodeScalar(UInt8($0))) }.split(separator: " ")
  let pages = try #require(Int(String(fields[1])))
  return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
}

/// A millisecond of another thread's time.
func nap() {
  usleep(1_000)
}

/// How many descriptors the process has open, from /proc (Linux only).
func openDescriptors() throws -> Int {
  let directory = try #require(opendir("/proc/self/fd"))
  defer { closedir(directory) }
  var count = 0
  while readdir(directory) != nil { count += 1 }
  return count
}

/// A long stream of bytes that tells its offset: two places less than 65,521 bytes apart differ soon.
enum Pattern {
  private static let period = 65_521
  private static let bytes = (0..<period + ReadBuffer.capacity).map { offset in
    UInt8(truncatingIfNeeded: (offset % period &* 2_654_435_761) >> 13)
  }

  /// At most ``ReadBuffer/capacity`` bytes.
  static func bytes(_ range: Range<Int>) -> [UInt8] {
    let start = range.lowerBound % period
    return Array(bytes[start..<start + range.count])
  }
}
