import Reactor

/// The signals that a daemon listens to.
enum DaemonSignal: CaseIterable {
  case terminate, interrupt, hangUp

  var number: Int32 {
    switch self {
    case .terminate: ThisProcess.terminate
    case .interrupt: ThisProcess.interrupt
    case .hangUp: ThisProcess.hangUp
    }
  }

  var name: String {
    switch self {
    case .terminate: "SIGTERM"
    case .interrupt: "SIGINT"
    case .hangUp: "SIGHUP"
    }
  }

  var help: String {
    switch self {
    case .terminate:
      """
      No more connections are accepted, what is delayed is delivered for the time of --drain-timeout, and the daemon ends \
      with status 0. A second one ends it at once.
      """
    case .interrupt: "The same."
    case .hangUp:
      """
      Config file and profiles are read again. What differs from the file before is changed, the rest stays, and so do open \
      connections; what is wrong is refused and changes nothing.
      """
    }
  }
}
