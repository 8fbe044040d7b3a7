"""scripts/bench: how long the control API's calls take while a thousand sessions are idle, stalled or busy."""

import contextlib
import http.client
import json
import os
import time
from collections import defaultdict
from dataclasses import dataclass

from .crowd import Crowd
from .daemon import Daemon
from .machine import go_first, network_trouble, progress, raise_descriptor_limit, say, waited_seconds
from .report import median, percentile, table, time_text, verdict

BAR_SECONDS = 0.050
TYPICAL_BAR_SECONDS = 0.010
PROXY = "bench"

# What the sessions do. Under "stalled" the upstream sends all that it can and no client reads; under "busy" they read.
# "starting" is the time in which the floods begin, all at once, and end up stalled.
LOADS = ("idle", "stalled", "starting", "busy")
STARTING_SECONDS = 3
ENDINGS = {
    "disable, with its sessions": ("POST", {"enabled": False}),
    "new upstream, with its sessions": ("PATCH", {"upstream": "127.0.0.1:9"}),
    "DELETE proxy, with its sessions": ("DELETE", None),
}


@dataclass(frozen=True)
class Plan:
    sessions: int = 1000
    event_streams: int = 60
    proxies: int = 1000
    # How often each call is made under each load; and those of which each needs new sessions, or many proxies.
    rounds: int = 30
    large_rounds: int = 3
    loads: tuple = LOADS


