"""scripts/bench: memory of idle sessions, and the time from start to ready."""

import contextlib
import selectors
import shutil
import socket
import subprocess
import threading
import time
from dataclasses import dataclass

from .daemon import Daemon
from .machine import first_line, free_ports, progress, raise_descriptor_limit, resident_bytes, say
from .report import median, size_text, table, time_text, verdict
from .upstreams import haproxy, nginx_stream

MEMORY_BAR_BYTES = 2000
START_BAR_SECONDS = 0.020
SETTLE_SECONDS = 10
HELLO = b"hello, idle session\n"


@dataclass(frozen=True)
class MemoryPlan:
    sessions: int = 2000
    profiles: tuple = ("none", "3g")


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


def memory(binary, directory, plan):
    # A session is two descriptors here (client and server end) and two in the proxy, whose limit is the same.
    count = min(plan.sessions, (raise_descriptor_limit() - 200) // 2)
    if count < plan.sessions:
        say(f"the limit on open files allows {count} of {plan.sessions} sessions")
    per_session = {}
    with EchoServer() as echo:
        for profile in plan.profiles:
            proxies = {"bench": ("127.0.0.1:0", f"127.0.0.1:{echo.port}")}
            with Daemon(binary, directory, proxies, ["--profile", profile]) as daemon:
                name = f"headwind, {profile}"
                per_session[name] = bytes_per_session(name, daemon.pid, _connecting(daemon.address("bench")), echo, count)
        for start in (haproxy, nginx_stream):
            with start(directory, echo.port) or contextlib.nullcontext() as peer:
                if peer:
                    connect = _connecting(("127.0.0.1", peer.port))
                    per_session[peer.name] = bytes_per_session(peer.name, peer.pid, connect, echo, count)
    return _memory_result(per_session, count), _memory_text(per_session, count)


def _connecting(address):
    return lambda: socket.create_connection(address, timeout=10)


def bytes_per_session(name, pid, connect, echo, count):
    """What one of `count` idle sessions costs the process; `connect` makes a connection that reaches the echo."""
    progress(f"memory: {count} sessions through {name}")
    # What any first sessions cost once (pools, pages of the allocator) is not part of the price of one more.
    _with_sessions(connect, echo, 20, lambda: None)
    before = _settled(pid)
    after = _with_sessions(connect, echo, count, lambda: _settled(pid))
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
    """Resident bytes once they have not changed for half a second."""
    seen, since, end = resident_bytes(pid), time.monotonic(), time.monotonic() + SETTLE_SECONDS
    while time.monotonic() - since < 0.5 and time.monotonic() < end:
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


def _memory_result(per_session, count):
    return {"unit": "bytes", "sessions": count, "bar": MEMORY_BAR_BYTES, "per_session": per_session}


def _memory_text(per_session, count):
    held = all(value <= MEMORY_BAR_BYTES for name, value in per_session.items() if name.startswith("headwind"))
    return "\n".join([
        f"Resident memory of an idle session: {count:,} sessions that have carried a message both ways",
        "",
        table(["through", "a session"], [[name, f"{value:,.0f} B"] for name, value in per_session.items()]),
        "",
        f"Memory of an idle session (bar: at most {MEMORY_BAR_BYTES:,} B): {verdict(held)}",
    ])


def start(binary, directory, runs):
    seconds = []
    for _ in range(runs):
        # Nothing need listen upstream: that is asked when a session comes.
        with Daemon(binary, directory, {"bench": ("127.0.0.1:0", f"127.0.0.1:{free_ports(1)[0]}")}) as daemon:
            seconds.append(daemon.start_seconds)
    size, libraries = binary.stat().st_size, _swift_libraries(binary)
    result = {"unit": "seconds", "bar": START_BAR_SECONDS, "samples": seconds, "binary_bytes": size,
              "shared_swift_libraries": libraries}
    text = (
        f"Start to ready line: median {time_text(median(seconds))} of {runs} ({time_text(min(seconds))} to "
        f"{time_text(max(seconds))}), starting the process included "
        f"(bar: at most {time_text(START_BAR_SECONDS)}: {verdict(median(seconds) <= START_BAR_SECONDS)})\n"
        f"Binary: {size_text(size)}, shared Swift libraries: {'unknown' if libraries is None else libraries}; "
        f"{first_line(binary, '--version')}"
    )
    return result, text


def _swift_libraries(binary):
    """How many shared libraries of Swift's the binary wants; None where that can't be seen."""
    if not shutil.which("ldd"):
        return None
    shown = subprocess.run(["ldd", binary], capture_output=True, text=True, timeout=10).stdout
    return sum("libswift" in line or "libFoundation" in line for line in shown.splitlines())
