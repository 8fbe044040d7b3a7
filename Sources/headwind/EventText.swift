import Settings

/// An event as one line for people, from the API's object; one of a type that isn't known here can be shown, too.
///
/// `2026-11-30T10:00:00.000Z      7  session_opened    web #3  number=3 client=127.0.0.1:5000`
struct EventText {
  private static let typeWidth = 16
  private static let idWidth = 5
  /// What has a place of its own.
  private static let placed: Set = ["id", "at", "type", "proxy", "session"]

  private let event: JSON

  init(_ event: JSON) { self.event = event }

  var line: String {
    let id = padded(event["id"]?.text ?? "-", EventText.idWidth, atFront: true)
    let head = [event["at"]?.string ?? "-", id, padded(type, EventText.typeWidth)]
    return (head + [subject, details].filter { !$0.isEmpty }).joined(separator: "  ").printable + "\n"
  }

  private var type: String { event["type"]?.string ?? "-" }

  /// The proxy, and its session by its `id`.
  private var subject: String {
    let session = event["session"].map { "#\($0.text)" }
    return [event["proxy"]?.string, session].compactMap { $0 }.joined(separator: " ")
  }

  private var details: String {
    event.members.filter { !EventText.placed.contains($0.0) }
      .map { "\($0.0)=\(EventText.plain($0.1))" }.joined(separator: " ")
  }

  /// Strings without quotes where nothing can be misread; a toxic in words.
  private static func plain(_ value: JSON) -> String {
    if value["attributes"] != nil { return "\(ToxicText(value).name) (\(ToxicText(value).line))" }
    guard let text = value.string else { return value.text }
    let isPlain = text.unicodeScalars.allSatisfy { ("!"..."~").contains($0) && $0 != "\"" && $0 != "=" }
    return isPlain && !text.isEmpty ? text : value.text
  }

  private func padded(_ text: String, _ width: Int, atFront: Bool = false) -> String {
    let space = String(repeating: " ", count: max(0, width - text.count))
    return atFront ? space + text : text + space
  }
}
