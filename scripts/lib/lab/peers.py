"""Servers and clients that a case puts at the ends of a proxy, and words for what they see."""

import contextlib
import socket
import struct
import threading
import time
from dataclasses import dataclass

PATIENCE_SECONDS = 3


# Servers


class Listener:
    """A server whose connections the case itself accepts."""

    def __init__(self, backlog=128):
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=backlog)
        self.socket.settimeout(PATIENCE_SECONDS)
        self.port = self.socket.getsockname()[1]
        self.address = f"127.0.0.1:{self.port}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def accept(self):
        connection, _ = self.socket.accept()
        connection.settimeout(PATIENCE_SECONDS)
        return connection


class Serving(Listener):
    """A server that runs `handle` for each connection, on a thread of its own."""

    def __init__(self, handle):
        super().__init__()
        self.handle, self.connections = handle, []
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self):
        with contextlib.suppress(OSError):
            while True:
                with contextlib.suppress(TimeoutError):
                    connection = self.accept()
                    connection.settimeout(None)
                    self.connections.append(connection)
                    threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with contextlib.suppress(OSError), connection:
            self.handle(connection)

    def __exit__(self, *_):
        super().__exit__()
        for connection in self.connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)  # wakes the thread


def echo(connection):
    while data := connection.recv(65536):
        connection.sendall(data)


def flood(connection):
    while True:
        connection.sendall(bytes(1 << 16))


class BlackHole(Listener):
    """A server that lets connections hang: its queue is full, so the kernel drops what would open one."""

    def __init__(self):
        super().__init__(backlog=0)
        self.fillers = []
        while True:
            filler = socket.socket()
            self.fillers.append(filler)
            filler.settimeout(0.2)
            try:
                filler.connect(("127.0.0.1", self.port))
            except TimeoutError:
                break

    def open(self):
        """Takes what fills the queue away: connections are accepted again."""
        for filler in self.fillers:
            filler.close()
        self.socket.listen(128)
        for _ in self.fillers[:-1]:
            self.accept().close()

    def __exit__(self, *_):
        super().__exit__()
        for filler in self.fillers:
            filler.close()


# Clients


def connect(address):
    connection = socket.create_connection(address, timeout=PATIENCE_SECONDS)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def reset(connection):
    """Closes with a reset."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


@dataclass
class Watched:
    """What one end of a connection has seen, and after how long."""

    data: bytes
    end: str | None  # FIN, RST; None: open
    seconds: float
    first_seconds: float | None

    @property
    def words(self):
        what = f"{len(self.data):,} bytes" if self.data else "nothing"
        return f"{what}, then {self.end}" if self.end else f"{what}, still open after {self.seconds:.1f} s"


def watch(connection, seconds=PATIENCE_SECONDS, until=None):
    """Reads until the end, so many bytes, or the time is over."""
    begin = time.monotonic()
    data, end, first = b"", None, None
    while end is None and (until is None or len(data) < until):
        left = begin + seconds - time.monotonic()
        if left <= 0:
            break
        connection.settimeout(left)
        try:
            piece = connection.recv(65536)
        except TimeoutError:
            break
        except ConnectionResetError:
            end = "RST"
        else:
            first = first or (time.monotonic() - begin if piece else None)
            data += piece
            end = None if piece else "FIN"
    return Watched(data, end, time.monotonic() - begin, first)


def send(connection, data):
    """Sends what can be sent; RST where the other end has reset the connection before."""
    try:
        connection.sendall(data)
    except ConnectionError:
        return "RST"
    return None


def exchange(connection, data=b"x"):
    """Sends, and waits for as much to come back: what came, and the seconds."""
    connection.sendall(data)
    return watch(connection, until=len(data))


def is_alive(connection):
    """Whether an echo still comes back."""
    with contextlib.suppress(OSError):
        return exchange(connection).data == b"x"
    return False
