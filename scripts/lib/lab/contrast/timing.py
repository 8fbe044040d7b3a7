"""How exactly the toxics keep to their numbers.

Lateness is printed and not judged, for it is the machine's as well; being early is judged. scripts/bench measures with
less noise of its own.
"""

import contextlib
import select
import struct
import threading
import time

from ..peers import Listener, Serving, connect, echo, exchange, flood, watch
from ..report import median, rate_text
from ..rivals import milliseconds
from .case import Group, Seen

group = Group("timing", "Times and rates")

CONNECTIONS, MESSAGES, SPACING_SECONDS = 20, 150, 0.01
STAMP = struct.Struct("d")


@group.case("latency-error", "100 bytes, one after the other, under `latency` 20: how late each is")
def latency_error(contestant):
    with contestant.start() as server, Serving(echo) as upstream:
        address = server.proxy(upstream.address)
        server.toxic("latency", {"latency": 20})
        with connect(address) as client:
            late = [exchange(client).seconds - 0.02 for _ in range(100)]
        half = median(late)
        return Seen(f"{milliseconds(half)} in the median", half >= 0)


@group.case("rate-error", "A download under `bandwidth` 100000, which is 100 MB/s, for 2 s")
def rate_error(contestant):
    with contestant.start() as server, Serving(flood) as upstream:
        address = server.proxy(upstream.address)
        server.toxic("bandwidth", {"rate": 100_000})
        with connect(address) as client:
            watch(client, until=1_000_000)
            begin, count, took = time.monotonic(), 0, 0
            while took < 2:
                count += len(client.recv(1 << 20))
                took = time.monotonic() - begin
        return Seen(rate_text(count / took), count / took < 1.05e8)


@group.case("jitter-shift", "Messages 10 ms apart on 20 connections under `latency` 100, `jitter` 50: median delay")
def jitter_shift(contestant):
    with contestant.start() as server, Listener() as upstream, contextlib.ExitStack() as stack:
        address = server.proxy(upstream.address)
        server.toxic("latency", {"latency": 100, "jitter": 50})
        clients = [stack.enter_context(connect(address)) for _ in range(CONNECTIONS)]
        far = [stack.enter_context(upstream.accept()) for _ in clients]
        threading.Thread(target=send_stamps, args=(far,), daemon=True).start()
        delays = receive_stamps(clients)
        return Seen(milliseconds(median(delays)), len(delays) == CONNECTIONS * MESSAGES and min(delays) > 0.05)


def send_stamps(connections):
    """The time, to all of them, again and again."""
    due = time.monotonic()
    for _ in range(MESSAGES):
        for connection in connections:
            connection.sendall(STAMP.pack(time.monotonic()))
        due += SPACING_SECONDS
        time.sleep(max(0, due - time.monotonic()))


def receive_stamps(connections):
    """How long each of them was under way."""
    delays, rest = [], dict.fromkeys(connections, b"")
    while len(delays) < len(connections) * MESSAGES:
        ready = select.select(connections, [], [], 1)[0]
        if not ready:
            break
        for connection in ready:
            data, now = rest[connection] + connection.recv(65536), time.monotonic()
            whole = len(data) // STAMP.size * STAMP.size
            delays += [now - sent for [sent] in STAMP.iter_unpack(data[:whole])]
            rest[connection] = data[whole:]
    return delays
