"""Many connections at once, both ends of them, for scripts/bench: clients of a proxy and the upstream behind it.

`Crowd` is the handle. The connections live in a process of their own (this file, started as a program), which takes a
command a line and answers each with a line: in the process of the measuring client they would hold it up.
"""

import contextlib
import json
import os
import select
import socket
import subprocess
import sys
import time

CHUNK = bytes(256 * 1024)
QUIET_SECONDS = 0.5
# Of the crowd's own sockets. With the system's choice a thousand stalled connections take all the memory that it has for
# TCP; then it drops packets of every connection, and one repeated after 200 ms would be measured.
SOCKET_BUFFER_BYTES = 64 * 1024


class Crowd:
    """The process, with its upstream on `port`; leaving the block ends it with all its connections."""

    def __init__(self):
        self.process = subprocess.Popen([sys.executable, "-B", __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, start_new_session=True)  # as process.Child
        self.port = self._answer()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    def tell(self, *words):
        """Gives a command (a method of `Members`) and returns its answer when it is done."""
        self.process.stdin.write(json.dumps(words) + "\n")
        self.process.stdin.flush()
        return self._answer()

    def _answer(self, seconds=60):
        readable, _, _ = select.select([self.process.stdout], [], [], seconds)
        line = self.process.stdout.readline() if readable else ""
        if not line:
            raise RuntimeError(f"the crowd of connections gave no answer within {seconds} s")
        return json.loads(line)


class Members:
    """The connections. Public methods are the commands."""

    def __init__(self):
        self.listener = socket.socket()
        # Inherited by what is accepted.
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SOCKET_BUFFER_BYTES)
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen(4096)
        self.listener.setblocking(False)
        self.epoll = select.epoll()
        self.epoll.register(self.listener, select.EPOLLIN)
        self.servers, self.clients, self.streams = {}, {}, {}
        self.floods = self.reads = False
        self.buffer = bytearray(len(CHUNK))
        self.moved = 0

    def open(self, port, count):
        """Connects so many clients, and waits until the upstream has as many more connections."""
        wanted = len(self.servers) + count
        for _ in range(count):
            client = _connect(port)
            self.clients[client.fileno()] = client
            self.epoll.register(client, select.EPOLLIN if self.reads else 0)
            self.turn(0)
        end = time.monotonic() + 20
        while len(self.servers) < wanted:
            if time.monotonic() > end:
                raise RuntimeError("the upstream never saw all connections")
            self.turn(0.05)

    def flood(self):
        """From now on every upstream connection sends as much as is taken."""
        self.floods = True
        for descriptor in self.servers:
            self.epoll.modify(descriptor, select.EPOLLOUT)

    def read(self):
        """From now on every client reads what comes."""
        self.reads = True
        for descriptor in self.clients:
            self.epoll.modify(descriptor, select.EPOLLIN)

    def settle(self):
        """Waits until no byte has moved for a while."""
        since, end = time.monotonic(), time.monotonic() + 30
        while time.monotonic() - since < QUIET_SECONDS and time.monotonic() < end:
            before = self.moved
            self.turn(0.05)
            if self.moved != before:
                since = time.monotonic()

    def listen(self, port, count):
        """Opens so many event streams of a control port; every second one is never read."""
        for number in range(count):
            stream = _connect(port)
            stream.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
            self.streams[stream.fileno()] = stream
            self.epoll.register(stream, select.EPOLLIN if number % 2 else 0)

    def living(self):
        """How many clients, and how many upstream connections, have not seen their end."""
        return [sum(not _is_over(one) for one in ends.values()) for ends in (self.clients, self.servers)]

    def close(self):
        """Ends all connections but the event streams."""
        for connection in [*self.clients.values(), *self.servers.values()]:
            connection.close()
        self.servers, self.clients = {}, {}
        self.floods = self.reads = False

    # What the commands are made of.

    def turn(self, seconds):
        for descriptor, _ in self.epoll.poll(seconds, 512):
            if descriptor == self.listener.fileno():
                self._accept()
            elif descriptor in self.servers:
                self._move(self.servers[descriptor], lambda server: server.send(CHUNK))
            elif descriptor in self.clients or descriptor in self.streams:
                reader = self.clients.get(descriptor) or self.streams[descriptor]
                self._move(reader, lambda reader: reader.recv_into(self.buffer))

    def _accept(self):
        with contextlib.suppress(BlockingIOError):
            while True:
                server, _ = self.listener.accept()
                server.setblocking(False)
                self.servers[server.fileno()] = server
                self.epoll.register(server, select.EPOLLOUT if self.floods else 0)

    def _move(self, connection, action):
        count = 0
        try:
            count = action(connection)
            self.moved += count
        except BlockingIOError:
            return
        except OSError:
            pass
        if not count:
            self.epoll.unregister(connection)


def _connect(port):
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SOCKET_BUFFER_BYTES)
    client.settimeout(10)
    client.connect(("127.0.0.1", port))
    client.setblocking(False)
    return client


def _is_over(connection):
    """The first byte of tcp_info is the state; 1 is ESTABLISHED."""
    return connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0] != 1


def _lines():
    """Full lines of standard input so far; None at its end."""
    waiting = b""
    while True:
        lines = []
        if select.select([0], [], [], 0)[0]:
            got = os.read(0, 4096)
            if not got:
                return
            *lines, waiting = (waiting + got).split(b"\n")
        yield lines


def main():
    members = Members()
    members.epoll.register(0, select.EPOLLIN)
    print(members.listener.getsockname()[1], flush=True)
    for lines in _lines():
        for line in lines:
            command, *words = json.loads(line)
            print(json.dumps(getattr(members, command)(*words)), flush=True)
        members.turn(0.05)


if __name__ == "__main__":
    main()
