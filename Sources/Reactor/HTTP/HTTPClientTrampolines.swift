internal import CLibevent

// The ways from evhttp's client callbacks into an exchange. The context is unretained, and nil once the exchange has let go.

private func exchange(_ context: UnsafeMutableRawPointer?) -> HTTPExchange? {
  context.map { Unmanaged<HTTPExchange>.fromOpaque($0).takeUnretainedValue() }
}

func httpConnectEnded(bufferevent: OpaquePointer?, what: Int16, context: UnsafeMutableRawPointer?) {
  if let bufferevent { exchange(context)?.connectEnded(bufferevent, what) }
}

/// Always goes on; a cancelled exchange frees the connection later.
func httpReplyHasHead(request: UnsafeMutablePointer<evhttp_request>?, context: UnsafeMutableRawPointer?) -> Int32 {
  if let request { exchange(context)?.replyHasHead(request) }
  return 0
}

func httpReplyHasBytes(request: UnsafeMutablePointer<evhttp_request>?, context: UnsafeMutableRawPointer?) {
  if let request { exchange(context)?.replyHasBytes(request) }
}

func httpReplyFailed(error: evhttp_request_error, context: UnsafeMutableRawPointer?) {
  exchange(context)?.replyFailed(error)
}

func httpReplyEnded(request: UnsafeMutablePointer<evhttp_request>?, context: UnsafeMutableRawPointer?) {
  exchange(context)?.replyEnded(request)
}
