/// A connection fresh from a ``Listener``: becomes a ``StreamSocket``, or closes when dropped.
package struct AcceptedSocket: ~Copyable {
  private let descriptor: Descriptor
  /// The client's address.
  package let peer: SocketAddress

  init(_ descriptor: consuming Descriptor, peer: SocketAddress) {
    self.descriptor = descriptor
    self.peer = peer
  }

  /// The address that the client connected to; asks the system each time.
  package var local: SocketAddress {
    SocketAddress.local(of: descriptor.raw()) ?? .unknown
  }

  /// Ends the connection with RST instead of FIN.
  package consuming func reset() {
    SystemCall.setLingerZero(descriptor.raw())
  }

  consuming func takeDescriptor() -> Descriptor {
    descriptor
  }
}
