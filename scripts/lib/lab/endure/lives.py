"""How a daemon ends and comes again: kill -9, SIGHUP over and over, SIGTERM under load."""

import contextlib
import json
import signal
import socket
import time

from ..peers import Serving, connect
from ..words import words
from .herd import Count, Herd
from .trial import Outcome

CLIENTS = 200
SPEECH_BYTES = 20_000
# What `--drain-timeout` is by itself.
DRAIN_SECONDS = 5


def killed(trial):
    """kill -9 with live clients, and at once a new one on the same ports."""
    outcome = Outcome("kill -9 and restart")
    times = trial.choose(3, 10)
    ready_file = trial.directory / "ready.json"
    known, starts, said, gone, pids = [], [], Count(), 0, []
    with Herd(4_096) as herd:
        control, listen = "127.0.0.1:0", "127.0.0.1:0"
        for _ in range(times):
            with trial.service({"web": (listen, f"127.0.0.1:{herd.port}")}, "--ready-file", ready_file,
                               control=control) as daemon:
                starts.append(daemon.start_seconds)
                control, listen = daemon.control, daemon.ready["proxies"]["web"]
                pids.append(json.loads(ready_file.read_text())["pid"] == daemon.pid)
                herd.connect(daemon.address("web"), CLIENTS)
                said = said + herd.exchange(1_000, 20 * trial.slowness)
                begin = time.monotonic()
                daemon.signal(signal.SIGKILL)
                gone += herd.exchange(1_000, 10).gone
                known.append(time.monotonic() - begin)
                herd.close()
                daemon.note_reports(outcome)
    outcome.done = (f"{times} times: {CLIENTS} clients spoke, the daemon was killed, and a new one started at once on the same "
                    "control port and proxy port")
    outcome.held = f"the ports, from one process to the next, {times - 1} times"
    outcome.survived = f"{said.right:,} exchanges of {times * CLIENTS:,} clients that came again"
    outcome.equal("clients that saw their connection end", gone, times * CLIENTS)
    outcome.time_at_most("until all of them knew", max(known), 2 * trial.slowness)
    outcome.time_at_most("longest start on the same ports", max(starts[1:]), 1 * trial.slowness)
    outcome.equal("ready files that named the new process", sum(pids), times)
    outcome.lost = {"exchanges before the kill": times * CLIENTS - said.right}
    return outcome


def reloaded(trial):
    """SIGHUP over and over while the file changes, some of the time into nonsense."""
    outcome = Outcome("SIGHUP storm")
    times = trial.choose(200, 1_000)
    config = trial.directory / "storm.json5"
    with Herd(4_096) as herd:
        upstream = f"127.0.0.1:{herd.port}"
        _write(config, upstream, 0)
        with trial.service({}, "--config", config) as daemon:
            before = daemon.settled()
            herd.connect(daemon.address("web"), 100)
            said, wanted = Count(), 0
            for number in range(times):
                if number % 10 == 0:
                    _write(config, upstream, number)
                    said, wanted = said + herd.exchange(200, 20 * trial.slowness), wanted + 100
                daemon.signal(signal.SIGHUP)
                daemon.timed("GET", "/proxies/web") if number % 20 == 0 else time.sleep(0.002)
            _write(config, upstream, 10)  # a good one
            daemon.signal(signal.SIGHUP)
            is_last = daemon.wait(lambda: _latency(daemon) == 11, 5)
            events = [event["type"] for event in daemon.call("GET", "/events")["events"]]
            herd.close()
            # A reload reads and checks eighty profiles before anything else gets its turn.
            daemon.note_calls(outcome)
            daemon.call("PATCH", "/proxies/web", {"enabled": True})
            daemon.note_return(outcome, before)
            daemon.end(outcome)
    done, refused = events.count("reloaded"), events.count("reload_refused")
    outcome.done = (f"{times:,} SIGHUPs, a few milliseconds apart, while the file's toxic changed {times // 10} times, every third "
                    "time to something that can't be read; 100 clients spoke on")
    outcome.held = f"100 sessions through {done} reloads and {refused} refusals (signals that come together are one)"
    outcome.survived = f"{said.right:,} exchanges"
    outcome.is_so("the last good file is in force", is_last)
    outcome.at_least("reloads", done, times // 20)
    outcome.at_least("refusals of a broken file", refused, times // 60)
    outcome.lost = {"exchanges": wanted - said.right}
    return outcome


def _write(config, upstream, number):
    toxic = {"type": "latency", "stream": "upstream", "attributes": {"latency": 1 + number % 30}}
    text = json.dumps({"proxies": [{"name": "web", "listen": "127.0.0.1:0", "upstream": upstream, "toxics": [toxic]}]})
    config.write_text(text[:-1] if number // 10 % 3 == 2 else text)


def _latency(daemon):
    [toxic] = daemon.call("GET", "/proxies/web/toxics")
    return toxic["attributes"]["latency"]


def stopped(trial):
    """SIGTERM while everything that was said is still under way."""
    outcome = Outcome("SIGTERM under load")
    times = trial.choose(2, 5)
    came, read, held, free, seconds = 0, 0, 0, 0, []
    for _ in range(times):
        got = []
        with Serving(lambda connection: _collect(connection, got)) as server, trial.service(
                {"web": ("127.0.0.1:0", server.address)}) as daemon:
            daemon.call("POST", "/proxies/web/toxics",
                        {"type": "latency", "stream": "upstream", "attributes": {"latency": 2000}})
            clients = [connect(daemon.address("web")) for _ in range(CLIENTS)]
            for client in clients:
                client.sendall(words(0, SPEECH_BYTES))
            total = CLIENTS * SPEECH_BYTES
            daemon.wait(lambda: _read_bytes(daemon) == total, 5)
            read += _read_bytes(daemon)
            held = max(held, sum(one["buffered_bytes"] for one in daemon.sessions()))
            begin = time.monotonic()
            daemon.end(outcome)
            seconds.append(time.monotonic() - begin)
            daemon.wait(lambda: sum(map(sum, got)) == total, 3)
            came += sum(map(sum, got))
            for client in clients:
                client.close()
            free += _is_free(daemon.address("web"))
    outcome.done = (f"{times} times {CLIENTS} clients said {SPEECH_BYTES // 1000} kB each into 2 s of latency, and SIGTERM came "
                    "while all of it was held")
    outcome.held = f"{held / 1e6:.1f} MB when the signal came, delivered before the end"
    outcome.survived = f"{times} orderly ends, within {max(seconds):.1f} s"
    outcome.equal("ports free at once", free, times)
    outcome.time_at_most("longest end", max(seconds), DRAIN_SECONDS + trial.slowness)
    outcome.lost = {"bytes that had been read": read - came}
    return outcome


def _read_bytes(daemon):
    """What the daemon has read so far: what it has passed on, and what it holds."""
    return sum(one["upstream_bytes"] + one["buffered_bytes"] for one in daemon.sessions())


def _collect(connection, got):
    """Counts the right bytes of one connection, which come to `got` piece by piece."""
    pieces = []
    got.append(pieces)
    with contextlib.suppress(ConnectionError):
        while piece := connection.recv(65_536):
            if piece != words(sum(pieces), len(piece)):
                break
            pieces.append(len(piece))


def _is_free(address):
    with contextlib.suppress(OSError), socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(address)
        return True
    return False
