"""Clients that hold memory of the daemon's: each attack says what it may cost."""

import contextlib
import dataclasses
import select
import socket
import struct
import time
import typing

from . import machine, report
from .daemon import Daemon

HOLD_SECONDS = 2
MIB = 1 << 20
# What the heap keeps besides: blocks that are half full, and what has been freed but not yet given back.
HEAP_BYTES = 12 * MIB
EVENTS = 20_000


@dataclasses.dataclass
class Attack:
    title: str
    # The limits that it is under, by their names; those that are None have their usual value.
    limits: dict
    # What the daemon may grow by, from the values of these limits.
    cost: typing.Callable
    # Opens the connections, which are returned.
    begin: typing.Callable
    clients: int = 1_000
    prepare: typing.Callable = lambda daemon: None


@dataclasses.dataclass
class Result:
    row: tuple
    complaints: list


def address(text):
    host, _, port = text.rpartition(":")
    return host.strip("[]"), int(port)


def connect(where, count, say=b"", receive_buffer=4_096):
    """So many connections, each as far as it gets without waiting: most stay in the backlog, or outside of it."""
    sockets = []
    for _ in range(count):
        client = socket.socket()
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        # Its end is a reset, which is noticed whatever is still to be delivered.
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.setblocking(False)
        client.connect_ex(where)
        sockets.append(client)
    unsaid = {client: say for client in sockets}
    end = time.monotonic() + 1
    while unsaid and (left := end - time.monotonic()) > 0:
        poller = select.poll()
        by_number = {client.fileno(): client for client in unsaid}
        for number in by_number:
            poller.register(number, select.POLLOUT)
        for number, _ in poller.poll(min(left, 0.1) * 1000):
            client = by_number[number]
            try:
                unsaid[client] = unsaid[client][client.send(unsaid[client]):]
            except BlockingIOError:
                continue
            except OSError:
                unsaid[client] = b""
            if not unsaid[client]:
                del unsaid[client]
    return sockets


def many_events(daemon):
    """By switching the profile, a thousand times in one go."""
    with socket.create_connection(address(daemon.control)) as client:
        for _ in range(EVENTS // 1_000):
            client.sendall(b"".join(
                b"PUT /profile/%s HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n" % name
                for name in (b"3g", b"lte") * 500))
            answers = 0
            while answers < 1_000:
                answers += client.recv(1 << 20).count(b"HTTP/1.1 200")


def control(say):
    return lambda daemon, count: connect(address(daemon.control), count, say)


def proxied(daemon, count):
    """Downloads that nobody reads, an hour behind: only what a limit allows is taken from the server."""
    return connect(daemon.address("p"), count, b"x")


def use_hour(daemon):
    daemon.set_toxic("p", "latency", {"latency": 3_600_000})


HEAD = b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"x" * 15_000
BODY = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1048576\r\n\r\n" + b"x" * 1_048_575
LIST = b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n"
STREAM = b"GET /events?since=0 HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n"
OUTPUT = {"control_output_bytes": 8 * MIB, "events": EVENTS}
# A list is made from a tree of values, some times its size.
LIST_BYTES = EVENTS * 250 * 5

ATTACKS = (
    Attack("1,000 control clients send half a head", {"control_connections": None, "control_head_bytes": None},
           lambda limit: limit["control_connections"] * (limit["control_head_bytes"] + 16_384), control(HEAD)),
    Attack("1,000 control clients send half a body",
           {"control_connections": 64, "control_body_bytes": None},
           lambda limit: limit["control_connections"] * 2 * limit["control_body_bytes"], control(BODY)),
    Attack("250 clients ask for 20,000 events and don't read", OUTPUT,
           lambda limit: limit["control_output_bytes"] + LIST_BYTES, control(LIST), 250, many_events),
    Attack("64 readers of the event stream don't read", OUTPUT | {"control_output_bytes": MIB},
           lambda limit: limit["control_output_bytes"] + LIST_BYTES, control(STREAM), 64, many_events),
    Attack("1,000 downloads are an hour behind", {"buffer_bytes": 32 * MIB, "connections": None},
           # A quarter more, as blocks are in whole sizes; and what a link reads that holds nothing.
           lambda limit: limit["buffer_bytes"] * 5 // 4 + 1_000 * (16_384 + 4_000), proxied, 1_000, use_hour),
)


def flags(limits):
    return [word for name, value in limits.items() if value is not None
            for word in (f"--max-{name.replace('_', '-')}", str(value))]


def peak_bytes(pid):
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))


def shown(daemon):
    return {limit["name"]: limit for limit in daemon.call("GET", "/limits")["limits"]}


@contextlib.contextmanager
def flood():
    """A server that sends 100 kB to whoever connects, in pieces as far as it is read."""
    with socket.create_server(("127.0.0.1", 0), backlog=1_024) as server:
        server.setblocking(False)
        yield server


def serve(server, seconds):
    """Accepts for so long, and sends each its bytes."""
    accepted, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        if not select.select([server], [], [], 0.1)[0]:
            continue
        with contextlib.suppress(BlockingIOError):
            client, _ = server.accept()
            client.setblocking(False)
            accepted.append(client)
            with contextlib.suppress(OSError):
                client.send(b"x" * 100_000)
    return accepted


def works_again(daemon):
    """Within ten seconds: clients that have gone are noticed one by one."""
    end = time.monotonic() + 10
    while time.monotonic() < end:
        with contextlib.suppress(OSError, RuntimeError):
            if daemon.call("GET", "/healthz")["status"] == "ok" and not daemon.call("GET", "/sessions")["sessions"]:
                return True
        time.sleep(0.05)
    return False


def run(attack, binary, directory):
    with flood() as server:
        host, port = server.getsockname()
        with Daemon(binary, directory, {"p": ("127.0.0.1:0", f"{host}:{port}")}, flags(attack.limits)) as daemon:
            attack.prepare(daemon)
            limits = {name: shown(daemon)[name]["value"] for name in attack.limits}
            before = machine.resident_bytes(daemon.pid)
            clients = attack.begin(daemon, attack.clients)
            served = serve(server, HOLD_SECONDS)
            cost = max(0, peak_bytes(daemon.pid) - before)
            for client in clients + served:
                client.close()
            complaints = [] if works_again(daemon) else [f"{attack.title}: the daemon doesn't serve any more"]
            met = [name for name in attack.limits if name != "events" and shown(daemon)[name]["reached"] > 0]
    may_cost = attack.cost(limits) + HEAP_BYTES
    if cost > may_cost:
        complaints.append(f"{attack.title}: {report.size_text(cost)}, more than {report.size_text(may_cost)}")
    if not met:
        complaints.append(f"{attack.title}: met none of {', '.join(attack.limits)}")
    named = ", ".join(f"`{name}` {value:,}" for name, value in limits.items())
    row = (attack.title, named, report.size_text(may_cost), report.size_text(cost), report.verdict(not complaints))
    return Result(row, complaints)
