"""Numbered words as bodies of plain HTTP: requests and answers in turn on one connection, counted or in chunks.

Each request's URL says where its body is in the stream and where the answer's is to be: a proxy may send each to the server
on another connection.
"""

import contextlib
import random

from .ways import Refused
from .words import READ_BYTES, End, Gap, words

SIZES = (0, 1, 700, 20_000, 200_000)


class Letters(End):
    """One end. `target` is what a client's URLs name; the server has none."""

    def __init__(self, connection, name, target=None):
        super().__init__(connection, name)
        self.host = target and f"{target[0]}:{target[1]}"
        self.dice = random.Random()
        self.message, self.rest = Message(), memoryview(b"")
        if target:
            self.speak()

    @property
    def wants_to_send(self):
        return bool(self.rest)

    def speak(self):
        """Begins a message with the next words."""
        size = self.dice.choice(SIZES)
        path = f"/{self.sent}/{self.seen}"
        first = f"POST http://{self.host}{path} HTTP/1.1\r\nHost: {self.host}" if self.host else "HTTP/1.1 200 OK"
        body = words(self.sent, size)
        if self.dice.random() < 0.5:
            head, framed = f"Content-Length: {size}", bytes(body)
        else:
            head, framed = "Transfer-Encoding: chunked", b"".join(self.chunks(body)) + b"0\r\n\r\n"
        self.sent += size
        self.rest = memoryview(f"{first}\r\n{head}\r\n\r\n".encode() + framed)

    def place(self, theirs, ours):
        """The server's: a request says where it goes on. On the same connection that is known."""
        if self.seen + self.sent == 0:
            self.seen, self.sent = theirs, ours
        elif (self.seen, self.sent) != (theirs, ours):
            raise Gap(f"{self.name}: a request for {theirs} and {ours} behind {self.seen} and {self.sent}")

    def chunks(self, body):
        start = 0
        while start < len(body):
            piece = body[start:start + self.dice.choice((1, 100, 5_000, 60_000))]
            start += len(piece)
            yield b"%x\r\n%b\r\n" % (len(piece), piece)

    def send(self):
        with contextlib.suppress(BlockingIOError):
            self.rest = self.rest[self.socket.send(self.rest[:READ_BYTES]):]

    def take(self, piece):
        bodies = self.message.read(piece)
        if self.message.path:
            self.place(*map(int, self.message.path.split(b"/")[1:]))
            self.message.path = None
        for body in bodies:
            super().take(body)
        if self.message.is_over:
            if self.message.behind:
                raise Gap(f"{self.name}: {len(self.message.behind)} bytes behind the end of a message")
            self.message = Message()
            self.speak()


class Message:
    """Reads one message, piece by piece."""

    def __init__(self):
        self.behind, self.is_over = b"", False
        # Of a request.
        self.path = None
        self.next = self._head
        # Of the body or the chunk.
        self.left, self.is_chunked = 0, False

    def read(self, piece):
        """The pieces of its body."""
        self.behind += piece
        bodies = []
        while not self.is_over and self.next(bodies):
            pass
        return bodies

    def _line(self, end):
        """What stands before `end`; None while that hasn't come."""
        text, found, rest = self.behind.partition(end)
        if not found:
            return None
        self.behind = rest
        return text

    def _head(self, _):
        head = self._line(b"\r\n\r\n")
        if head is None:
            return False
        if head.startswith(b"HTTP/1.") and head[9:12] != b"200":
            raise Refused(f"{head.decode(errors='replace')}\n{self.behind.decode(errors='replace')}")
        if head.startswith(b"POST "):
            self.path = head.split(b" ")[1]
        fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
        self.is_chunked = b"transfer-encoding" in fields
        self.left = int(fields.get(b"content-length", 0))
        self.next = self._size if self.is_chunked else self._body
        self.is_over = not self.is_chunked and self.left == 0
        return True

    def _body(self, bodies):
        piece, self.behind = self.behind[:self.left], self.behind[self.left:]
        if piece:
            bodies.append(piece)
            self.left -= len(piece)
        if self.left == 0:
            self.next, self.is_over = self._gap, not self.is_chunked
        return self.left == 0

    def _gap(self, _):
        if len(self.behind) < 2:
            return False
        self.behind = self.behind[2:]
        self.next = self._size
        return True

    def _size(self, _):
        size = self._line(b"\r\n")
        if size is None:
            return False
        self.left = int(size, 16)
        self.next = self._body if self.left else self._end
        return True

    def _end(self, _):
        self.is_over = self._line(b"\r\n") == b""
        return False
