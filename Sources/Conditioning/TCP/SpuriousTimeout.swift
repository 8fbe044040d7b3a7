/// Finds out whether a time-out, or a whole recovery, was a mistake: what seemed lost was only late.
///
/// By what is acknowledged after a time-out (F-RTO, RFC 5682), by time stamps (Eifel, RFC 3522), and by what arrived twice
/// (RFC 3708).
struct SpuriousTimeout {
  enum Trial {
    case none
    /// The oldest segment was sent again, its acknowledgement is waited for.
    case waiting
    /// New data is sent in place of what seems lost: what answers it will tell.
    case sendsNew
    /// It is under way.
    case hasSentNew
  }

  var trial = Trial.none
  /// When something was sent again for the first time; `distantFuture`: nothing was.
  private(set) var firstAgainAt = Instant.distantFuture
  /// How many were sent again and haven't been reported as arrived twice.
  private var unconfirmed = 0

  mutating func sentAgain(at now: Instant) {
    firstAgainAt = min(firstAgainAt, now)
    unconfirmed += 1
  }

  mutating func arrivedTwice() {
    unconfirmed = max(0, unconfirmed - 1)
  }

  /// Whether the acknowledgement shows that nothing had to be sent again.
  func isProven(by acknowledgement: Acknowledgement) -> Bool {
    guard firstAgainAt != .distantFuture else { return false }
    return unconfirmed == 0 || (acknowledgement.echo != .distantPast && acknowledgement.echo < firstAgainAt)
  }
}
