internal import CLibevent
internal import Synchronization

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// The process's limit of open file descriptors.
package enum Descriptors {
  /// The soft limit before it was raised; 0: it wasn't.
  private static let limitBefore = Atomic<UInt64>(0)

  /// Raises the soft limit to the hard one, since each session needs two. Returns the limit that holds now.
  @discardableResult
  package static func raiseLimit() throws(LoopError) -> UInt64 {
    var limit = try current()
    if limitBefore.load(ordering: .relaxed) == 0 { limitBefore.store(UInt64(limit.rlim_cur), ordering: .relaxed) }
    #if canImport(Darwin)
      // The system refuses more than this, even where it says "unlimited".
      limit.rlim_cur = min(limit.rlim_max, rlim_t(OPEN_MAX))
    #else
      limit.rlim_cur = limit.rlim_max
    #endif
    try set(limit)
    return UInt64(limit.rlim_cur)
  }

  /// Runs `body`, which starts another program, under the soft limit that this process was started with: some programs
  /// walk through all descriptors that they may have, and those that use select(2) can't have many.
  static func underLimitBefore<T>(_ body: () -> T) -> T {
    let before = limitBefore.load(ordering: .relaxed)
    guard before > 0, let raised = try? softLimit(), raised != before else { return body() }
    try? setSoftLimit(before)
    defer { try? setSoftLimit(raised) }
    return body()
  }

  /// Sets the soft limit alone.
  static func setSoftLimit(_ count: UInt64) throws(LoopError) {
    var limit = try current()
    limit.rlim_cur = rlim_t(count)
    try set(limit)
  }

  static func softLimit() throws(LoopError) -> UInt64 {
    UInt64(try current().rlim_cur)
  }

  private static func current() throws(LoopError) -> rlimit {
    var limit = rlimit()
    #if canImport(Darwin)
      let result = getrlimit(RLIMIT_NOFILE, &limit)
    #else
      let result = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    #endif
    if result != 0 { throw LoopError.last("getrlimit") }
    return limit
  }

  private static func set(_ limit: rlimit) throws(LoopError) {
    var limit = limit
    #if canImport(Darwin)
      let result = setrlimit(RLIMIT_NOFILE, &limit)
    #else
      let result = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    #endif
    if result != 0 { throw LoopError.last("setrlimit") }
  }
}
