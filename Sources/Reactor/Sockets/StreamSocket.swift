internal import CLibevent

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Told when a socket may have become readable, writable or closed.
package protocol StreamSocketDelegate: AnyObject {
  /// Look at the socket's flags; read and write what you want now. May close or drop the socket.
  func socketIsReady(_ socket: StreamSocket)
}

/// One TCP connection, or one in the making.
///
/// It has a single edge-triggered event for its whole life. The event only sets flags; a call that the system answers
/// with EAGAIN clears them. So a delegate pauses reading by just not reading, and no edge is lost: a flag stays set until
/// the system itself said that there is nothing.
///
/// A short read doesn't clear `isReadable`, even where the kernel tells of a FIN apart (`EPOLLRDHUP`): libevent reports data
/// followed by RST as plain readable and writable, so only the EAGAIN proves that no reset waits behind the data.
package final class StreamSocket: EventTarget {
  /// What the system has told of. Private, as ``listener`` is: then the compiler sees all accesses, and none of them is
  /// checked while the loop runs.
  private struct State {
    var isReadable = false
    var isWritable: Bool
    var peerClosed = false
    var hasNews = false
    /// The system was told that more comes behind what was written last.
    var holdsBack = false
    var delay: Delay
  }

  /// Nagle's algorithm holds back a small piece while another one isn't acknowledged, so that a first write never waits. Most
  /// connections to an upstream have no second one, and are spared the call that ends it.
  private enum Delay { case unwritten, written, none }

  /// A socket that the delegate owns must be closed or dropped before the delegate goes.
  package var delegate: (any StreamSocketDelegate)? {
    get { listener }
    set { listener = newValue }
  }
  private unowned var listener: (any StreamSocketDelegate)?
  // In this order for size: every idle session has two sockets.
  package let peerAddress: SocketAddress
  private var state: State
  private var failureCode: Int16 = 0
  private var loop: EventLoop
  private var handle: EventHandle?
  /// -1 when closed.
  private(set) var descriptor: Int32
  var nurseryPlace: Int32 = -1

  /// The error that ``pendingError()`` took from the system, which tells it once only. No errno needs more than 16 bits.
  private var failure: Int32 {
    get { Int32(failureCode) }
    set { failureCode = Int16(truncatingIfNeeded: newValue) }
  }

  /// A read may give something: data, the end or an error.
  package var isReadable: Bool { state.isReadable }
  /// A write may take something. Set for the first time when the connection is made, or has failed.
  package var isWritable: Bool { state.isWritable }
  /// The peer sent FIN (or everything is closed), perhaps with data before it that isn't read yet. A hint, given where the
  /// kernel tells, for those who have stopped reading; the end is when ``read(upTo:)`` says so.
  package var peerClosed: Bool { state.peerClosed }
  /// The system has told of something since ``pendingError()`` was asked last; without that there is no new error.
  package var hasNews: Bool { state.hasNews }
  /// What was written last waits for more, see ``write(_:isLast:)``.
  package var holdsBack: Bool { state.holdsBack }

  /// Takes over an accepted connection.
  package convenience init(loop: EventLoop, accepted: consuming AcceptedSocket) throws(LoopError) {
    let peer = accepted.peer
    // Nothing was sent yet: there is room without asking.
    try self.init(loop: loop, descriptor: accepted.takeDescriptor(), peer: peer, isWritable: true, delay: .none)
  }

  /// Begins to connect; the delegate hears when `isWritable`, then ``pendingError()`` tells how it went. Like connect(2).
  package convenience init(loop: EventLoop, connectingTo address: SocketAddress) throws(LoopError) {
    let descriptor = try SystemCall.streamSocket(address.family)
    #if os(Linux)
      let delay = Delay.unwritten
    #else
      SystemCall.setStreamOptions(descriptor.raw())
      let delay = Delay.none
    #endif
    let result = address.withSockaddr { connect(descriptor.raw(), $0, $1) }
    // EINTR: the attempt goes on, as with EINPROGRESS.
    if result != 0, errno != EINPROGRESS, errno != EINTR { throw LoopError.last("connect") }
    try self.init(loop: loop, descriptor: descriptor, peer: address, isWritable: false, delay: delay)
  }

  private init(
    loop: EventLoop, descriptor: consuming Descriptor, peer: SocketAddress, isWritable: Bool, delay: Delay
  ) throws(LoopError) {
    loop.assertOnThread("StreamSocket")
    self.loop = loop
    state = State(isWritable: isWritable, delay: delay)
    peerAddress = peer
    self.descriptor = descriptor.raw()
    super.init()
    do {
      try register()
    } catch {
      // The descriptor is still its owner's, who closes it.
      self.descriptor = -1
      throw error
    }
    _ = descriptor.take()
    loop.nursery?.add(self)
  }

  deinit {
    close()
  }

  private func register() throws(LoopError) {
    var flags: EventFlags = [.read, .write, .persist, .edgeTriggered]
    if loop.reportsEarlyClose { flags.insert(.closed) }
    let handle = EventHandle(loop: loop, descriptor: descriptor, flags: flags, target: self)
    try handle.add()
    self.handle = consume handle
  }

  /// From now on it lives on another loop; both are held by this thread. What holds of the socket is told anew there.
  ///
  /// - Throws: when that loop can't watch one more; it is closed then.
  package func move(to loop: EventLoop) throws(LoopError) {
    guard isOpen else { return self.loop = loop }
    self.loop.assertOnThread("StreamSocket")
    loop.assertOnThread("StreamSocket")
    if nurseryPlace >= 0 {
      // Who moves often would never grow up.
      self.loop.nursery?.remove(self)
      grewUp()
    }
    handle = nil
    self.loop = loop
    do {
      try register()
    } catch {
      close()
      throw error
    }
  }

  package var isOpen: Bool { descriptor >= 0 }

  override func eventFired(_ flags: EventFlags) {
    state.hasNews = true
    if flags.contains(.read) { state.isReadable = true }
    if flags.contains(.write) { state.isWritable = true }
    if flags.contains(.closed) {
      state.peerClosed = true
      state.isReadable = true
    }
    listener?.socketIsReady(self)
  }

  /// How the attempt to connect has ended, once ``isWritable``: 0 or its errno.
  func connectOutcome() -> Int32 {
    if isConnectedToItself { return ECONNREFUSED }
    #if os(Linux)
      // epoll tells of a failure as readable, too. Most connections are made and have nothing to read yet.
      if !state.isReadable {
        state.hasNews = false
        return 0
      }
    #endif
    return pendingError()
  }

  /// The error that the connection died of, or 0: so a reset is noticed while nothing is read, and a failed connect.
  /// Like getsockopt(SO_ERROR).
  package func pendingError() -> Int32 {
    guard failure == 0, isOpen else { return failure }
    state.hasNews = false
    var length = socklen_t(MemoryLayout<Int32>.size)
    getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &failure, &length)
    return failure
  }

  /// Nothing that is written waits from now on, and what the system holds back goes out. ``write(_:)`` does it when it is time;
  /// who writes in another way does it before. Like setsockopt(TCP_NODELAY).
  func endDelay() {
    SystemCall.setStreamOptions(descriptor)
    state.delay = .none
    state.holdsBack = false
  }

  /// What was to follow the last write doesn't follow at once after all: lets go what the system holds back for it.
  package func letGo() {
    if isOpen, state.holdsBack { endDelay() }
  }

  /// The next read asks the system, whether it has told of something or not: its word may not have been heard yet.
  package func lookAnew() {
    if isOpen { state.isReadable = true }
  }

  /// Sends FIN after what was written. Like shutdown(SHUT_WR).
  package func shutdownWrite() {
    guard isOpen else { return }
    _ = shutdown(descriptor, Int32(SHUT_WR))
    state.holdsBack = false
  }

  /// Ends the connection with RST; what is unsent is forgotten. One of many may have to wait its turn, see ``ClosingQueue``.
  package func reset(_ order: ClosingQueue.Order = .first) {
    guard isOpen else { return }
    loop.closings.reset(forget(), order)
  }

  /// Ends the connection: FIN after what was written, or RST where data came that nobody read. Does nothing when closed.
  package func close() {
    guard isOpen else { return }
    SystemCall.close(forget())
  }

  /// Closed as far as this object goes; what is left is the descriptor.
  private func forget() -> Int32 {
    loop.assertOnThread("StreamSocket")
    loop.nursery?.remove(self)
    // Before the descriptor goes: the kernel's set of events is asked to forget it.
    handle = nil
    // A reset would forget it.
    if state.holdsBack { endDelay() }
    let descriptor = descriptor
    self.descriptor = -1
    state.isReadable = false
    state.isWritable = false
    return descriptor
  }
}

