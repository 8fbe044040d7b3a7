import Foundation
import Synchronization
import Testing

@testable import Reactor

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The control API's Unix socket: who may connect, and what becomes of what lies at its path.
@Suite struct UnixSocketTests {
  private let directory: String

  init() throws {
    // Short: with the name it has to fit into sun_path.
    directory = "/tmp/hw-" + UUID().uuidString.prefix(13)
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
  }

  private var path: String { directory + "/s" }

  private func mode(_ path: String) -> UInt32? { FileStatus(ofLinkItself: path).map { $0.mode & 0o777 } }

  private func refusal(_ path: String) -> UnixSocketError? {
    do throws(UnixSocketError) {
      _ = try UnixSocketFile(path: path)
      return nil
    } catch { return error }
  }

  @Test func onlyItsUserMayConnectAndItGoesInTheEnd() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let file = try UnixSocketFile(path: path)
    #expect(mode(path) == 0o600)
    _ = try #require(UnixSocketAddress(path)).connect()
    file.remove()
    #expect(mode(path) == nil)
  }

  /// Another daemon has the path by now, say, because ours was deleted.
  @Test func whatIsAnotherOnesStays() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let first = try UnixSocketFile(path: path)
    unlink(path)
    let second = try UnixSocketFile(path: path)
    first.remove()
    #expect(mode(path) == 0o600)
    second.remove()
    #expect(mode(path) == nil)
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    second.remove()
    #expect(mode(path) != nil)
  }

  @Test func aDeadSocketIsReplacedAndALiveOneIsNot() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let address = try #require(UnixSocketAddress(path))
    do {
      // Bound and closed, as by a process that was killed.
      let dead = try UnixSocketAddress.socket()
      #expect(address.withSockaddr { bind(dead.raw(), $0, $1) } == 0)
    }
    let live = try UnixSocketFile(path: path)
    #expect(refusal(path) == .inUse)
    _ = try address.connect()
    live.remove()
  }

  /// Between bind(2) and listen(2) it would look dead to the second of two that start at once.
  @Test func whoIsJustBeginningIsWaitedFor() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let other = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    #expect(flock(other, LOCK_EX) == 0)
    let path = path
    let made = Made()
    TestThread.start {
      let socket = (try? UnixSocketFile(path: path))?.keep() ?? -2
      made.socket.withLock { $0 = socket }
    }
    // Ample for one that doesn't wait; for one that does, less would do.
    usleep(100_000)
    #expect(mode(path) == nil)
    #expect(flock(other, LOCK_UN) == 0)
    for _ in 0..<1_000 where made.socket.withLock({ $0 == -1 }) { usleep(10_000) }
    #expect(mode(path) == 0o600)
    let socket = made.socket.withLock { $0 }
    #expect(socket >= 0)
    SystemCall.close(socket)
    SystemCall.close(other)
  }

  @Test func whatIsNoSocketIsLeftAlone() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    for (name, kind, make) in [
      ("file", "a file", { FileManager.default.createFile(atPath: $0, contents: Data("x".utf8)) }),
      ("directory", "a directory", { mkdir($0, 0o700) == 0 }), ("pipe", "a pipe", { mkfifo($0, 0o600) == 0 }),
      ("link", "a symbolic link", { symlink("/nowhere", $0) == 0 }),
    ] as [(String, String, (String) -> Bool)] {
      let path = "\(directory)/\(name)"
      #expect(make(path))
      let before = FileStatus(ofLinkItself: path)?.identity
      #expect(refusal(path) == .occupied(by: kind))
      #expect(FileStatus(ofLinkItself: path)?.identity == before)
    }
  }

  @Test func pathsEndWhereTheSystemsDo() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let room = UnixSocketAddress.pathBytesMax - directory.utf8.count - 1
    let longest = "\(directory)/\(String(repeating: "a", count: room))"
    let file = try UnixSocketFile(path: longest)
    #expect(mode(longest) == 0o600)
    #expect(UnixSocketAddress.local(of: file.keep()) == longest)
    #expect(refusal(longest + "a") == .tooLong(bytes: UnixSocketAddress.pathBytesMax + 1))
    #expect(refusal(directory + "/no/s") == .failed(LoopError(call: "bind", code: ENOENT)))
  }

  // MARK: HTTP over it

  @Test(.enabled(if: HTTPServer.canServeUnixSockets)) func requestsAndRepliesPass() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let loop = try EventLoop()
    let file = try UnixSocketFile(path: path)
    var peers: [SocketAddress?] = []
    let big = [UInt8](repeating: 7, count: 3_000_000)
    let server = try HTTPServer(loop: loop, listeningDescriptor: file.takeDescriptor()) { request, responder in
      peers.append(request.peer)
      responder.reply(status: 200, body: request.body + big)
    }
    for number in 0..<3 {
      var request = HTTPClientRequest(host: "localhost", port: 80)
      request.unixPath = path
      request.method = "POST"
      request.body = [UInt8](repeating: UInt8(number), count: 100_000)
      var outcome: HTTPExchange.Outcome?
      let exchange = HTTPExchange(loop: loop, request: request) {
        outcome = $0
        loop.stop()
      }
      loop.run()
      withExtendedLifetime(exchange) {}
      #expect(try #require(outcome).get().body == request.body + big)
    }
    #expect(peers == [nil, nil, nil])
    withExtendedLifetime(server) {}
  }

  @Test func whyNobodyAnswersIsTold() throws {
    defer { try? FileManager.default.removeItem(atPath: directory) }
    var request = HTTPClientRequest(host: "localhost", port: 80)
    request.unixPath = path
    #expect(HTTPClient.send(request) == .failure(.noSocket(path: path, code: ENOENT)))
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    #expect(HTTPClient.send(request) == .failure(.noSocket(path: path, code: ECONNREFUSED)))
    request.unixPath = String(repeating: "a", count: 200)
    #expect(HTTPClient.send(request) == .failure(.noSocket(path: request.unixPath!, code: ENAMETOOLONG)))
    let silent = try UnixSocketFile(path: directory + "/silent")
    request.unixPath = silent.path
    request.timeoutNanoseconds = 50_000_000
    #expect(HTTPClient.send(request) == .failure(.timedOut))
  }
}

private final class Made: Sendable {
  let socket = Mutex<Int32>(-1)
}

extension UnixSocketFile {
  /// The listening socket, which outlives this; so does the file.
  fileprivate func keep() -> Int32 {
    let descriptor = fcntl(takeDescriptor(), F_DUPFD_CLOEXEC, 0)
    forget()
    return descriptor
  }
}