def run(binary, directory, plan):
    # A session is two descriptors here and two in the daemon, whose limit is the same; each proxy takes one.
    count = min(plan.sessions, (raise_descriptor_limit() - plan.proxies - 500) // 2)
    if count < plan.sessions:
        say(f"the limit on open files allows {count} of {plan.sessions} sessions")
    go_first(os.getpid())
    notes = Notes()
    before = network_trouble()
    for load in plan.loads:
        with _filled(binary, directory, plan, count, load, notes) as bench:
            bench.measure()
        for ending in ENDINGS if load != "starting" else ():
            for _ in range(plan.large_rounds):
                with _filled(binary, directory, plan, count, load, notes) as bench:
                    bench.end(ending)
    progress("")
    trouble = {name: value - before[name] for name, value in network_trouble().items()}
    return _result(notes, trouble, count), _text(notes, trouble, plan, count)


class Notes:
    """What was measured."""

    def __init__(self):
        # By call, then by load.
        self.seconds = defaultdict(lambda: defaultdict(list))
        # Calls that do a thousand things: their median has no bar of its own.
        self.large = set()
        # How much later than asked this program itself was woken, and how long the daemon waited for a processor in a call.
        self.waits, self.daemon_waits = [], []
        # Connections of either end that lived on when the call that ends them had answered.
        self.living = defaultdict(list)


@contextlib.contextmanager
def _filled(binary, directory, plan, count, load, notes):
    """A daemon whose sessions do what the load says, with event streams of which every second one isn't read."""
    with Crowd() as crowd:
        arguments = ["--log-level", "warning"]
        with Daemon(binary, directory, {PROXY: ("127.0.0.1:0", f"127.0.0.1:{crowd.port}")}, arguments) as daemon:
            go_first(daemon.pid)
            daemon.set_toxic(PROXY, "latency", {"latency": 100})
            bench = Bench(load, daemon, crowd, plan, notes)
            crowd.tell("listen", bench.control[1], plan.event_streams)
            crowd.tell("open", daemon.address(PROXY)[1], count)
            if load == "busy":
                crowd.tell("read")
            if load in ("stalled", "busy"):
                crowd.tell("flood")
            if load == "stalled":
                crowd.tell("settle")
            yield bench


class Bench:
    def __init__(self, load, daemon, crowd, plan, notes):
        self.load, self.daemon, self.crowd, self.plan, self.notes = load, daemon, crowd, plan, notes
        host, _, port = daemon.control.rpartition(":")
        self.control = host.strip("[]"), int(port)

    def measure(self):
        if self.load == "starting":
            self.crowd.tell("flood")
            end = time.monotonic() + STARTING_SECONDS
            while time.monotonic() < end:
                self.small_calls()
            return
        for turn in range(self.plan.rounds):
            progress(f"calls: {self.load}, round {turn + 1} of {self.plan.rounds}")
            self.small_calls()
        for _ in range(self.plan.large_rounds):
            self.large_calls()

    def end(self, ending):
        progress(f"calls: {self.load}, {ending}")
        method, body = ENDINGS[ending]
        self.large_call(ending, method, f"/proxies/{PROXY}", body)
        self.notes.living[f"{ending}, {self.load}"].append(self.crowd.tell("living"))
        for _ in range(20):
            self.call("GET /version just after that", "GET", "/version")

    def call(self, name, method, path, body=None):
        """Makes a call on a connection of its own, as curl does, and notes how long it took."""
        self._wait()
        text = json.dumps(body) if isinstance(body, dict) else body
        waited = waited_seconds(self.daemon.pid)
        begin = time.perf_counter()
        connection = http.client.HTTPConnection(*self.control, timeout=30)
        with contextlib.closing(connection):
            connection.request(method, path, text)
            answer = connection.getresponse()
            content = answer.read()
        self.notes.seconds[name][self.load].append(time.perf_counter() - begin)
        self.notes.daemon_waits.append(waited_seconds(self.daemon.pid) - waited)
        if answer.status >= 300:
            raise RuntimeError(f"{method} {path}: {answer.status} {content.decode(errors='replace')}")

    def large_call(self, name, *words):
        self.notes.large.add(name)
        self.call(name, *words)

    def _wait(self):
        """A pause; what it is longer than asked is what this machine keeps a program waiting that does nothing."""
        begin = time.perf_counter()
        time.sleep(0.001)
        self.notes.waits.append(time.perf_counter() - begin - 0.001)

    def small_calls(self):
        for path in ("/version", "/proxies", "/sessions", "/events", "/profile"):
            self.call(f"GET {path}", "GET", path)
        for profile in ("3g", "lte"):
            self.call("PUT /profile", "PUT", f"/profile/{profile}")
        self.call("DELETE /profile", "DELETE", "/profile")
        toxics = f"/proxies/{PROXY}/toxics"
        self.call("POST toxic", "POST", toxics, {"name": "t", "type": "latency", "attributes": {"latency": 10}})
        self.call("PATCH toxic", "PATCH", f"{toxics}/t", {"attributes": {"latency": 20}})
        self.call("DELETE toxic", "DELETE", f"{toxics}/t")
        other = {"name": "other", "listen": "127.0.0.1:0", "upstream": "127.0.0.1:9"}
        self.call("POST proxy", "POST", "/proxies", other)
        self.call("disable", "POST", "/proxies/other", {"enabled": False})
        self.call("enable", "POST", "/proxies/other", {"enabled": True})
        self.call("DELETE proxy", "DELETE", "/proxies/other")

    def large_calls(self):
        noops = [{"type": "noop"}, {"type": "noop", "stream": "upstream"}]
        entries = json.dumps([{"name": f"n{number}", "listen": "127.0.0.1:0", "upstream": "127.0.0.1:9", "toxics": noops}
                              for number in range(self.plan.proxies)])
        changed = entries.replace("127.0.0.1:9", "127.0.0.1:10")
        name = f"POST /populate of {self.plan.proxies:,}"
        for kind, body in (("new", entries), ("same", entries), ("changed", changed)):
            self.large_call(f"{name}, {kind}", "POST", "/populate", body)
        self.large_call(f"GET /proxies, {self.plan.proxies:,} more", "GET", "/proxies")
        self.large_call(f"POST /reset, {2 * self.plan.proxies:,} toxics", "POST", "/reset")
        self.daemon.set_toxic(PROXY, "latency", {"latency": 100})
        for number in range(self.plan.proxies):
            self.daemon.call("DELETE", f"/proxies/n{number}")


def _result(notes, trouble, count):
    return {"unit": "seconds", "sessions": count, "bar": BAR_SECONDS, "typical_bar": TYPICAL_BAR_SECONDS,
            "samples": notes.seconds, "own_waits": notes.waits, "daemon_waits": notes.daemon_waits,
            "living_after_answer": notes.living,
            "network_trouble": trouble}


def _text(notes, trouble, plan, count):
    rows, held, typical = [], True, True
    for name, by_load in notes.seconds.items():
        for load, seconds in by_load.items():
            held = held and max(seconds) <= BAR_SECONDS
            typical = typical and (name in notes.large or median(seconds) <= TYPICAL_BAR_SECONDS)
            shown = (median(seconds), percentile(seconds, 0.99), max(seconds))
            rows.append([name, load, len(seconds), *map(time_text, shown),
                         verdict(max(seconds) <= BAR_SECONDS)])
    lines = [
        f"Calls on connections of their own, from connect to the whole answer, with {count:,} sessions and "
        f"{plan.event_streams} event streams of which every second one is not read",
        "",
        table(["call", "sessions are", "calls", "median", "p99", "max", "bar"], rows),
        "",
    ]
    for name, counts in notes.living.items():
        worst = [max(each) for each in zip(*counts)]
        lines.append(f"{name}: of {count:,} sessions at most {worst[0]} clients and {worst[1]} upstreams were still "
                     "connected when the answer was read")
    network = ", ".join(f"{value} {name}" for name, value in trouble.items())
    lines += [
        "",
        f"The machine's share: this client was woken late by {_spread(notes.waits)}, the daemon waited for a processor for "
        f"{_spread(notes.daemon_waits)} a call; {network}.",
        f"Calls (bar: each at most {time_text(BAR_SECONDS)}): {verdict(held)}; medians of those that concern one thing (bar: "
        f"{time_text(TYPICAL_BAR_SECONDS)}): {verdict(typical)}",
    ]
    return "\n".join(lines)


def _spread(seconds):
    shown = ((0.5, "median"), (0.99, "p99"), (1, "max"))
    return ", ".join(f"{time_text(percentile(seconds, share))} ({label})" for share, label in shown)
