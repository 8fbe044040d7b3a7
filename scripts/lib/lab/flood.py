"""A server that sends and takes as many bytes as the connection carries, and the clients that measure that."""

import contextlib
import multiprocessing
import os
import socket
import threading
import time

PIECE = bytes(256 << 10)
# Behind all that is sent up: not every proxy lets an end pass one way only.
LAST = 1
WARM_SECONDS = 0.2

# What a client says first: to be sent bytes, to have its own read, or a request of HTTP.
DOWN, UP = b"d", b"u"
CHUNK = b"4000\r\n" + bytes(0x4000) + b"\r\n"
ANSWERS = {
    "counted": (b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (1 << 50), PIECE),
    "chunked": (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", CHUNK * 16),
}


class Flood:
    """The server, in a process of its own."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.target = self.listener.getsockname()
        self.process = multiprocessing.Process(target=_serve, args=(self.listener,), daemon=True)
        self.process.start()
        self.listener.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.join(5)


def _serve(listener):
    os.setsid()
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=_answer, args=(connection,), daemon=True).start()


def _answer(connection):
    with contextlib.suppress(OSError), connection:
        first = connection.recv(1)
        if first == UP:
            return _take(connection)
        head, piece = b"", PIECE
        if first != DOWN:
            while not first.endswith(b"\r\n\r\n"):
                first += connection.recv(4096)
            head, piece = ANSWERS["chunked" if b"/chunked " in first else "counted"]
        connection.sendall(head)
        while True:
            connection.sendall(piece)


def _take(connection):
    buffer, count = bytearray(len(PIECE)), 0
    while got := connection.recv_into(buffer):
        count += got
        if buffer[got - 1] == LAST:
            return connection.sendall(b"%d" % count)


def receive_rate(connection, first, seconds):
    """Bytes per second of what comes once `first` is said."""
    connection.sendall(first)
    connection.settimeout(10)
    buffer, count = bytearray(len(PIECE)), 0
    begin = time.perf_counter()
    is_warm = False
    while (now := time.perf_counter()) - begin < seconds:
        if not is_warm and now - begin >= WARM_SECONDS:
            is_warm, begin, count = True, now, 0
        got = connection.recv_into(buffer)
        if not got:
            raise RuntimeError("the connection ended")
        count += got
    return count / (now - begin)


def send_rate(connection, seconds):
    """Bytes per second of what the server has taken, by its own count."""
    connection.sendall(UP)
    connection.settimeout(10)
    begin = time.perf_counter()
    while time.perf_counter() - begin < seconds:
        connection.sendall(PIECE)
    connection.sendall(bytes([LAST]))
    count = int(connection.recv(32))
    return count / (time.perf_counter() - begin)
