"""One end of a connection that carries numbered words, so that a gap, a repetition or a wrong order shows."""

import contextlib
import socket
from array import array
from dataclasses import dataclass

from . import ways

WORDS = 1_000_003  # no multiple of any buffer, in words of 8 bytes
READ_BYTES = 65_536


def _table():
    words = array("Q", range(WORDS))
    words.byteswap()
    return words.tobytes()


TABLE = _table()
# Long enough that a piece from any place of the period is one slice.
LONG = memoryview(TABLE + TABLE[: 4 * READ_BYTES])


class Gap(Exception):
    pass


def words(position, count):
    """So many bytes (at most 4 × READ_BYTES) from that place of the endless stream."""
    start = position % len(TABLE)
    return LONG[start:start + count]


@dataclass(eq=False)  # ends are kept in sets, by identity
class End:
    """Sends the words, and checks those of the other end."""

    socket: socket.socket
    name: str
    sent: int = 0
    seen: int = 0
    marked: int = 0  # of what it has seen, what doesn't count any more

    wants_to_send = True

    def send(self):
        with contextlib.suppress(BlockingIOError):
            self.sent += self.socket.send(words(self.sent, READ_BYTES))

    def receive(self):
        """False when the other end is gone."""
        try:
            piece = self.socket.recv(READ_BYTES)
        except BlockingIOError:
            return True
        self.take(piece)
        return bool(piece)

    def take(self, piece):
        if piece != words(self.seen, len(piece)):
            raise Gap(f"{self.name}: other bytes than those at {self.seen}: {piece[:64]!r}")
        self.seen += len(piece)


class Tunnel(End):
    """A client that asks a forward proxy for the way first; `is_hasty`: it doesn't wait for the answer to send."""

    def __init__(self, connection, name, way, target, is_hasty):
        super().__init__(connection, name)
        self.way, self.said, self.is_hasty, self.is_there = way, b"", is_hasty, False
        connection.sendall(ways.hello(way, target))

    @property
    def wants_to_send(self):
        return self.is_there or self.is_hasty

    def take(self, piece):
        if self.is_there:
            return super().take(piece)
        self.said += piece
        rest = ways.behind_answer(self.way, self.said)
        if rest is not None:
            self.is_there = True
            super().take(rest)
