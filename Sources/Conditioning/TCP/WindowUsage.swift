/// Whether the window was what held the sender back: one that isn't used doesn't grow (RFC 7661, as Linux has it).
struct WindowUsage {
  /// The most segments that were under way since the window was last looked at.
  private(set) var most = 0
  private var end: Int64
  private(set) var isLimited = false

  init(end: Int64) {
    self.end = end
  }

  mutating func validate(isLimited: Bool, underWay: Int, oldest: Int64, next: Int64) {
    guard oldest >= end || isLimited || (!self.isLimited && underWay > most) else { return }
    self.isLimited = isLimited
    most = underWay
    end = next
  }
}
