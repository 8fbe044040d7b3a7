/// An address of this machine that nobody has spoken to before: Linux remembers of each what connections were like
/// (`ip tcp_metrics`), and makes the buffers of the next ones after it.
package var freshLoopback: String {
  #if os(Linux)
    "127.\(Int.random(in: 1...254)).\(Int.random(in: 0...255)).\(Int.random(in: 1...254))"
  #else
    "127.0.0.1"
  #endif
}
