/// What an operand, or the value of an option, is: what the manual says of it and what a shell can offer for it.
enum ValueKind: Hashable, Sendable {
  /// Nothing that could be listed: a number, a time, an address, a name that is to be new.
  case text
  case file
  case directory
  /// One of these.
  case word([String])
  /// Some of these, separated by commas.
  case words([String])
  case name(NameKind)
  /// Some, separated by commas.
  case names(NameKind)
  /// The command line of another program.
  case command

  static func word<T: RawRepresentable & CaseIterable>(of type: T.Type) -> ValueKind where T.RawValue == String {
    .word(T.allCases.map(\.rawValue))
  }
}

/// Things that have names which this program can list (`headwind completions --names`).
enum NameKind: String, CaseIterable, Sendable {
  /// Those of a running daemon, or else the built-in ones and those of directories.
  case profiles
  // The rest only a running daemon has.
  case proxies
  /// Of one proxy.
  case toxics
  case leases
  case sessions
  /// Of a type of toxic, or of one toxic: `latency=`.
  case attributes
}
