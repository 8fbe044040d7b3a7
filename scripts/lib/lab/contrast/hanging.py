"""Calls and connections that must not wait for a peer."""

import contextlib
import time

from ..machine import resident_bytes
from ..peers import BlackHole, Serving, connect, echo, flood, reset, watch
from ..rivals import milliseconds
from .case import Group, Seen

group = Group("hanging", "Calls that hang")


def remove_and_list(server, path="/proxies/p/toxics/t"):
    """What becomes of a DELETE, and of GET /proxies after it."""
    removal, listing = server.call("DELETE", path), server.call("GET", "/proxies")
    return Seen(f"removal: {removal.timed}; list: {listing.timed}", removal.is_prompt and listing.is_prompt)


@group.case("stalled-reader", "A client stops reading a download under `latency`; the toxic is removed")
def stalled_reader(contestant):
    with contestant.start() as server, Serving(flood) as upstream:
        address = server.proxy(upstream.address)
        server.toxic("latency", {"latency": 100})
        with connect(address):
            time.sleep(1.5)
            return remove_and_list(server)


@group.case("dead-clients", "Five clients abort their downloads under `latency`; the toxic is removed")
def dead_clients(contestant):
    with contestant.start() as server, Serving(flood) as upstream:
        address = server.proxy(upstream.address)
        server.toxic("latency", {"latency": 2000})
        clients = [connect(address) for _ in range(5)]
        time.sleep(0.3)
        for client in clients:
            reset(client)
        return remove_and_list(server)


@group.case("reset-peer-wait", "`reset_peer` waits for its 10 s on a connection; the toxic is removed")
def reset_peer_wait(contestant):
    with contestant.start() as server, Serving(echo) as upstream:
        address = server.proxy(upstream.address)
        server.toxic("reset_peer", {"timeout": 10_000})
        with connect(address) as client:
            client.sendall(b"x")
            time.sleep(0.2)
            return remove_and_list(server)


@group.case("black-hole", "The upstream doesn't answer a connection attempt; the proxy is deleted")
def black_hole(contestant):
    with contestant.start() as server, BlackHole() as upstream:
        address = server.proxy(upstream.address)
        with connect(address):
            time.sleep(0.2)
            return remove_and_list(server, "/proxies/p")


@group.case("dial-blocks-others", "One connection to the upstream hangs for a while; another client comes")
def dial_blocks_others(contestant):
    with contestant.start() as server, BlackHole() as upstream:
        address = server.proxy(upstream.address)
        # The kernel repeats its first attempt after a second or more; in between the upstream recovers.
        with connect(address):
            time.sleep(1.2)
            upstream.open()
            begin = time.monotonic()
            with connect(address), upstream.accept():
                took = time.monotonic() - begin
                return Seen(f"reached the upstream after {milliseconds(took)}", took < 0.6)


@group.case("abandoned-downloads", "Twenty clients read for 250 ms under `latency` and close; memory 3 s later")
def abandoned_downloads(contestant):
    with contestant.start() as server, Serving(flood) as upstream:
        address = server.proxy(upstream.address)
        server.toxic("latency", {"latency": 200})
        before = resident_bytes(server.pid)
        clients = [connect(address) for _ in range(20)]
        time.sleep(0.25)
        for client in clients:
            with contextlib.closing(client):
                watch(client, 0.02, until=1)
        time.sleep(3)
        grown = max(0, resident_bytes(server.pid) - before)
        return Seen(f"{grown / 1e6:.0f} MB more", grown < 30_000_000)
