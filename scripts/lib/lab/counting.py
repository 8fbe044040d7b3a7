"""scripts/counts: allocations and calls of the system for each request and each megabyte."""

import mmap
import os
import pathlib
import shutil
import socket
import struct
import subprocess
import threading
from dataclasses import dataclass

from .daemon import Daemon
from .report import table

LIB = pathlib.Path(__file__).resolve().parent.parent
SHOWN = ("allocations", "reads", "empty reads", "writes", "waits", "event changes", "timers set")
# The order of counts.c.
NAMES = (*SHOWN, "accepts", "empty accepts", "dials", "options set", "options asked", "ends", "closes")
REQUEST, ANSWER, PIECE = bytes(100), bytes(1000), bytes(1 << 18)
MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Case:
    """What sessions are put through, and how much passes meanwhile."""

    name: str
    connections: int
    # Requests of each connection, and megabytes from server to client.
    rounds: int
    megabytes: int
    profile: str = ""
    toxic: tuple = ()


CASES = (
    Case("no toxic", 8, 2500, 400),
    Case("latency 2 ms", 8, 250, 400, toxic=("latency", {"latency": 2})),
    Case("bandwidth 100 MB/s", 8, 1000, 200, toxic=("bandwidth", {"rate": 100_000})),
    Case("lte", 64, 20, 20, profile="lte"),
)
# A session without toxics: nothing allocated, and for each of the two messages of a request one read, the one that finds
# nothing more, and one write. What the daemon does by the clock, whatever passes, is far below the tolerance.
BARS = {"allocations": 0, "reads": 2, "empty reads": 2, "writes": 2, "event changes": 0}
TOLERANCE = 0.05


class Counts:
    """The numbers of a program that `program` starts, under the arguments given."""

    def __init__(self, binary, directory):
        compiler = shutil.which("cc") or shutil.which("clang")
        if not compiler:
            raise RuntimeError("there is no C compiler")
        library, file = directory / "counts.so", directory / "counts"
        subprocess.run([compiler, "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", library,
                        LIB / "counts.c", "-ldl"], check=True)
        file.write_bytes(bytes(8 * len(NAMES)))
        with open(file, "r+b") as opened:
            self.memory = mmap.mmap(opened.fileno(), 0)
        self.program = directory / "counted"
        self.program.write_text(f'#!/bin/sh\nexec env LD_PRELOAD="{library}" COUNTS_FILE="{file}" "{binary}" "$@"\n')
        self.program.chmod(0o755)

    def now(self):
        return struct.unpack(f"={len(NAMES)}Q", self.memory[:])

    def per(self, units, action):
        """What `action` makes of each number, for each of `units`."""
        before = self.now()
        action()
        return {name: (after - then) / units for name, then, after in zip(NAMES, before, self.now())}


class Pairs:
    """Connections through a proxy, both ends in this thread."""

    def __init__(self, address, listener, count):
        self.pairs = []
        for _ in range(count):
            client = socket.create_connection(address, timeout=30)
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            server, _ = listener.accept()
            server.settimeout(30)
            server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.pairs.append((client, server))

    def close(self):
        for pair in self.pairs:
            for end in pair:
                end.close()

    def exchange(self, rounds):
        for _ in range(rounds):
            for client, _ in self.pairs:
                client.sendall(REQUEST)
            for _, server in self.pairs:
                _receive(server, len(REQUEST))
                server.sendall(ANSWER)
            for client, _ in self.pairs:
                _receive(client, len(ANSWER))

    def download(self, megabytes):
        client, server = self.pairs[0]
        sender = threading.Thread(target=_send, args=(server, megabytes * MEGABYTE))
        sender.start()
        _receive(client, megabytes * MEGABYTE)
        sender.join()


def _send(connection, count):
    while count:
        count -= connection.send(PIECE[:count])


def _receive(connection, count):
    while count:
        got = len(connection.recv(min(count, len(PIECE))))
        if not got:
            raise RuntimeError("a connection ended early")
        count -= got


def run(binary, directory):
    """(rows, whether the bars are held)."""
    counts = Counts(binary, directory)
    rows, held = [], True
    for case in CASES:
        requests, bulk = _measure(case, counts, directory)
        rows += [[case.name, "request"] + _shown(requests), [case.name, "MB"] + _shown(bulk)]
        if case is CASES[0]:
            held = all(requests[name] <= bar + TOLERANCE for name, bar in BARS.items())
            held = held and bulk["allocations"] <= TOLERANCE
    return rows, held


def _measure(case, counts, directory):
    with socket.create_server(("127.0.0.1", 0), backlog=256) as listener:
        upstream = f"127.0.0.1:{listener.getsockname()[1]}"
        proxies = {"counted": ("127.0.0.1:0", upstream)}
        with Daemon(os.fspath(counts.program), directory, proxies, ["--log-level", "warning"]) as daemon:
            if case.profile:
                daemon.use("counted", case.profile)
            if case.toxic:
                daemon.set_toxic("counted", *case.toxic)
            pairs = Pairs(daemon.address("counted"), listener, case.connections)
            # What is made once is made by then.
            pairs.exchange(max(2, case.rounds // 10))
            requests = counts.per(case.rounds * case.connections, lambda: pairs.exchange(case.rounds))
            pairs.download(max(1, case.megabytes // 10))
            bulk = counts.per(case.megabytes, lambda: pairs.download(case.megabytes))
            pairs.close()
    return requests, bulk


def _shown(numbers):
    return [f"{numbers[name]:.2f}" for name in SHOWN]


def text(rows):
    return table(["through", "for each", *SHOWN], rows)
