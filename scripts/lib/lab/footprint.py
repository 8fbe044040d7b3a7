"""scripts/bench: what an idle session costs a proxy, in resident memory."""

import contextlib
import selectors
import socket
import threading
import time

from .machine import progress, resident_bytes

SETTLE_SECONDS = 10
QUIET_SECONDS = 1.5
HELLO = b"hello, idle session\n"


class EchoServer:
    """Answers what it is sent, on 127.0.0.1, on one thread; knows how many connections it has."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self.port = self.listener.getsockname()[1]
        self.connections = set()
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stopping.set()
        self.thread.join(5)
        for connection in [self.listener, *self.connections]:
            connection.close()

    def _serve(self):
        with selectors.DefaultSelector() as selector:
            selector.register(self.listener, selectors.EVENT_READ)
            while not self.stopping.is_set():
                for key, _ in selector.select(timeout=0.1):
                    if key.fileobj is self.listener:
                        connection, _ = self.listener.accept()
                        self.connections.add(connection)
                        selector.register(connection, selectors.EVENT_READ)
                    else:
                        self._echo(selector, key.fileobj)

    def _echo(self, selector, connection):
        try:
            content = connection.recv(4096)
            connection.sendall(content)
        except OSError:
            content = b""
        if not content:
            selector.unregister(connection)
            self.connections.discard(connection)
            connection.close()


def bytes_per_session(name, pid, connect, echo, count):
    """What one of `count` idle sessions costs the process; `connect` makes a connection that reaches the echo. Without a
    name the caller tells what goes on."""
    if name:
        progress(f"memory: {count} sessions through {name}")
    # What any first sessions cost once (pools, pages of the allocator) is not part of the price of one more.
    _with_sessions(connect, echo, 20, lambda: None)
    before = _settled(pid)
    after = _with_sessions(connect, echo, count, lambda: _settled(pid))
    if name:
        progress("")
    return (after - before) / count


def _with_sessions(connect, echo, count, action):
    """Runs the action while `count` sessions are open that have carried a message both ways and are idle now."""
    already = len(echo.connections)
    with contextlib.ExitStack() as stack:
        clients = []
        for _ in range(count):
            client = stack.enter_context(connect())
            client.sendall(HELLO)
            clients.append(client)
        for client in clients:
            if client.recv(len(HELLO), socket.MSG_WAITALL) != HELLO:
                raise RuntimeError("a session did not echo")
        result = action()
    _wait(lambda: len(echo.connections) <= already, "sessions stay open after their clients have gone")
    return result


def _settled(pid):
    """Resident bytes once they have not changed for a while: a proxy may give memory back only a second after a burst."""
    seen, since, end = resident_bytes(pid), time.monotonic(), time.monotonic() + SETTLE_SECONDS
    while time.monotonic() - since < QUIET_SECONDS and time.monotonic() < end:
        time.sleep(0.05)
        current = resident_bytes(pid)
        if current != seen:
            seen, since = current, time.monotonic()
    return seen


def _wait(condition, complaint):
    end = time.monotonic() + SETTLE_SECONDS
    while not condition():
        if time.monotonic() > end:
            raise RuntimeError(complaint)
        time.sleep(0.02)
