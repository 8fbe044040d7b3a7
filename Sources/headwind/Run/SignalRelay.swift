import Reactor

/// What comes for this process while a command runs goes on to the command.
final class SignalRelay {
  var child: ChildProcess?
  /// The first signal that asked for the end.
  private(set) var request: Int32?
  private var sources: [SignalSource] = []

  /// Signals that are ignored stay so, as after `nohup`: the command doesn't get them either.
  init(loop: EventLoop) throws(LoopError) {
    for signal in ThisProcess.endingSignals + ThisProcess.userSignals where !ThisProcess.isIgnored(signal) {
      sources.append(try SignalSource(loop: loop, signal: signal) { [unowned self] in take(signal) })
    }
  }

  private func take(_ signal: Int32) {
    if ThisProcess.endingSignals.contains(signal) { request = request ?? signal }
    let isKey = [ThisProcess.interrupt, ThisProcess.quit].contains(signal)
    // A terminal has sent it to the command as well.
    guard !isKey || !ThisProcess.isInForeground else { return }
    child?.send(signal)
  }
}
