extension API {
  /// Makes so many events that none of those before is kept: ten thousand are.
  func forgetEvents() throws {
    let connection = try Connection(to: address)
    let perBatch = 50
    let batch = (0..<perBatch).map { number in
      "PUT /profile/\(number % 2 == 0 ? "3g" : "lte") HTTP/1.1\r\nHost: \(address)\r\nContent-Length: 0\r\n\r\n"
    }.joined()
    for _ in 0..<10_000 / perBatch + 1 {
      try connection.send(batch)
      var answers = ""
      while answers.matches(of: /HTTP\/1\.1 200/).count < perBatch || !answers.hasSuffix("}") {
        guard case .bytes(let bytes) = try connection.receive() else { throw Overdue(what: "answers") }
        answers += String(decoding: bytes, as: UTF8.self)
      }
    }
  }
}
