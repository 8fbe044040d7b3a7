/// What a channel has done so far.
package struct ChannelCounters: Equatable, Sendable {
  /// Sent into it, whatever became of them.
  package var packets: Int64 = 0
  /// Found no room in the queue.
  package var dropped: Int64 = 0
  /// Lost on the way.
  package var lost: Int64 = 0

  package init() {}
}
