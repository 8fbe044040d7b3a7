/// The environment variables that are read, as the manual tells.
enum EnvironmentVariable: String, CaseIterable {
  case url = "HEADWIND_URL"
  case tokenFile = "HEADWIND_TOKEN_FILE"
  case token = "HEADWIND_TOKEN"
  case profiles = "HEADWIND_PROFILES"
  case logLevel = "LOG_LEVEL"
  case noColour = "NO_COLOR"
  case terminal = "TERM"
  case httpsProxy = "HTTPS_PROXY"
  case allProxy = "ALL_PROXY"
  case noProxy = "NO_PROXY"
  case journalStream = "JOURNAL_STREAM"
  case notifySocket = "NOTIFY_SOCKET"
  case watchdogTime = "WATCHDOG_USEC"
  case watchdogProcess = "WATCHDOG_PID"
  case socketCount = "LISTEN_FDS"
  case socketNames = "LISTEN_FDNAMES"
  case socketProcess = "LISTEN_PID"
  case credentials = "CREDENTIALS_DIRECTORY"

  var help: String {
    switch self {
    case .url: "Where commands that speak to a running daemon find it, unless --control says so."
    case .tokenFile:
      "The file with the token that they show to a daemon which asks for one, unless --token-file says so."
    case .token: "That token itself, where neither names a file."
    case .profiles: "Directories of profiles, separated by colons, unless an option names some."
    case .logLevel:
      "How much a daemon logs, unless --log-level or the config file says so: the words of --log-level, or -1 to 7."
    case .noColour: "When set, nothing is painted."
    case .terminal: "When it is `dumb`, nothing is painted, and what is watched is shown line by line."
    case .httpsProxy, .allProxy: "The next proxy of forward proxies, with `--via env`; in small letters too."
    case .noProxy:
      "Hosts that are reached without the next proxy, with `--via env`; what `run` starts finds its own additions in it."
    case .journalStream: "Names the standard error that journald reads (systemd.exec(5)); the log has its form then."
    case .notifySocket: "Where a service manager is told how far a daemon is (sd_notify(3))."
    case .watchdogTime: "How often it wants to hear that the daemon lives."
    case .watchdogProcess: "Of which process alone it wants to hear that."
    case .socketCount:
      "How many sockets a service manager has opened for a daemon: one, the control port (sd_listen_fds(3))."
    case .socketNames: "What it is called; control is right."
    case .socketProcess: "For which process alone it is."
    case .credentials:
      "Where systemd puts credentials: a token file there may be readable by its group (systemd.exec(5))."
    }
  }
}
