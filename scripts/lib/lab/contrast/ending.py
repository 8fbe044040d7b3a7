"""How a connection ends, and what of it reaches the other side."""

import contextlib
import socket

from ..machine import free_ports
from ..peers import Listener, Serving, connect, echo, exchange, reset, send, watch
from .case import Group, Seen

group = Group("ending", "Ends and resets of connections")


@group.case("half-close", "The client sends 5 bytes and ends its side; the server, seeing it, answers 5 bytes")
def half_close(contestant):
    with contestant.start() as server, Listener() as upstream:
        with connect(server.proxy(upstream.address)) as client, upstream.accept() as far:
            client.sendall(b"hello")
            client.shutdown(socket.SHUT_WR)
            asked = watch(far)
            if asked.end == "FIN" and asked.data == b"hello":
                send(far, b"world")
            far.close()
            got = watch(client)
            return Seen(f"the client gets {got.words}", got.words == "5 bytes, then FIN")


@group.case("half-close-server", "The server sends 5 bytes and ends its side; the client, seeing it, sends 5 bytes")
def half_close_server(contestant):
    with contestant.start() as server, Listener() as upstream:
        with connect(server.proxy(upstream.address)) as client, upstream.accept() as far:
            far.sendall(b"hello")
            far.shutdown(socket.SHUT_WR)
            watch(client)
            send(client, b"world")
            with contextlib.suppress(OSError):
                client.shutdown(socket.SHUT_WR)
            got = watch(far)
            return Seen(f"the server gets {got.words}", got.words == "5 bytes, then FIN")


@group.case("reset-by-server", "The server resets the connection")
def reset_by_server(contestant):
    with contestant.start() as server, Listener() as upstream:
        with connect(server.proxy(upstream.address)) as client:
            far = upstream.accept()
            client.sendall(b"hello")
            watch(far, until=5)
            reset(far)
            end = watch(client).end
            return Seen(f"the client gets {end}", end == "RST")


@group.case("reset-by-client", "The client resets the connection")
def reset_by_client(contestant):
    with contestant.start() as server, Listener() as upstream:
        client = connect(server.proxy(upstream.address))
        with upstream.accept() as far:
            client.sendall(b"hello")
            watch(far, until=5)
            reset(client)
            end = watch(far).end
            return Seen(f"the server gets {end}", end == "RST")


@group.case("reset-peer-idle", "`reset_peer` with 300 ms is added to an open, idle connection")
def reset_peer_idle(contestant):
    with contestant.start() as server, Serving(echo) as upstream:
        with connect(server.proxy(upstream.address)) as client:
            exchange(client)
            server.toxic("reset_peer", {"timeout": 300})
            got = watch(client, 1.5)
            words = f"{got.end} after {got.seconds * 1000:.0f} ms" if got.end else got.words
            return Seen(words, got.end == "RST" and 0.25 < got.seconds)


@group.case("reset-peer-live", "`reset_peer` with 0 ms is added to an open connection, then the client sends a byte")
def reset_peer_live(contestant):
    with contestant.start() as server, Serving(echo) as upstream:
        with connect(server.proxy(upstream.address)) as client:
            exchange(client)
            server.toxic("reset_peer", {"timeout": 0})
            end = send(client, b"x") or watch(client, 1.5).end
            return Seen(f"{end}", end == "RST")


@group.case("reset-peer-inactive", "`reset_peer` with `toxicity` 0; the server answers 5 bytes and closes")
def reset_peer_inactive(contestant):
    with contestant.start() as server, Listener() as upstream:
        address = server.proxy(upstream.address)
        server.toxic("reset_peer", {"timeout": 0}, toxicity=0)
        with connect(address) as client, upstream.accept() as far:
            client.sendall(b"hello")
            watch(far, until=5)
            far.sendall(b"world")
            far.close()
            got = watch(client)
            return Seen(got.words, got.words == "5 bytes, then FIN")


@group.case("upstream-refused", "Nothing listens at the upstream; a client connects")
def upstream_refused(contestant):
    with contestant.start() as server:
        address = server.proxy(f"127.0.0.1:{free_ports(1)[0]}")
        try:
            with connect(address) as client:
                end = watch(client, 1).end
        except ConnectionError:
            end = "RST"  # before connect() was done
        return Seen(f"{end}", end == "RST")


@group.case("disable-live", "A proxy is disabled while a connection is open")
def disable_live(contestant):
    with contestant.start() as server, Serving(echo) as upstream:
        with connect(server.proxy(upstream.address)) as client:
            exchange(client)
            server.expect("POST", "/proxies/p", {"enabled": False})
            end = watch(client, 1).end
            return Seen(f"the client gets {end}", end == "RST")
