"""Toxics and proxies that change while connections are open."""

import contextlib
import select
import time

from ..peers import Listener, Serving, connect, echo, exchange, is_alive, send, watch
from .case import Group, Seen

group = Group("changing", "Changes while connections are open")

LATE_SECONDS = 0.28  # a byte that waits under latency 300 takes longer, one that doesn't much less


def arrival(contestant, toxics, change, due, size=1):
    """Sends `size` bytes to the client under `toxics`, makes `change` after 200 ms, and tells when they came."""
    with contestant.start() as server, Listener() as upstream:
        address = server.proxy(upstream.address)
        for kind, attributes, more in toxics:
            server.toxic(kind, attributes, **more)
        with connect(address) as client, upstream.accept() as far:
            far.sendall(bytes(size))
            begin = time.monotonic()
            time.sleep(0.2)
            change(server)
            watch(client, 2.5, until=size)
            took = time.monotonic() - begin
        return Seen(f"all {size:,} there after {took * 1000:.0f} ms" if size > 1 else f"after {took * 1000:.0f} ms",
                    due - 0.03 < took < due + 1)


@group.case("update-latency", "A byte is 200 ms under way in `latency` 1000 when it is updated to 1000, the same")
def update_latency(contestant):
    return arrival(contestant, [("latency", {"latency": 1000}, {})], due=1, change=lambda server: server.expect(
        "POST", "/proxies/p/toxics/t", {"attributes": {"latency": 1000}}))


@group.case("update-bandwidth", "1,000 bytes are 200 ms under way in `bandwidth` 1 when it is updated to 1, the same")
def update_bandwidth(contestant):
    return arrival(contestant, [("bandwidth", {"rate": 1}, {})], due=1, size=1000, change=lambda server: server.expect(
        "POST", "/proxies/p/toxics/t", {"attributes": {"rate": 1}}))


@group.case("add-behind", "A byte is 200 ms under way in `latency` 1000 when a `noop` is added behind it")
def add_behind(contestant):
    return arrival(contestant, [("latency", {"latency": 1000}, {})], due=1, change=lambda server: server.toxic(
        "noop", name="n"))


@group.case("remove-behind", "The same, and a `noop` behind it is removed")
def remove_behind(contestant):
    toxics = [("latency", {"latency": 1000}, {}), ("noop", {}, {"name": "n"})]
    return arrival(contestant, toxics, due=1, change=lambda server: server.expect("DELETE", "/proxies/p/toxics/n"))


@group.case("update-slow-close", "The server closes; after 500 ms `slow_close` 1000 is updated to 1000, the same")
def update_slow_close(contestant):
    with contestant.start() as server, Listener() as upstream:
        address = server.proxy(upstream.address)
        server.toxic("slow_close", {"delay": 1000})
        with connect(address) as client, upstream.accept() as far:
            far.close()
            begin = time.monotonic()
            time.sleep(0.5)
            server.expect("POST", "/proxies/p/toxics/t", {"attributes": {"delay": 1000}})
            watch(client)
            took = time.monotonic() - begin
        return Seen(f"the client sees the end after {took * 1000:.0f} ms", 0.97 < took < 1.45)


@group.case("timeout-chatty", "`timeout` 500 on a connection whose server sends a byte every 200 ms")
def timeout_chatty(contestant):
    with contestant.start() as server, Listener() as upstream:
        address = server.proxy(upstream.address)
        server.toxic("timeout", {"timeout": 500})
        with connect(address) as client, upstream.accept() as far:
            begin = time.monotonic()
            seen = watch(client, 0.01)
            while not seen.end and time.monotonic() - begin < 1.9:
                send(far, b"x")
                seen = watch(client, 0.2)
            took = time.monotonic() - begin
        words = f"closed after {took * 1000:.0f} ms" if seen.end else f"still open after {took * 1000:.0f} ms"
        return Seen(words, bool(seen.end) and 0.45 < took < 1.6)


@group.case("timeout-removed", "`timeout` 0 is removed from a connection on which it dropped nothing")
def timeout_removed(contestant):
    return removed_timeout(contestant, toxicity=1)


@group.case("timeout-inactive", "The same with `toxicity` 0")
def timeout_inactive(contestant):
    return removed_timeout(contestant, toxicity=0)


def removed_timeout(contestant, toxicity):
    with contestant.start() as server, Serving(echo) as upstream:
        with connect(server.proxy(upstream.address)) as client:
            exchange(client)
            server.toxic("timeout", {"timeout": 0}, toxicity=toxicity)
            server.expect("DELETE", "/proxies/p/toxics/t")
            alive = is_alive(client)
            return Seen("goes on" if alive else "closed", alive)


def slow_ones(clients):
    """Echoes a byte on all clients at once: for each, whether the answer was late."""
    begin, times = time.monotonic(), {}
    for client in clients:
        client.sendall(b"x")
    while len(times) < len(clients) and time.monotonic() - begin < 3:
        for ready in select.select([client for client in clients if client not in times], [], [], 0.1)[0]:
            ready.recv(1)
            times[ready] = time.monotonic() - begin
    return [times.get(client, 9) > LATE_SECONDS for client in clients]


@group.case("toxicity-redrawn", "`latency` with `toxicity` 0.5 on 20 open connections; a `noop` is added behind it")
def toxicity_redrawn(contestant):
    with contestant.start() as server, Serving(echo) as upstream, contextlib.ExitStack() as stack:
        address = server.proxy(upstream.address)
        server.toxic("latency", {"latency": 300}, toxicity=0.5)
        clients = [stack.enter_context(connect(address)) for _ in range(20)]
        before = slow_ones(clients)
        server.toxic("noop", name="n")
        changed = sum(one != other for one, other in zip(before, slow_ones(clients)))
        return Seen(f"{sum(before)} are late; the `noop` changes that for {changed}",
                    0 < sum(before) < 20 and not changed)


@group.case("refused-update", "`latency` 5 with `jitter` 0 is updated with a bad `latency` and `jitter` 9")
def refused_update(contestant):
    with contestant.start() as server, Listener() as upstream:
        server.proxy(upstream.address)
        server.toxic("latency", {"latency": 5})
        answer = server.call("POST", "/proxies/p/toxics/t", {"attributes": {"latency": "x", "jitter": 9}})
        jitter = server.expect("GET", "/proxies/p/toxics/t")["attributes"]["jitter"]
        return Seen(f"{answer.status}, jitter is now {jitter}", answer.status == 400 and jitter == 0)


@group.case("failed-listen", "A proxy with an open connection is told to listen on a port that is taken")
def failed_listen(contestant):
    with contestant.start() as server, Serving(echo) as upstream, Listener() as taken:
        with connect(server.proxy(upstream.address)) as client:
            exchange(client)
            answer = server.call("POST", "/proxies/p", {"listen": taken.address})
            return Seen(f"{answer.status}; {aftermath(server, client)}",
                        answer.status == 500 and aftermath(server, client) == "enabled, the connection goes on")


def aftermath(server, client):
    enabled = server.expect("GET", "/proxies/p")["enabled"]
    return f"{'enabled' if enabled else 'disabled'}, the connection {'goes on' if is_alive(client) else 'is closed'}"