// Reading and writing.
extension StreamSocket {
  package enum ReadOutcome: Equatable {
    /// So many bytes, at least one, are at the start of ``EventLoop/readBuffer``.
    case bytes(Int)
    case wouldBlock
    /// The peer sent FIN.
    case end
    /// With its errno, such as ECONNRESET.
    case failed(Int32)
  }

  package enum WriteOutcome: Equatable {
    /// So many bytes were taken, perhaps fewer than offered.
    case wrote(Int)
    case wouldBlock
    /// With its errno, such as EPIPE.
    case failed(Int32)
  }

  /// Reads at most `limit` bytes (1 to ``ReadBuffer/capacity``) into the loop's read buffer. Like recv(2).
  package func read(upTo limit: Int) -> ReadOutcome {
    precondition(limit > 0, "reading needs room")
    return read(into: 0..<min(limit, ReadBuffer.capacity))
  }

  /// As ``read(upTo:)``, into a part of the loop's read buffer, which isn't empty.
  func read(into range: Range<Int>) -> ReadOutcome {
    guard isOpen else { return .failed(EBADF) }
    let place = loop.readBuffer.place(range)
    while true {
      let count = recv(descriptor, place.baseAddress, place.count, 0)
      if count > 0 { return .bytes(count) }
      // After its error was taken, a dead connection reads as if it had ended well.
      if count == 0 { return failure == 0 ? .end : .failed(failure) }
      switch errno {
      case EINTR: continue
      case EAGAIN, EWOULDBLOCK:
        state.isReadable = false
        return .wouldBlock
      case let code:
        failure = code
        return .failed(code)
      }
    }
  }

