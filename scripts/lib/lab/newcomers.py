"""scripts/counts: calls of the system for a connection that is made for one request, from its coming to its end."""

import os
import socket

from .counting import ANSWER, NAMES, REQUEST, TOLERANCE, Counts
from .daemon import Daemon
from .report import table

WARMING, COUNTED = 50, 500
# Two reads of bytes and two of an end; the first end is passed on, the second one is that of a close.
EXACT = {"reads": 4, "writes": 2, "event changes": 4, "accepts": 1, "dials": 2, "ends": 1, "closes": 2}
# What depends on how far the other side is when it is looked at. Asked is whether a connection leads to itself, and
# whether a client whose request waits for the upstream was reset meanwhile. No option is set before a connection is old
# or has been written to twice.
MOST = {"empty reads": 3, "empty accepts": 1, "options set": 0, "options asked": 2}


def run(binary, directory):
    """(counts for each connection, whether the bars are held)."""
    counts = Counts(binary, directory)
    with socket.create_server(("127.0.0.1", 0), backlog=16) as listener:
        proxies = {"counted": ("127.0.0.1:0", f"127.0.0.1:{listener.getsockname()[1]}")}
        with Daemon(os.fspath(counts.program), directory, proxies, ["--log-level", "warning"]) as daemon:
            address = daemon.address("counted")
            _connections(address, listener, WARMING)
            found = counts.per(COUNTED, lambda: _connections(address, listener, COUNTED))
    # What the daemon does by the clock is far below the tolerance.
    held = all(abs(found[name] - bar) <= TOLERANCE for name, bar in EXACT.items())
    return found, held and all(found[name] <= bar + TOLERANCE for name, bar in MOST.items())


def _connections(address, listener, count):
    for _ in range(count):
        with socket.create_connection(address, timeout=30) as client:
            client.sendall(REQUEST)
            server, _ = listener.accept()
            with server:
                server.settimeout(30)
                _receive(server, len(REQUEST))
                server.sendall(ANSWER)
                server.shutdown(socket.SHUT_WR)
                _receive(client, len(ANSWER))
                _end(client)
                client.close()
                _end(server)


def _receive(connection, count):
    while count:
        count -= len(connection.recv(count)) or _early()


def _end(connection):
    if connection.recv(1):
        raise RuntimeError("bytes behind the end")


def _early():
    raise RuntimeError("a connection ended early")


def text(found):
    return table(["for each connection", *NAMES], [["no toxic", *(f"{found[name]:.2f}" for name in NAMES)]])
