@testable import Forwarding
import Testing

/// What must not pass because two readers could read it in two ways (RFC 9112 §11.2), and what is without bound.
@Suite struct HTTPFramingTests {
  private func last(_ fields: String, version: String = "1.1", body: String = "") -> HTTPRequestReader.Step? {
    let run = run(HTTPRequestReader(), "POST http://h/ HTTP/\(version)\n\(fields)\n\n\(body)".wire)
    #expect(run.isSound)
    return run.steps.last
  }

  static let wrongFields: [(String, Refusal.Kind, String)] = [
    ("Content-Length: 5\nTransfer-Encoding: chunked", .malformed, "both"),
    ("Transfer-Encoding: chunked\nContent-Length: 0", .malformed, "both"),
    ("Content-Length: 5\nContent-Length: 6", .malformed, "several Content-Length"),
    ("Content-Length: 5\ncontent-length: 5", .malformed, "several Content-Length"),
    ("Content-Length: 5, 5", .malformed, "'5, 5'"), ("Content-Length: +5", .malformed, "'+5'"),
    ("Content-Length: -5", .malformed, "'-5'"), ("Content-Length: 0x5", .malformed, "'0x5'"),
    ("Content-Length: 5 5", .malformed, "'5 5'"), ("Content-Length:", .malformed, "Content-Length is ''"),
    ("Content-Length: 4611686018427387905", .malformed, "2^62"),
    ("Content-Length: 99999999999999999999999999", .malformed, "2^62"),
    ("Transfer-Encoding: gzip, chunked", .unsupported, "exactly"), ("Transfer-Encoding: gzip", .malformed, "exactly"),
    ("Transfer-Encoding: chunked, identity", .malformed, "exactly"), ("Transfer-Encoding:", .malformed, "exactly"),
    ("Transfer-Encoding: xchunked", .malformed, "exactly"), ("Transfer-Encoding: chunked;a=b", .malformed, "exactly"),
    ("Transfer-Encoding: chunked\nTransfer-Encoding: chunked", .malformed, "several Transfer-Encoding"),
    ("Transfer-Encoding : chunked", .malformed, "before the colon"), ("Host : h", .malformed, "before the colon"),
    ("X: a\n b", .malformed, "white space"), ("X: a\n\tb", .malformed, "white space"), ("X", .malformed, "no colon"),
    (": x", .malformed, "isn't the name"), ("X Y: a", .malformed, "isn't the name"), ("X(: a", .malformed, "isn't the"),
    ("Ü: a", .malformed, "isn't the name"), ("X: a\u{0}b", .malformed, "\\x00"), ("X: \u{B}", .malformed, "\\x0b"),
    ("X: \u{7F}", .malformed, "\\x7f"), ("X: \u{1B}[0m", .malformed, "\\x1b"), ("X: a\rY: b", .malformed, "CR without"),
    ("X: a\r", .malformed, "CR without"),
    ("X: a\r b", .malformed, "CR without"), ("Host: other", .malformed, "several Host"),
  ]

  @Test(arguments: wrongFields)
  func fieldsWithTwoReadingsAreRefused(fields: String, kind: Refusal.Kind, words: String) {
    expectRefusal(last("Host: h\n\(fields)", body: "0\n\n"), kind, words)
  }

  @Test func aLineEndsInCRAndLF() {
    let input = Array("GET http://h/ HTTP/1.1\nHost: h\n\n".utf8)
    expectRefusal(run(HTTPRequestReader(), input).steps.last, .malformed, "LF without CR")
  }

  @Test func theFirstFieldLineIsNotFolded() {
    expectRefusal(last(" Host: h"), .malformed, "white space")
  }

  @Test func hostIsThereOnceAndRight() {
    expectRefusal(last("Accept: x"), .malformed, "Host field is missing")
    expectRefusal(last("Host: a\nHost: a", version: "1.0"), .malformed, "several Host")
    for host in ["a b", "a/b", "u@h", "h:x", "h:0", "[::1", "a,b"] {
      expectRefusal(last("Host: \(host)"), .malformed, "the Host field")
    }
    #expect(last("Accept: x", version: "1.0") == .complete)
    #expect(last("Host:") == .complete)
    #expect(last("Host: [::1]:80") == .complete)
  }

  @Test(
    arguments: [
      "GET http://me:secret@h/ HTTP/1.1", "GET http://me:secret@h/ x HTTP/1.1", "GET ftp://me:secret@h/ HTTP/1.1",
      "GET me:secret@h:80 HTTP/1.1", "GET /?token=secret HTTP/1.1", "CONNECT me:secret@h:443 HTTP/1.1",
      "GET http://h/ HTTP/1.1\nHost: me:secret@h", "GET http://h/ HTTP/1.1\nAuthorization: Basic\n secret",
      "GET http://h/ HTTP/1.1\n\tsecret", "GET http://h/ HTTP/1.1\nAuthorization Basic secret",
      "GET http://h/ HTTP/1.1\nAuthorization Basic secret: x", "GET http://h/ HTTP/1.1\nAuthorization Basic secret : x",
    ])
  func refusalsKeepSecrets(text: String) {
    let step = run(HTTPRequestReader(), "\(text)\n\n".wire).steps.last
    guard case .refused(let refusal) = step else {
      Issue.record("not refused: \(text)")
      return
    }
    #expect(!refusal.reason.contains("secret"), "\(refusal.reason)")
  }

