import Conditioning
import Reactor

/// One line on a terminal, written over while the test runs.
final class SelfTestProgress {
  private let loop: EventLoop
  private let isShown: Bool
  private let tasks: Int
  private var number = 0
  private var leftSeconds: Double
  private var taskSeconds = 0.0
  private var startedAt: Int64 = 0
  private var text = ""
  private lazy var timer = LoopTimer(loop: loop) { [unowned self] in draw() }

  init(loop: EventLoop, isQuiet: Bool, tasks: [SelfTestTask]) {
    self.loop = loop
    self.tasks = tasks.count
    leftSeconds = tasks.reduce(0) { $0 + $1.expected.seconds }
    isShown = !isQuiet
  }

  static func show(_ text: String) {
    if StandardError.isTerminal { StandardError.write("\r\u{1B}[K\(text)") }
  }

  static func clear() { show("") }

  /// Where nothing can be written over: one line, so that nobody takes a test that runs for one that hangs.
  func announce() {
    guard isShown, !StandardError.isTerminal else { return }
    StandardError.write("headwind: selftest: \(tasks) measurements, some \(Int(leftSeconds.rounded(.up))) s\n")
  }

  func begin(_ task: SelfTestTask, of section: String) {
    number += 1
    leftSeconds -= taskSeconds
    taskSeconds = task.expected.seconds
    startedAt = loop.now
    text = "[\(number)/\(tasks)] \(section): \(task.title)"
    draw()
  }

  private func draw() {
    guard isShown else { return }
    let gone = min(taskSeconds, Double(loop.now - startedAt) / 1e9)
    let left = Int(max(0, leftSeconds - gone).rounded(.up))
    SelfTestProgress.show("\(text) … \(left) s left")
    timer.arm(at: loop.now + 500_000_000)
  }

  func clear() {
    timer.cancel()
    if isShown { SelfTestProgress.clear() }
  }
}
