extension String {
  /// `\n` stands for CRLF: tables are easier to read so.
  var wire: [UInt8] { Array(utf8).flatMap { $0 == 0x0A ? [0x0D, 0x0A] : [$0] } }
}

extension [UInt8] {
  /// The reverse of `wire`.
  var lines: String { String(decoding: self, as: UTF8.self).replacing("\r\n", with: "\n") }
}
