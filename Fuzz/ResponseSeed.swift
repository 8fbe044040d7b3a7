/// How the fuzzer of responses says in one byte which requests went out.
enum ResponseSeed {
  private static let methods = ["GET", "HEAD", "CONNECT", "POST"]

  static func methods(_ byte: UInt8) -> [String] {
    (0..<Int(byte & 3)).map { methods[Int(byte >> (2 * ($0 + 1))) & 3] }
  }

  static func byte(_ wanted: [String]) -> UInt8 {
    wanted.enumerated().reduce(UInt8(wanted.count)) { byte, method in
      byte | UInt8(methods.firstIndex(of: method.element) ?? 0) << UInt8(2 * (method.offset + 1))
    }
  }
}
