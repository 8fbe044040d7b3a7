internal import CLibevent

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Threads of the system's own.
enum SystemThread {
  #if canImport(Darwin)
    typealias Body = @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?
  #else
    typealias Body = @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?
  #endif

  /// Starts `body` with `context`, with all signals blocked: they are for the loop that the process began with.
  ///
  /// - Parameters:
  ///   - isDetached: nobody waits for its end.
  ///   - stackBytes: nil for the system's own measure.
  @discardableResult
  static func start(
    _ body: Body, _ context: UnsafeMutableRawPointer, isDetached: Bool, stackBytes: Int? = nil
  ) throws(LoopError) -> pthread_t {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    if isDetached { pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED)) }
    if let stackBytes { pthread_attr_setstacksize(&attributes, stackBytes) }
    // The new thread inherits the mask.
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    let code = pthread_create(&thread, &attributes, body, context)
    if code != 0 { throw LoopError(call: "pthread_create", code: code) }
    #if canImport(Darwin)
      return thread!
    #else
      return thread
    #endif
  }
}
