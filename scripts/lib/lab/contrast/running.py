"""Start, seed, metrics and signals of the server process."""

import contextlib
import json
import signal
import time

from ..machine import free_ports
from ..peers import Listener, Serving, connect, echo, exchange, is_alive, watch
from ..rivals import address
from .case import Group, Seen
from .changing import slow_ones

group = Group("running", "The server process")


def start_fails(contestant, *flags, port=None):
    """Starts the server where something is wrong: how and when it ended, and what it said."""
    begin = time.monotonic()
    child, port = contestant.launch(*flags, port=port)
    with child:
        while time.monotonic() - begin < 1 and child.process.poll() is None:
            time.sleep(0.005)
        took, status = time.monotonic() - begin, child.process.returncode
    if status is None:
        return Seen("goes on running", False)
    said = child.log.read_text(errors="replace").strip().splitlines()
    return Seen(f"exits with status {status} after {took * 1000:.0f} ms: “{said[-1] if said else ''}”",
                status != 0 and len(said) == 1)


@group.case("port-taken", "The port of the API is taken")
def port_taken(contestant):
    with Listener() as taken:
        return without(str(taken.port), "PORT", start_fails(contestant, port=taken.port))


def without(text, name, seen):
    return Seen(seen.words.replace(str(text), name), seen.is_right)


@group.case("config-missing", "The file of `-config` is missing")
def config_missing(contestant):
    path = contestant.directory / "absent.json"
    return without(path, "absent.json", start_fails(contestant, "-config", path))


@group.case("config-broken", "The file of `-config` has a comma too few")
def config_broken(contestant):
    path = contestant.directory / "broken.json"
    path.write_text('[{"name": "p" "upstream": "127.0.0.1:1"}]')
    return without(path, "broken.json", start_fails(contestant, "-config", path))


@group.case("config-port", "The second of two proxies in the file of `-config` has a port that is taken")
def config_port(contestant):
    with Listener() as taken:
        path = contestant.directory / "taken.json"
        path.write_text(json.dumps([
            {"name": "a", "listen": "127.0.0.1:0", "upstream": "127.0.0.1:1"},
            {"name": "b", "listen": taken.address, "upstream": "127.0.0.1:1"}]))
        return without(taken.port, "PORT", start_fails(contestant, "-config", path))


@group.case("hangup", "SIGHUP")
def hangup(contestant):
    with Serving(echo) as upstream:
        config = contestant.directory / f"{contestant.name}-hangup.json"
        entry = {"name": "p", "listen": "127.0.0.1:0", "upstream": upstream.address}
        config.write_text(json.dumps([entry]))
        with contestant.start("-config", config) as server:
            with connect(address(server.expect("GET", "/proxies/p"))) as client:
                exchange(client)
                config.write_text(json.dumps([entry, {**entry, "name": "q"}]))
                server.child.process.send_signal(signal.SIGHUP)
                if fate := server.death(0.5):
                    return Seen(f"the process {fate}", False)
                is_read, alive = "q" in server.expect("GET", "/proxies"), is_alive(client)
        words = f"config {'read again' if is_read else 'not read'}, connections {'go on' if alive else 'are closed'}"
        return Seen(words, is_read and alive)


def decisions(contestant, seed):
    with contestant.start("-seed", seed) as server, Serving(echo) as upstream, contextlib.ExitStack() as stack:
        where = server.proxy(upstream.address)
        server.toxic("latency", {"latency": 300}, toxicity=0.5)
        clients = []
        for _ in range(40):
            clients.append(stack.enter_context(connect(where)))
            time.sleep(0.01)  # one after the other: the decisions are to be those of the first, the second …
        return slow_ones(clients)


@group.case("seed", "`-seed 1`, again, then `-seed 2`: on which of 40 connections `toxicity` 0.5 lets a toxic act")
def seed(contestant):
    first, again, other = (decisions(contestant, number) for number in ("1", "1", "2"))
    same, changed = (sum(one == two for one, two in zip(first, run)) for run in (again, other))
    return Seen(f"alike for {same}, then for {changed}", same == len(first) and changed < 36)


@group.case("metrics-live", "`/metrics` with `-proxy-metrics`, in the middle of a connection that sent 1,000 bytes")
def metrics_live(contestant):
    with contestant.start("-proxy-metrics") as server, Serving(echo) as upstream:
        with connect(server.proxy(upstream.address)) as client:
            exchange(client, bytes(1000))
            text = server.call("GET", "/metrics").body.decode()
            lines = [line for line in text.splitlines() if line.startswith("toxiproxy_proxy_received_bytes_total")
                     and 'direction="upstream"' in line]
            count = float(lines[0].split()[-1]) if lines else None
            return Seen(f"{count:,.0f} bytes counted" if lines else "no bytes counted", count == 1000)


@group.case("metrics-flag", "`/metrics` without a flag")
def metrics_flag(contestant):
    with contestant.start() as server:
        status = server.call("GET", "/metrics").status
        return Seen(f"{status}", status == 200)


@group.case("chosen-port", "What the server prints of the port that a proxy with port 0 in the file of `-config` got")
def chosen_port(contestant):
    path = contestant.directory / f"{contestant.name}-port.json"
    path.write_text(json.dumps([{"name": "p", "listen": "127.0.0.1:0", "upstream": "127.0.0.1:1"}]))
    with contestant.start("-config", path) as server:
        host, port = address(server.expect("GET", "/proxies/p"))
        time.sleep(0.1)
        is_told = f"{host}:{port}" in server.child.log.read_text()
        return Seen("the port" if is_told else "nothing", is_told)


@group.case("log-level-empty", "Log lines about an upstream that refuses, with an empty `LOG_LEVEL`")
def log_level_empty(contestant):
    with contestant.start(environment={"LOG_LEVEL": ""}) as server:
        where = server.proxy(f"127.0.0.1:{free_ports(1)[0]}")
        with contextlib.suppress(ConnectionError), connect(where) as client:
            watch(client, 1)
        time.sleep(0.1)
        lines = [line for line in server.child.log.read_text().splitlines() if '"level"' in line]
        return Seen(f"lines: {len(lines)}", bool(lines))
