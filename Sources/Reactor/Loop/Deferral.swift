/// Work for the end of the loop's iteration, once however often it is asked for; not done any more when this is dropped.
///
/// An object of its own because it is held weakly: whoever is has a count of references that is slower for good, and some
/// owners are counted with each byte that moves.
package final class Deferral {
  private unowned let loop: EventLoop
  private let work: () -> Void
  private var isAsked = false

  /// - Parameter work: may hold its owner unowned.
  package init(loop: EventLoop, work: @escaping () -> Void) {
    (self.loop, self.work) = (loop, work)
  }

  package func ask() {
    guard !isAsked else { return }
    isAsked = true
    loop.later { [weak self] in
      guard let self else { return }
      isAsked = false
      work()
    }
  }
}

@available(*, unavailable)
extension Deferral: Sendable {}
