import Synchronization
import LoopTesting
import Testing

@testable import Reactor

@Suite struct MailboxTests {
  /// Loop-confined: not Sendable, and nothing here locks it.
  final class Ledger {
    var seen: [[Int]] = Array(repeating: [], count: 4)
    var total = 0
  }

  @Test func jobsFromThreadsArriveInOrderOfEachThread() throws {
    let loop = try EventLoop()
    let ledger = Ledger()
    let receiver = try MailboxReceiver(loop: loop, state: ledger)
    let mailbox = receiver.mailbox
    for thread in 0..<4 {
      TestThread.start {
        for number in 0..<1_000 {
          mailbox.post { ledger in
            ledger.seen[thread].append(number)
            ledger.total += 1
          }
        }
      }
    }
    try loop.runUntil { ledger.total == 4_000 }
    #expect(ledger.seen.allSatisfy { $0 == Array(0..<1_000) })
  }

  @Test func aJobMayPostAnother() throws {
    let loop = try EventLoop()
    let ledger = Ledger()
    let receiver = try MailboxReceiver(loop: loop, state: ledger)
    let mailbox = receiver.mailbox
    mailbox.post { _ in
      mailbox.post { $0.total = 1 }
    }
    try loop.runUntil { ledger.total == 1 }
  }

  @Test func postingAfterTheReceiverIsGoneDropsTheJob() throws {
    let loop = try EventLoop()
    let ledger = Ledger()
    var receiver: MailboxReceiver<Ledger>? = try MailboxReceiver(loop: loop, state: ledger)
    let mailbox = try #require(receiver?.mailbox)
    #expect(mailbox.post { $0.total += 1 })
    receiver = nil
    #expect(!mailbox.post { $0.total += 1 })
    #expect(ledger.total == 0)
  }
}