  /// Writes a part of the loop's read buffer, without a copy of ours. Like send(2).
  ///
  /// - Parameter isLast: the end of the stream, or more of it, follows at once: the system waits for that, so that it goes out in
  ///   one packet with these bytes. It waits for some 200 ms at most. Like MSG_MORE; elsewhere than on Linux it has no effect.
  package func write(_ range: Range<Int>, isLast: Bool = false) -> WriteOutcome {
    guard isLast else { return write(loop.readBuffer.slice(range)) }
    let bytes = loop.readBuffer.slice(range)
    let outcome = write(bytes.count, flags: StreamSocket.moreFollows) { send($0, bytes.baseAddress, bytes.count, $1) }
    state.holdsBack = true
    return outcome
  }

  /// Writes `bytes` from an index on. Like send(2).
  package func write(_ bytes: [UInt8], from start: Int = 0) -> WriteOutcome {
    bytes.withUnsafeBytes { write(UnsafeRawBufferPointer(rebasing: $0[start...])) }
  }

  /// Writes the first bytes of `queue`, at most `limit` of them, and takes off what was written; wrote(0) if there is
  /// nothing to write. One call writes at most 64 pieces: go on while `isWritable`. Like sendmsg(2).
  package func write(_ queue: inout ByteQueue, upTo limit: Int) -> WriteOutcome {
    guard limit > 0, !queue.isEmpty else { return .wrote(0) }
    let outcome = queue.withFront(limit) { pieces in
      var message = msghdr()
      message.msg_iov = pieces.baseAddress
      message.msg_iovlen = .init(pieces.count)
      let offered = pieces.reduce(0) { $0 + $1.iov_len }
      return write(offered) { sendmsg($0, &message, $1) }
    }
    if case .wrote(let count) = outcome { queue.discard(count) }
    return outcome
  }

  private func write(_ bytes: UnsafeRawBufferPointer) -> WriteOutcome {
    guard !bytes.isEmpty else { return .wrote(0) }
    return write(bytes.count) { send($0, bytes.baseAddress, bytes.count, $1) }
  }

  #if canImport(Darwin)
    private static var noFlags: Int32 { 0 }  // SO_NOSIGPIPE is set on the socket.
    private static var moreFollows: Int32 { noFlags }
  #else
    private static var noFlags: Int32 { Int32(MSG_NOSIGNAL) }
    private static var moreFollows: Int32 { noFlags | Int32(MSG_MORE) }
  #endif

  private func write(
    _ offered: Int, flags: Int32 = StreamSocket.noFlags, _ call: (Int32, Int32) -> Int
  ) -> WriteOutcome {
    guard isOpen else { return .failed(EBADF) }
    state.holdsBack = false
    switch state.delay {
    case .none: break
    case .unwritten: state.delay = .written
    case .written: endDelay()
    }
    while true {
      let count = call(descriptor, flags)
      if count >= 0 {
        // A short write means a full buffer, and the kernel has noted that we wait for room.
        if count < offered { state.isWritable = false }
        return .wrote(count)
      }
      switch errno {
      case EINTR: continue
      case EAGAIN, EWOULDBLOCK:
        state.isWritable = false
        return .wouldBlock
      case let code:
        if failure == 0 { failure = code }
        // Reading goes on to what came before the failure, then to the failure itself, without waiting for an event.
        state.isReadable = true
        return .failed(failure)
      }
    }
  }
}
