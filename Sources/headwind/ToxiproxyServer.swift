import ControlAPI
import Proxying
import Reactor
import Settings

/// The program under the name `toxiproxy-server`: what starts that server, with its flags, starts this daemon instead.
///
/// What is not as with `headwind serve`:
/// - other flags, and 2 as the exit status of a command line that can't be understood;
/// - the config file is read with toxiproxy's leniency, because nobody is to change files to switch;
/// - `-host` binds to what it says without more words, and names that may be public are answered then
///   (``Gatekeeper/takesAnyHost`` says why that is sound);
/// - the log is JSON, as that server's. It goes to standard error all the same: a container's log holds both outputs, and on
///   standard output stands the ready line, the only place that tells a port that the system chose.
enum ToxiproxyServer {
  static let name = "toxiproxy-server"

  /// Release binaries have the platform behind the name: `toxiproxy-server-linux-amd64`.
  ///
  /// - Parameter path: what the program was started by.
  static func isName(of path: String?) -> Bool {
    path?.split(separator: "/").last.map { $0 == name || $0.hasPrefix("\(name)-") } ?? false
  }

  static func run(_ words: [String]) -> Int32 {
    let flags: ServerFlags
    do throws(ServerFlags.Failure) {
      flags = try ServerFlags(words)
    } catch {
      switch error {
      case .help:
        StandardError.write(Help.serverUsage)
        return 0
      case .message(let message):
        StandardError.write("\(name): \(message)\n\(Help.serverUsage)")
        return 2
      }
    }
    if flags.wantsVersion {
      StandardOutput.write("\(name) version \(API.classicVersion)\n")
      return 0
    }
    do throws(CommandError) {
      try Daemon(ServeOptions(flags)).run()
      return 0
    } catch {
      StandardError.write(error.text(program: name, forJournal: StandardError.isJournal))
      return error.exitCode
    }
  }
}

extension ServeOptions {
  /// What toxiproxy-server's flags say; all else has its default.
  init(_ flags: ServerFlags) throws(CommandError) {
    configFile = flags.config.isEmpty ? nil : flags.config
    configForm = .toxiproxy
    let (config, warnings) = try configForm.read(configFile)
    self.config = config
    profileDirectories = Environment.profileDirectories
    catalogue = try ServeOptions.catalogue(profileDirectories, config)
    proxies = config.proxies
    (forwarding, forward) = (ForwardOptions(), ForwardSettings())
    givenProxies = []
    control = .tcp(
      try failing { () throws(EndpointError) in try ServeOptions.control(host: flags.host, port: flags.port) })
    isControlGiven = true
    seed = flags.seed ?? .random(in: 0..<(1 << 53))
    let variable = LogLevelVariable.read()
    logLevel = variable.level ?? .info
    defaultLogLevel = logLevel
    self.warnings = warnings + variable.warnings
    allowsRemote = true
    takesAnyHostIfRemote = true
    logFormat = .json
    isLogFormatGiven = true
    try ServeOptions.checkProfiles(of: config, from: configFile, catalogue)
  }
}
