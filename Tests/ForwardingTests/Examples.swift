/// Streams that tests run through the parsers whole, cut and changed, and that fuzzers start from. In texts `\n` stands
/// for CRLF.
enum Examples {
  static let requests = [
    "CONNECT example.com:443 HTTP/1.1\nHost: example.com:443\nProxy-Connection: keep-alive\n\n\u{16}\u{3}\u{1}",
    "CONNECT [2001:db8::1]:8443 HTTP/1.0\n\nSSH-2.0-x",
    "GET http://example.com/a?b HTTP/1.1\nHost: example.com\nAccept: */*\n\n",
    "GET http://a.example/ HTTP/1.1\nHost: a.example\n\n\nHEAD http://b.example HTTP/1.1\nHost: b.example\n\n",
    "GET http://[::ffff:192.0.2.1]:81?q HTTP/1.0\nConnection: keep-alive\n\n",
    "OPTIONS http://example.com HTTP/1.1\nHost: example.com\nMax-Forwards: 3\n\n",
    "POST http://example.com/ HTTP/1.1\nHost: example.com\nContent-Length: 11\nExpect: 100-continue\n\nhello worldGET ",
    "PUT http://e.example/ HTTP/1.1\nHost: e\nContent-Length: 3\nConnection: close, Content-Length, X\nX: y\n\nabc",
    "POST http://e.example/ HTTP/1.1\nHost: e\nTransfer-Encoding: chunked\nTrailer: Sum\n\n"
      + "5\nhello\n6;a=\"b c\"\n world\n0\nSum: 1\n\nGET http://e.example/ HTTP/1.1\nHost: e\n\n",
    "PUT http://e.example/ HTTP/1.1\nHost: e\nTransfer-Encoding: Chunked\nTE: trailers, gzip\n\n0A\n0123456789\n00\n\n",
    "GET http://e.example/chat HTTP/1.1\nHost: e.example\nConnection: keep-alive, Upgrade, X-Gone\nUpgrade: websocket\n"
      + "X-Gone: 1\nKeep-Alive: timeout=5\nProxy-Authorization: Basic eDp5\nTE: trailers\n\n",
    "GET / HTTP/1.1\nHost: example.com\n\n",
    "POST http://e.example/ HTTP/1.1\nHost: e\nContent-Length: 5\nTransfer-Encoding: chunked\n\n0\n\n",
    "PRI * HTTP/2.0\n\nSM\n\n",
  ]

  /// The methods of the requests that went out, and the stream that came back.
  static let responses: [(methods: [String], text: String)] = [
    (["GET"], "HTTP/1.1 200 OK\nContent-Length: 5\n\nhello"),
    (["GET", "GET"], "HTTP/1.1 200 OK\nContent-Length: 2\n\nokHTTP/1.1 304 Not Modified\nContent-Length: 99\n\n"),
    (["GET"], "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n5;x=y\nhello\n0\nSum: 1\n\n"),
    (["POST"], "HTTP/1.1 100 Continue\n\nHTTP/1.1 103 Early Hints\nLink: </x>\n\nHTTP/1.1 204 No Content\n\n"),
    (["HEAD", "GET"], "HTTP/1.1 200 OK\nContent-Length: 7\n\nHTTP/1.1 404 \nContent-Length: 0\nConnection: close\n\n"),
    (["GET"], "HTTP/1.0 200 OK\nServer: old\n\neverything up to the end"),
    (["GET"], "HTTP/1.0 200 OK\nConnection: Keep-Alive\nContent-Length: 1\n\nx"),
    (["GET"], "HTTP/1.1 101 Switching Protocols\nUpgrade: websocket\nConnection: Upgrade\n\n\u{1}\u{2}"),
    (["CONNECT"], "HTTP/1.1 200 Connection established\nContent-Length: 5\n\n\u{16}\u{3}"),
    (["CONNECT"], "HTTP/1.1 407 Proxy Authentication Required\nContent-Length: 3\n\nno\n"),
    (["GET"], "HTTP/1.1 200 OK\nContent-Length: 5\nTransfer-Encoding: chunked\n\n0\n\n"),
    (["GET"], "HTTP/1.1 200 OK\nContent-Length: 1\n\nxHTTP/1.1 200 unasked\n\n"),
  ]

  static let socks: [[UInt8]] = [
    [5, 1, 0, 5, 1, 0, 1, 192, 0, 2, 1, 0x01, 0xBB, 0x16, 3, 1],
    [5, 2, 0, 2, 5, 1, 0, 3, 11] + Array("example.com".utf8) + [0, 80] + Array("GET".utf8),
    [5, 3, 2, 1, 0, 5, 1, 0, 4, 0x20, 1, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 80],
    [5, 1, 2],
    [5, 1, 0, 5, 2, 0, 1, 192, 0, 2, 1, 0, 80],
    [5, 1, 0, 5, 1, 0, 9],
    [4, 1, 0, 80, 192, 0, 2, 1, 0x6D, 0x65, 0, 0x47],
    [4, 1, 0, 80, 0, 0, 0, 1, 0] + Array("Example.com".utf8) + [0, 0x47],
    [4, 2, 0, 80, 192, 0, 2, 1, 0],
    Array("GET / HTTP/1.1\r\n\r\n".utf8),
  ]
}
