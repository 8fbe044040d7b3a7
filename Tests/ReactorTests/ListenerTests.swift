import LoopTesting
import Testing

@testable import Reactor

import CLibevent

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite struct ListenerTests {
  @Test func handsOutConnectionsWithTheirAddresses() throws {
    let loop = try EventLoop()
    let listener = try Listener(loop: loop, address: .loopback())
    #expect(listener.localAddress.port != 0)
    var seen: [(peer: SocketAddress, local: SocketAddress)] = []
    listener.onAccept = { seen.append(($0.peer, $0.local)) }
    let clients = try (0..<200).map { _ in try RawSocket(to: listener.localAddress) }
    try loop.runUntil { seen.count == clients.count }
    #expect(Set(seen.map(\.peer)) == Set(clients.map { SocketAddress.local(of: $0.descriptor) }))
    #expect(seen.allSatisfy { $0.local == listener.localAddress })
    // Dropped in the handler: closed.
    #expect(clients.allSatisfy { $0.receive() == 0 })
  }

  @Test func dualStackTakesBothFamilies() throws {
    let loop = try EventLoop()
    let any = try #require(SocketAddress(literal: "::", port: 0))
    let listener = try Listener(loop: loop, address: any, dualStack: true)
    var peers: [String] = []
    listener.onAccept = { peers.append($0.peer.host) }
    let port = listener.localAddress.port
    let clients = [try RawSocket(to: .loopback(port)), try RawSocket(to: .loopback6(port))]
    try loop.runUntil { peers.count == clients.count }
    #expect(Set(peers) == ["127.0.0.1", "::1"])
  }

  @Test func withoutDualStackIPv4IsRefused() throws {
    let loop = try EventLoop()
    let listener = try Listener(loop: loop, address: .loopback6())
    #expect(throws: LoopError(call: "connect", code: ECONNREFUSED)) {
      try RawSocket(to: .loopback(listener.localAddress.port))
    }
  }

  @Test func aPortInUseSaysSo() throws {
    let loop = try EventLoop()
    let first = try Listener(loop: loop, address: .loopback())
    #expect(throws: LoopError(call: "bind", code: EADDRINUSE)) {
      try Listener(loop: loop, address: first.localAddress)
    }
  }

  @Test func pausedConnectionsWaitInTheBacklog() throws {
    let loop = try EventLoop()
    let listener = try Listener(loop: loop, address: .loopback())
    var accepted = 0
    listener.onAccept = { _ in accepted += 1 }
    listener.pause()
    let client = try RawSocket(to: listener.localAddress)
    loop.run(forMilliseconds: 20)
    #expect(accepted == 0)
    #expect(client.receive() == -Int(EAGAIN))
    listener.resume()
    try loop.runUntil { accepted == 1 }
  }

  @Test func mayBePausedAndClosedByItsHandler() throws {
    let loop = try EventLoop()
    var listener: Listener? = try Listener(loop: loop, address: .loopback())
    let address = try #require(listener?.localAddress)
    var accepted = 0
    listener?.onAccept = { _ in
      accepted += 1
      listener?.pause()
    }
    let clients = try (0..<3).map { _ in try RawSocket(to: address) }
    loop.run(forMilliseconds: 20)
    #expect(accepted == 1)
    listener?.onAccept = { _ in
      accepted += 1
      listener?.close()
      listener = nil
    }
    listener?.resume()
    try loop.runUntil { listener == nil }
    loop.run(forMilliseconds: 5)
    #expect(accepted == 2)
    #expect(clients[2].receive() == -Int(ECONNRESET), "what waited in the backlog is reset")
  }

  #if os(Linux)
    /// Ports that the system chose and ports that were asked for behave alike, with a connection open all the time.
    @Test(arguments: [true, false], [true, false])
    func refusesAndKeepsItsPort(portIsChosen: Bool, isIPv6: Bool) throws {
      let loop = try EventLoop()
      var address = isIPv6 ? SocketAddress.loopback6() : .loopback()
      if !portIsChosen { address = try Listener(loop: loop, address: address).localAddress }
      let listener = try Listener(loop: loop, address: address)
      var accepted: [StreamSocket] = []
      listener.onAccept = { if let socket = try? StreamSocket(loop: loop, accepted: $0) { accepted.append(socket) } }
      address = listener.localAddress
      let before = try RawSocket(to: address)
      try loop.runUntil { accepted.count == 1 }
      for round in 1...3 {
        let waiting = try RawSocket(to: address)
        listener.refuse()
        #expect(waiting.receive() == -Int(ECONNRESET))
        #expect(throws: LoopError(call: "connect", code: ECONNREFUSED)) { try RawSocket(to: address) }
        #expect(throws: LoopError(call: "bind", code: EADDRINUSE)) { try Listener(loop: loop, address: address) }
        // The shut-down socket must not wake the loop again and again.
        loop.run(forMilliseconds: 5)
        try listener.listenAgain()
        let after = try RawSocket(to: address)
        try loop.runUntil { accepted.count == 1 + round }
        #expect(after.receive() == -Int(EAGAIN))
      }
      #expect(before.receive() == -Int(EAGAIN), "connections that were open stay so")
    }
  #endif

  @Test func stateChangesCombine() throws {
    let loop = try EventLoop()
    let listener = try Listener(loop: loop, address: .loopback())
    var accepted = 0
    listener.onAccept = { _ in accepted += 1 }
    listener.pause()
    listener.refuse()
    listener.refuse()
    try listener.listenAgain()
    try listener.listenAgain()
    let client = try RawSocket(to: listener.localAddress)
    loop.run(forMilliseconds: 10)
    #expect(accepted == 0, "still paused")
    listener.resume()
    try loop.runUntil { accepted == 1 }
    listener.close()
    listener.close()
    listener.resume()
    try listener.listenAgain()
    #expect(client.receive() == 0)
  }
}
