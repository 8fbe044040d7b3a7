import Reactor
import Settings

// Where the control API is to be, and who may ask it.
extension ServeOptions {
  static func control(_ arguments: Arguments, _ config: Config) throws(CommandError) -> ControlAddress {
    let (host, port) = (arguments.value("--host"), arguments.value("--port"))
    guard let text = arguments.value("--control") else {
      let standard = Endpoint(host: "127.0.0.1", service: "8474")
      guard host != nil || port != nil else { return config.control ?? .tcp(standard) }
      let configured = if case .tcp(let endpoint)? = config.control { endpoint } else { standard }
      do throws(EndpointError) {
        return .tcp(try control(host: host ?? configured.host, port: port ?? configured.service))
      } catch {
        throw arguments.usage("--host and --port make \(error); allowed: such as --host 127.0.0.1 --port 8474")
      }
    }
    guard host == nil, port == nil else {
      throw arguments.usage("--control says what --host and --port say; give either")
    }
    do {
      return try ControlAddress(parsing: text)
    } catch {
      throw arguments.usage(
        "--control is \"\(text.withoutAddressSecrets)\": \(error.reason); allowed: \(ControlAddress.allowed)")
    }
  }

  /// From the two halves that toxiproxy-server's flags give.
  static func control(host: String, port: String) throws(EndpointError) -> Endpoint {
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    let endpoint = Endpoint(host: isBracketed ? String(host.dropFirst().dropLast()) : host, service: port)
    return try Endpoint(parsing: endpoint.description)
  }

  /// The command line's comes before that of the config file.
  func tokenFile(_ config: Config) -> String? { givenTokenFile ?? config.tokenFile }

  func token(_ config: Config) throws(CommandError) -> AccessToken? {
    guard let path = tokenFile(config) else { return nil }
    return try TokenFile.read(path)
  }
}

/// The file that holds a daemon's token.
enum TokenFile {
  /// - Throws: `token file PATH: …`, with nothing of what is in it.
  static func read(_ path: String) throws(CommandError) -> AccessToken {
    do {
      return try AccessToken(text: SecretFile.read(path, bytesMax: AccessToken.fileBytesMax))
    } catch {
      throw .failure("token file \(path.printable) \(error)")
    }
  }

  /// As programs find it that run in another directory.
  static func absolute(_ path: String) -> String {
    path.hasPrefix("/") ? path : ThisProcess.directory + "/" + path
  }
}

extension OptionSpec {
  /// Of the commands that speak to a daemon.
  static let tokenFile = OptionSpec(
    name: "--token-file", value: "FILE", kind: .file,
    help: "The daemon's token, if it asks for one (default: $HEADWIND_TOKEN_FILE, else $HEADWIND_TOKEN).")

  /// Of those that are one.
  static let servedTokenFile = OptionSpec(
    name: "--token-file", value: "FILE", kind: .file,
    help: """
      Ask for the token in this file with every control request (Authorization: Bearer …). The file must be its owner's \
      alone; SIGHUP reads it again.
      """)
}
