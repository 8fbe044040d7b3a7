"""Connections that are busy both ways with numbered words, so that a gap, a repetition or a wrong order shows.

A process of its own: what it costs to move the bytes must not slow down whoever times the calls beside it.
"""

import contextlib
import functools
import multiprocessing
import os
import selectors
import socket
import time
from dataclasses import dataclass, field

from .letters import Letters
from .ways import Refused
from .words import End, Gap, Tunnel

RECONNECT_SECONDS = 0.05


@dataclass
class Group:
    """Clients of one proxy."""

    name: str
    address: tuple
    count: int
    may_end: bool  # whether its toxics cut connections off
    way: str = "tcp"  # or "connect", "socks", "http": through a forward proxy
    host: str = "127.0.0.1"  # as a forward proxy is told it
    clients: list = field(default_factory=list)


@dataclass
class Report:
    """What the streams have seen since they began."""

    complaints: list
    moved_bytes: int
    ended: dict  # connections that ended, by group
    least: dict  # bytes that the slowest client of each group has seen, since `mark` or since it came


class Streams:
    """Runs groups of clients and the server that they reach, in a process of its own."""

    def __init__(self):
        # One for bare words, one for words in HTTP.
        listeners = [socket.create_server(("127.0.0.1", 0), backlog=1024) for _ in range(2)]
        self.port, self.http_port = [listener.getsockname()[1] for listener in listeners]
        self.pipe, far = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=_run, args=(*listeners, far), daemon=True)
        self.process.start()
        for end in (*listeners, far):
            end.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(OSError):
            self.pipe.send(("stop", None))
        self.process.join(5)
        if self.process.is_alive():
            self.process.kill()

    def start(self, groups):
        self._ask("start", groups)

    def close(self):
        """Closes all connections; the server goes on accepting."""
        return self._ask("close", None)

    def report(self):
        return self._ask("report", None)

    def mark(self):
        """What clients have seen counts from here."""
        self._ask("mark", None)

    def _ask(self, what, value):
        self.pipe.send((what, value))
        if not self.pipe.poll(30):
            raise RuntimeError(f"the streams don't answer to {what!r}")
        return self.pipe.recv()


class _Runner:
    def __init__(self, listener, http_listener, pipe):
        self.selector = selectors.DefaultSelector()
        self.ports = [each.getsockname()[1] for each in (listener, http_listener)]
        self.pipe = pipe
        self.groups, self.complaints, self.ended, self.ends = [], [], {}, set()
        self.moved, self.retry_at = 0, 0.0
        for each, kind in ((listener, End), (http_listener, Letters)):
            each.setblocking(False)
            self.selector.register(each, selectors.EVENT_READ, functools.partial(self.accept, each, kind))
        self.selector.register(pipe, selectors.EVENT_READ, self.obey)
        self.is_stopped = False

    def run(self):
        while not self.is_stopped:
            for key, events in self.selector.select(RECONNECT_SECONDS):
                if isinstance(key.data, End):
                    self.move(key.data, events)
                else:
                    key.data()
            self.reconnect()

    def accept(self, listener, kind):
        with contextlib.suppress(BlockingIOError):
            connection, _ = listener.accept()
            self.add(kind(connection, f"server of {kind.__name__.lower()}"))

    def obey(self):
        what, value = self.pipe.recv()
        if what == "stop":
            self.is_stopped = True
            return
        if what == "start":
            self.groups = value
            self.ended = {group.name: 0 for group in value}
            self.reconnect()
        if what == "mark":
            for group in self.groups:
                for client in group.clients:
                    client.marked = client.seen
        if what == "close":
            self.groups = []
            for end in list(self.ends):
                self.remove(end)
        least = {group.name: min((client.seen - client.marked for client in group.clients), default=0)
                 for group in self.groups}
        self.pipe.send(Report(self.complaints[:20], self.moved, self.ended, least))

    def add(self, end):
        end.socket.setblocking(False)
        self.ends.add(end)
        self.selector.register(end.socket, _events(end), end)

    def remove(self, end):
        self.ends.discard(end)
        self.selector.unregister(end.socket)
        end.socket.close()

    def move(self, end, events):
        if end not in self.ends:
            return
        before = end.seen
        try:
            if events & selectors.EVENT_READ and not end.receive():
                return self.lose(end, "end")
            if events & selectors.EVENT_WRITE:
                end.send()
            if _events(end) != self.selector.get_key(end.socket).events:
                self.selector.modify(end.socket, _events(end), end)
        except (OSError, Refused) as problem:
            self.lose(end, problem)
        except Gap as problem:
            self.complaints.append(str(problem))
            self.lose(end, "gap")
        self.moved += end.seen - before

    def lose(self, end, how):
        self.remove(end)
        for group in self.groups:
            if end in group.clients:
                group.clients.remove(end)
                self.ended[group.name] += 1
                if not group.may_end:
                    self.complaints.append(f"{group.name}: a connection ended ({how}) after {end.seen} bytes")

    def reconnect(self):
        if time.monotonic() < self.retry_at:
            return
        for group in self.groups:
            while len(group.clients) < group.count:
                try:
                    connection = socket.create_connection(group.address, timeout=5)
                except OSError as problem:
                    if not group.may_end:
                        self.complaints.append(f"{group.name}: {problem}")
                    self.retry_at = time.monotonic() + RECONNECT_SECONDS
                    break
                client = self.client(group, connection)
                group.clients.append(client)
                self.add(client)

    def client(self, group, connection):
        if group.way == "http":
            return Letters(connection, group.name, (group.host, self.ports[1]))
        if group.way == "tcp":
            return End(connection, group.name)
        is_hasty = len(group.clients) % 2 == 0
        return Tunnel(connection, group.name, group.way, (group.host, self.ports[0]), is_hasty)


def _events(end):
    return selectors.EVENT_READ | (selectors.EVENT_WRITE if end.wants_to_send else 0)


def _run(listener, http_listener, pipe):
    # A session of its own, behind the others: what is measured is the daemon, and not who gets the processors.
    os.setsid()
    os.nice(5)
    _Runner(listener, http_listener, pipe).run()
