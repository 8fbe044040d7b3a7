internal import CLibevent

// The ways from evhttp's server callbacks into our objects. Each recovers the object and calls one method. Contexts are
// unretained: a server outlives its evhttp, and a connection stays in the server's table until evhttp's close callback.

func httpMakeBufferevent(base: OpaquePointer?, context: UnsafeMutableRawPointer?) -> OpaquePointer? {
  context.map { Unmanaged<HTTPServer>.fromOpaque($0).takeUnretainedValue().makeConnection() }
}

func httpRequestArrived(request: UnsafeMutablePointer<evhttp_request>?, context: UnsafeMutableRawPointer?) {
  guard let request, let context else { return }
  Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue().requestArrived(request)
}

func httpInputChanged(
  buffer: OpaquePointer?, info: UnsafePointer<evbuffer_cb_info>?, context: UnsafeMutableRawPointer?
) {
  guard let info, let context else { return }
  Unmanaged<HTTPServerConnection>.fromOpaque(context).takeUnretainedValue().inputChanged(info.pointee)
}

func httpOutputChanged(
  buffer: OpaquePointer?, info: UnsafePointer<evbuffer_cb_info>?, context: UnsafeMutableRawPointer?
) {
  guard let info, let context else { return }
  Unmanaged<HTTPServerConnection>.fromOpaque(context).takeUnretainedValue().outputChanged(info.pointee)
}

func httpReplyComplete(request: UnsafeMutablePointer<evhttp_request>?, context: UnsafeMutableRawPointer?) {
  guard let context else { return }
  Unmanaged<HTTPServerConnection>.fromOpaque(context).takeUnretainedValue().replyIsComplete()
}

func httpConnectionClosed(connection: OpaquePointer?, context: UnsafeMutableRawPointer?) {
  guard let context else { return }
  Unmanaged<HTTPServerConnection>.fromOpaque(context).takeUnretainedValue().connectionClosed()
}

func httpAcceptFailed(listener: OpaquePointer?, context: UnsafeMutableRawPointer?) {
  guard let listener else { return }
  HTTPServer.withOwner(of: listener) { $0.acceptFailed() }
}
