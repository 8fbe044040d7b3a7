internal import CLibevent

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

// The signals that a program gets from outside, and what this one was told about them when it was started.
extension ThisProcess {
  package static let quit = SIGQUIT

  /// By which somebody asks a program to end, or tells it something of its own.
  package static let endingSignals = [SIGTERM, SIGHUP, SIGINT, SIGQUIT]
  package static let userSignals = [SIGUSR1, SIGUSR2]

  /// Whether whoever started this process, or it itself, lets the signal do nothing; `nohup` does so with SIGHUP.
  package static func isIgnored(_ signal: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(signal, nil, &action) == 0 else { return false }
    #if canImport(Darwin)
      let handler = action.__sigaction_u.__sa_handler
    #else
      let handler = action.__sigaction_handler.sa_handler
    #endif
    // As addresses: 1 is SIG_IGN, which can't be called.
    return unsafeBitCast(handler, to: Int.self) == 1
  }

  /// Looked up before this process ignores it for itself.
  static let wasStartedIgnoringBrokenPipes = isIgnored(SIGPIPE)

  /// Whether a terminal sends what its keys mean (^C, ^\) to this process's group: then all in it have got the signal.
  package static var isInForeground: Bool {
    let terminal = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC)
    guard terminal >= 0 else { return false }
    defer { close(terminal) }
    return tcgetpgrp(terminal) == getpgrp()
  }

  /// `SIGTERM`, or `signal 42` for one without a name of its own.
  package static func name(ofSignal signal: Int32) -> String {
    let names = [
      SIGHUP: "SIGHUP", SIGINT: "SIGINT", SIGQUIT: "SIGQUIT", SIGILL: "SIGILL", SIGTRAP: "SIGTRAP",
      SIGABRT: "SIGABRT", SIGBUS: "SIGBUS", SIGFPE: "SIGFPE", SIGKILL: "SIGKILL", SIGUSR1: "SIGUSR1",
      SIGSEGV: "SIGSEGV", SIGUSR2: "SIGUSR2", SIGPIPE: "SIGPIPE", SIGALRM: "SIGALRM", SIGTERM: "SIGTERM",
      SIGSYS: "SIGSYS", SIGXCPU: "SIGXCPU", SIGXFSZ: "SIGXFSZ",
    ]
    return names[signal] ?? "signal \(signal)"
  }
}
