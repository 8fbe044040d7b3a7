"""POST /populate, and toxics that come with a proxy."""

import json

from ..machine import free_ports
from ..peers import Listener, Serving, connect, echo, exchange, is_alive
from ..rivals import address
from .case import Group, Seen

group = Group("populating", "Populate, and toxics that come with a proxy")


def twice(contestant, listen):
    """Populates twice with the same body; what became of port, connection and toxics."""
    with contestant.start() as server, Serving(echo) as upstream:
        body = [{"name": "p", "listen": listen, "upstream": upstream.address}]
        [first] = server.expect("POST", "/populate", body)["proxies"]
        server.toxic("latency", {"latency": 1})
        with connect(address(first)) as client:
            exchange(client)
            [second] = server.expect("POST", "/populate", body)["proxies"]
            alive = is_alive(client)
        port = "same port" if first["listen"] == second["listen"] else "another port"
        words = f"{port}, connection {'goes on' if alive else 'closed'}, toxics left: {len(second['toxics'])}"
        return Seen(words, words == "same port, connection goes on, toxics left: 1")


@group.case("populate-any-interface", "The same body twice, with a `listen` of `:PORT`")
def populate_any_interface(contestant):
    return twice(contestant, f":{free_ports(1)[0]}")


@group.case("populate-0.0.0.0", "The same with `0.0.0.0:PORT`, as in containers")
def populate_zeros(contestant):
    return twice(contestant, f"0.0.0.0:{free_ports(1)[0]}")


@group.case("populate-port-0", "The same with `127.0.0.1:0`")
def populate_port_zero(contestant):
    return twice(contestant, "127.0.0.1:0")


@group.case("populate-enabled", 'A proxy that runs is populated with `"enabled": false`')
def populate_enabled(contestant):
    with contestant.start() as server, Listener() as upstream:
        entry = {"name": "p", "listen": "127.0.0.1:0", "upstream": upstream.address}
        [made] = server.expect("POST", "/populate", [entry])["proxies"]
        server.expect("POST", "/populate", [{**entry, "listen": made["listen"], "enabled": False}])
        enabled = server.expect("GET", "/proxies/p")["enabled"]
        return Seen("enabled" if enabled else "disabled", not enabled)


@group.case("populate-half-way", "Two entries, the second with a port that is taken")
def populate_half_way(contestant):
    with contestant.start() as server, Listener() as taken:
        answer = server.call("POST", "/populate", [
            {"name": "a", "listen": "127.0.0.1:0", "upstream": "127.0.0.1:1"},
            {"name": "b", "listen": taken.address, "upstream": "127.0.0.1:1"}])
        names = ", ".join(server.expect("GET", "/proxies")) or "none"
        return Seen(f"{answer.status}; proxies there: {names}", answer.status == 500 and names == "none")


@group.case("populate-replace", "A proxy that runs is populated with a port that is taken")
def populate_replace(contestant):
    with contestant.start() as server, Serving(echo) as upstream, Listener() as taken:
        entry = {"name": "p", "listen": "127.0.0.1:0", "upstream": upstream.address}
        [first] = server.expect("POST", "/populate", [entry])["proxies"]
        with connect(address(first)) as client:
            exchange(client)
            answer = server.call("POST", "/populate", [{**entry, "listen": taken.address}])
            enabled, alive = server.expect("GET", "/proxies/p")["enabled"], is_alive(client)
        words = f"{'enabled' if enabled else 'disabled'}, connection {'goes on' if alive else 'closed'}"
        return Seen(f"{answer.status}; {words}", answer.status == 500 and enabled and alive)


@group.case("populate-empty", "An empty list")
def populate_empty(contestant):
    with contestant.start() as server:
        body = server.call("POST", "/populate", []).body.decode()
        return Seen(f"`{body}`", json.loads(body) == {"proxies": []})


@group.case("toxics-at-create", "A proxy is created with a `latency` of 300 in its `toxics`; an echo through it")
def toxics_at_create(contestant):
    with contestant.start() as server, Serving(echo) as upstream:
        toxics = [{"type": "latency", "attributes": {"latency": 300}}]
        with connect(server.proxy(upstream.address, toxics=toxics)) as client:
            return late(exchange(client).seconds)


def late(seconds):
    return Seen(f"comes back after {seconds * 1000:.0f} ms", seconds > 0.29)


@group.case("toxics-in-config", "The same proxy from the file of `-config`")
def toxics_in_config(contestant):
    with Serving(echo) as upstream:
        config = contestant.directory / f"{contestant.name}-toxics.json"
        config.write_text(json.dumps([{
            "name": "p", "listen": "127.0.0.1:0", "upstream": upstream.address,
            "toxics": [{"type": "latency", "attributes": {"latency": 300}}]}]))
        with contestant.start("-config", config) as server:
            with connect(address(server.expect("GET", "/proxies/p"))) as client:
                return late(exchange(client).seconds)
