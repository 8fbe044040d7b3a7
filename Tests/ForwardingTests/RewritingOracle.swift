@testable import Forwarding

/// Reads a rewritten head again: it has to mean what the client's meant, and to say in one way only where the body ends.
enum RewritingOracle {
  static func problem(_ head: RequestHead) -> String? {
    guard !head.isConnect else {
      return reread(head.forProxy(authorization: nil), head, "for the next proxy")
    }
    // An origin server knows who it is; to our own reader it has to be said.
    let origin = head.forOrigin()
    let line = origin.prefix { $0 != 0x0D }
    let parts = line.split(separator: 0x20)
    guard parts.count == 3, parts[1].first == UInt8(ascii: "/") || parts[1].elementsEqual("*".utf8) else {
      return "for the origin: \(origin.lines)"
    }
    let path = parts[1].elementsEqual("*".utf8) ? [] : Array(parts[1])
    let url = Array("http://\(head.target)".utf8) + path
    let again = Array(parts[0]) + [0x20] + url + [0x20] + Array(parts[2]) + origin.dropFirst(line.count)
    return reread(again, head, "for the origin")
      ?? reread(head.forProxy(authorization: "Basic x"), head, "for the next proxy")
  }

  private static func reread(_ bytes: [UInt8], _ head: RequestHead, _ place: String) -> String? {
    var reader = HTTPRequestReader()
    let (consumed, step) = reader.next(bytes.span.bytes, from: 0)
    guard case .head(let again) = step, consumed == bytes.count else {
      return "\(place): \(bytes.lines) is \(step)"
    }
    // A tunnel is asked for anew, in our own words.
    let isSame =
      again.target == head.target && again.method == head.method && again.framing == head.framing
      && (head.isConnect || isForTheSameConnection(again, head))
    guard isSame else { return "\(place): \(bytes.lines) means something else than \(head.message.bytes.lines)" }
    guard !again.message.lists("keep-alive", in: "connection"), again.message.values(of: "proxy-connection").isEmpty,
      again.message.values(of: "host").count == 1
    else { return "\(place): \(bytes.lines) has what is for one connection only, or not one Host" }
    return nil
  }

  private static func isForTheSameConnection(_ one: RequestHead, _ other: RequestHead) -> Bool {
    one.isUpgrade == other.isUpgrade && one.wantsClose == other.wantsClose && one.isHTTP10 == other.isHTTP10
  }
}