  @Test func aRefusedLineIsNamedByTheOneBefore() {
    expectRefusal(last("Host: h\nX-Y: a\n b"), .malformed, "behind field 'X-Y'")
    expectRefusal(last(" a"), .malformed, "behind the first line")
  }

  @Test func http10HasNoChunks() {
    expectRefusal(last("Transfer-Encoding: chunked", version: "1.0", body: "0\n\n"), .malformed, "HTTP/1.0")
  }

  @Test func connectHasNoBody() {
    for fields in ["Content-Length: 1", "Transfer-Encoding: chunked"] {
      let run = run(HTTPRequestReader(), "CONNECT h:1 HTTP/1.1\nHost: h\n\(fields)\n\n".wire)
      expectRefusal(run.steps.last, .malformed, "CONNECT with a body")
    }
  }

  // MARK: Bodies

  private func chunked(_ body: String) -> Run<HTTPRequestReader.Step> {
    var run = run(HTTPRequestReader(), "POST http://h/ HTTP/1.1\nHost: h\nTransfer-Encoding: chunked\n\n\(body)".wire)
    #expect(run.isSound)
    run.steps.removeFirst()
    return run
  }

  static let bodies = [
    "0\n\n", "5\nhello\n0\n\n", "005\nhello\n0000\n\n", "a\n0123456789\nA\n0123456789\n0\n\n",
    "1;x\nx\n0;y=\"z z\"\n\n", "2\n\n\n0\n\n", "0\nA: b\nC: d\n\n",
  ]

  @Test(arguments: bodies) func chunksPassAsTheyAre(body: String) {
    #expect(chunked(body + "G").steps == [.body(body.wire.count), .complete])
  }

  static let wrongBodies: [(String, Refusal.Kind, String)] = [
    ("\n", .malformed, "size"), ("g", .malformed, "'g'"), ("-1\n", .malformed, "'-'"), (" 1\n", .malformed, "' '"),
    (";\n", .malformed, "';'"), ("1 \nx", .malformed, "' '"), ("0x1\n", .malformed, "'x'"),
    ("4000000000000001\n", .malformed, "2^62"), ("00000000000000000\n", .malformed, "16 digits"),
    ("1\nxy", .malformed, "behind a chunk "), ("1\nx\rx", .malformed, "behind a chunk "),
    ("1\rx", .malformed, "behind a chunk's size"), ("1;a\u{0}", .malformed, "extension"),
    ("0\nContent-Length: 1\n", .malformed, "among the trailers"), ("0\nHost: x\n", .malformed, "among the trailers"),
    ("0\nA b: c\n", .malformed, "isn't the name"), ("0\nA: b\n c\n", .malformed, "white space"),
    ("0\nA: b\u{0}", .malformed, "the trailers"), ("0\nA: b\rc", .malformed, "CR without LF in the trailers"),
    ("1;\(String(repeating: "x", count: 1024))\n", .tooLarge, "extension"),
    ("0\n" + String(repeating: "A: b\n", count: 201), .tooLarge, "200 fields"),
    ("0\nA: " + String(repeating: "b", count: 65_536), .tooLarge, "65536 bytes"),
  ]

  @Test(arguments: wrongBodies) func wrongChunksAreRefused(body: String, kind: Refusal.Kind, words: String) throws {
    let run = chunked(body)
    expectRefusal(run.steps.last, kind, words)
    if case .body(let count) = run.steps[0] { #expect(count < body.wire.count, "the byte that is refused has passed") }
  }

  @Test func whatIsGoodBeforeAFaultPasses() {
    #expect(chunked("1\nx\n1\nyz").steps.first == .body("1\nx\n1\ny".wire.count))
  }

  @Test func lengthsOfAnySizeAreCounted() throws {
    let head = "PUT http://h/ HTTP/1.1\nHost: h\nContent-Length: 4611686018427387904\n\n".wire
    var reader = HTTPRequestReader()
    #expect(reader.next(head.span.bytes, from: 0).consumed == head.count)
    let piece = [UInt8](repeating: 0, count: 1 << 16)
    for _ in 0..<100 { #expect(reader.next(piece.span.bytes, from: 16).step == .body(piece.count - 16)) }
  }

  // MARK: Limits

  @Test func aRequestLineHasALimit() throws {
    let path = String(repeating: "a", count: 16_384 - "GET http://h/ HTTP/1.1".utf8.count)
    let rest = " HTTP/1.1\nHost: h\n\n"
    #expect(run(HTTPRequestReader(), ("GET http://h/\(path)" + rest).wire).steps.last == .complete)
    let step = run(HTTPRequestReader(), ("GET http://h/\(path)a" + rest).wire).steps.last
    expectRefusal(step, .tooLarge, "first line")
    guard case .refused(let refusal) = step else { return }
    #expect(refusal.status == 414)
  }

  @Test func aHeadHasALimit() {
    #expect(last("Host: h\nX: " + String(repeating: "a", count: 65_000)) == .complete)
    expectRefusal(last("Host: h\nX: " + String(repeating: "a", count: 65_536)), .tooLarge, "65536 bytes")
    expectRefusal(last("Host: h" + String(repeating: "\nX: y", count: 200)), .tooLarge, "200 fields")
    #expect(last("Host: h" + String(repeating: "\nX: y", count: 199)) == .complete)
  }
}
