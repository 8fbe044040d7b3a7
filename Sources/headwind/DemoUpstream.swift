import ControlAPI
import Proxying
import Reactor
import Settings

/// A small HTTP server to try the proxy on: `/bytes/N` answers N bytes.
final class DemoUpstream {
  static let proxyName = "demo"
  private static let bytesMax = 50_000_000

  private let server: HTTPServer

  init(loop: EventLoop) throws(LoopError) {
    guard let address = SocketAddress(literal: "127.0.0.1", port: 0) else { preconditionFailure("a literal address") }
    server = try HTTPServer(loop: loop, address: address) { request, responder in
      DemoUpstream.answer(request, responder)
    }
  }

  /// The proxy that stands before it, on a free port.
  var proxy: ProxySpec {
    ProxySpec(name: DemoUpstream.proxyName, listen: "127.0.0.1:0", upstream: server.localAddress.description)
  }

  private static func answer(_ request: HTTPRequest, _ responder: HTTPResponder) {
    let text: HTTPHeaders = ["Content-Type": "text/plain; charset=utf-8"]
    guard request.target != "/" else {
      return responder.reply(
        status: 200, headers: text, body: Array("Headwind's demo upstream: try /bytes/100000\n".utf8))
    }
    let parts = request.target.split(separator: "/")
    guard parts.count == 2, parts[0] == "bytes", let count = Int(parts[1]), (0...bytesMax).contains(count) else {
      let message = "not here; try /bytes/N, N from 0 to \(bytesMax)\n"
      return responder.reply(status: 404, headers: text, body: Array(message.utf8))
    }
    responder.reply(
      status: 200, headers: ["Content-Type": "application/octet-stream"],
      body: [UInt8](repeating: UInt8(ascii: "x"), count: count))
  }

  /// What to try with curl.
  static func hint(control: ControlServer, _ registry: ProxyRegistry) -> String {
    let isTCP = control.url.hasPrefix("http")
    let socket = isTCP ? "" : "--unix-socket \(ShellText.word(String(control.place.dropFirst("unix:".count)))) "
    let (curl, url) = ("curl \(socket)", isTCP ? control.url : "http://localhost")
    let listen = (try? registry.proxy(named: proxyName))?.listen ?? ""
    return """

      A demo server stands behind http://\(listen). Try, in another terminal:

        curl -o /dev/null -w '%{time_starttransfer} s to the first byte, %{time_total} s in all\\n' http://\(listen)/bytes/100000
        \(curl)-X PUT \(url)/profile/edge        # and once more; also lte, flaky, offline, none
        \(curl)\(url)/profiles                   # all of them
        \(curl)\(url)/sessions                   # live connections
        \(curl)-N -H 'Accept: text/event-stream' \(url)/events

      Control-C ends it.

      """
  }
}
