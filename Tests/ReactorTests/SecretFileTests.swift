import Foundation
import Testing

@testable import Reactor

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite struct SecretFileTests {
  private func withFile(_ mode: mode_t, _ body: (String) throws -> Void) throws {
    let path = NSTemporaryDirectory() + "headwind-secret-" + UUID().uuidString
    #expect(FileManager.default.createFile(atPath: path, contents: Data("0123456789".utf8)))
    #expect(chmod(path, mode) == 0)
    defer { unlink(path) }
    try body(path)
  }

  private func refusal(_ path: String) -> SecretFileError? {
    do throws(SecretFileError) {
      _ = try SecretFile.read(path, bytesMax: 100)
      return nil
    } catch { return error }
  }

  @Test(arguments: [0o600, 0o400] as [mode_t])
  func itsOwnersAloneIsRead(mode: mode_t) throws {
    try withFile(mode) { path in
      let (all, some) = (try SecretFile.read(path, bytesMax: 100), try SecretFile.read(path, bytesMax: 4))
      #expect(all == Array("0123456789".utf8))
      // One byte more than is wanted shows that there is more.
      #expect(some.count == 5)
    }
  }

  @Test(
    arguments: [
      (0o640, "0640"), (0o604, "0604"), (0o644, "0644"), (0o620, "0620"), (0o602, "0602"), (0o610, "0610"),
      (0o777, "0777"), (0o4604, "4604"),
    ] as [(mode_t, String)])
  func whatOthersMayReadOrChangeIsRefused(mode: mode_t, text: String) throws {
    try withFile(mode) { path in
      #expect(refusal(path) == .open(mode: text))
      #expect(refusal(path)?.description.hasPrefix("has mode \(text), so that") == true)
    }
  }

  @Test func whatIsNoFileIsRefusedAtOnce() throws {
    let pipe = NSTemporaryDirectory() + "headwind-secret-" + UUID().uuidString
    #expect(mkfifo(pipe, 0o600) == 0)
    defer { unlink(pipe) }
    // Nobody writes to it.
    #expect(refusal(pipe) == .irregular("a pipe"))
    #expect(refusal(NSTemporaryDirectory()) == .irregular("a directory"))
    #expect(refusal("/dev/null") == .irregular("a device"))
    #expect(refusal("/nowhere/token") == .unreadable(LoopError(call: "open", code: ENOENT)))
  }

  /// A file of another user, who knows what is in it. Only root can make one.
  @Test(.enabled(if: geteuid() == 0)) func anotherUsersIsRefused() throws {
    try withFile(0o600) { path in
      #expect(chown(path, 12_345, 12_345) == 0)
      #expect(refusal(path) == .foreign(user: 12_345))
    }
  }
}
