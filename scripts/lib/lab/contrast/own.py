"""What headwind adds to the same API, and what toxiproxy makes of it."""

import contextlib

from ..peers import Serving, connect, echo, exchange, watch
from .case import Group, Seen

group = Group("own", "Toxics and triggers of headwind's own")


@group.case("first-connections", '`reset_peer` with `"first_connections": 2`; three clients, one after the other')
def first_connections(contestant):
    with contestant.start() as server, Serving(echo) as upstream:
        address = server.proxy(upstream.address)
        server.toxic("reset_peer", {"timeout": 0}, first_connections=2)
        ends = []
        for _ in range(3):
            with connect(address) as client:
                client.sendall(b"x")
                ends.append(watch(client, 1, until=1).end or "echo")
        return Seen(", ".join(ends), ends == ["RST", "RST", "echo"])


@group.case("after-bytes", '`reset_peer` with `"after_bytes": 50000`; a download of 100,000 bytes')
def after_bytes(contestant):
    with contestant.start() as server, Serving(lambda far: (far.sendall(bytes(100_000)), far.recv(1))) as upstream:
        address = server.proxy(upstream.address)
        server.toxic("reset_peer", {"timeout": 0}, after_bytes=50_000)
        with connect(address) as client:
            got = watch(client, 1)
            return Seen(got.words, got.end == "RST" and len(got.data) == 50_000)


@group.case("stall", "A `stall` holds 5 bytes; it is removed after 300 ms")
def stall(contestant):
    with contestant.start() as server, Serving(echo) as upstream:
        with connect(server.proxy(upstream.address)) as client:
            exchange(client)
            answer = server.call("POST", "/proxies/p/toxics", {"name": "t", "type": "stall"})
            if answer.status != 200:
                return Seen(f"{answer.status} “{answer.error}”", False)
            client.sendall(b"hello")
            held = len(watch(client, 0.3, until=5).data)
            server.expect("DELETE", "/proxies/p/toxics/t")
            got = len(watch(client, until=5).data)
            return Seen(f"{held} bytes before, {got} after, same connection", (held, got) == (0, 5))


@group.case("drop", "A `drop` with `probability` 0.3 per exchange; 200 requests on kept connections")
def drop(contestant):
    with contestant.start("-seed", "1") as server, Serving(echo) as upstream, contextlib.ExitStack() as stack:
        address = server.proxy(upstream.address)
        body = {"name": "t", "type": "drop", "attributes": {"probability": 0.3, "per": "exchange", "how": "reset"}}
        answer = server.call("POST", "/proxies/p/toxics", body)
        if answer.status != 200:
            return Seen(f"{answer.status} “{answer.error}”", False)
        client, failed = None, 0
        for _ in range(200):
            client = client or stack.enter_context(connect(address))
            try:
                end = exchange(client).end
            except OSError:
                end = "RST"
            failed += end is not None
            client = None if end else client
        return Seen(f"{failed} of 200 end in a reset", 40 <= failed <= 80)
