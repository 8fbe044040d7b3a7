"""Who takes part: headwind, no proxy, and the proxies that it is compared with, each in front of one upstream."""

import contextlib
import itertools
import pathlib
import re
import shutil
from dataclasses import dataclass, field

from .. import machine, rivals, upstreams
from ..daemon import Daemon
from ..process import Child
from . import envoy, processors
from .pace import Pace

NO_PROXY, HEADWIND = "no proxy", "headwind"
HAPROXY, NGINX, ENVOY, TOXIPROXY = "haproxy", "nginx stream", "envoy", "toxiproxy"
# In front of the same with one thread, as each is when nobody says how many: as many threads as there are cores.
DEFAULT = "{}, its default threads"
QUIET = ["--log-level", "warning"]
SILENT_TOXIPROXY = {"LOG_LEVEL": "error"}.items()


@dataclass(frozen=True)
class Setup:
    """What all items need."""

    binary: pathlib.Path
    directory: pathlib.Path
    pace: Pace
    netprobe: pathlib.Path | None
    netanswer: pathlib.Path | None
    envoy: str | None
    with_defaults: bool  # also rivals with their default number of threads
    layout: processors.Layout = field(default_factory=processors.apart)
    counter: itertools.count = field(default_factory=itertools.count)

    def place(self):
        """A new directory: two contestants may have files of the same name."""
        place = self.directory / str(next(self.counter))
        place.mkdir()
        return place


@dataclass(frozen=True)
class Contestant:
    name: str
    port: int
    pid: int | None = None


def is_fair(name):
    """One thread moves its bytes, as headwind's; toxiproxy, whose name it stands in for, counts as it comes."""
    return not name.endswith(DEFAULT.format(""))


def starters(setup):
    """By name, what starts each that can be had here: a function of the upstream's port, a context manager."""
    found = {HEADWIND: _headwind}
    if shutil.which("haproxy"):
        found[HAPROXY] = _peer(lambda place, upstream: upstreams.haproxy(place, upstream, threads=1))
    if upstreams.has_nginx_stream():
        found[NGINX] = _peer(upstreams.nginx_stream)
    if setup.envoy:
        found[ENVOY] = _peer(lambda place, upstream: envoy.start(setup.envoy, place, upstream, threads=1))
    if rivals.toxiproxy(setup.directory):
        found[TOXIPROXY] = _toxiproxy
    if setup.with_defaults and HAPROXY in found:
        found[DEFAULT.format(HAPROXY)] = _peer(upstreams.haproxy)
    if setup.with_defaults and setup.envoy:
        found[DEFAULT.format(ENVOY)] = _peer(lambda place, upstream: envoy.start(setup.envoy, place, upstream))
    return {name: _named(name, start, setup) for name, start in found.items()}


def absent(setup):
    """Names of those that are not here."""
    there = starters(setup)
    return [name for name in (HAPROXY, NGINX, ENVOY, TOXIPROXY) if name not in there]


def line_up(stack, setup, upstream, layout=processors.FREE):
    """All of them running, no proxy first. Where a proxy has one core, those that want more threads are left out."""
    found = [Contestant(NO_PROXY, upstream)]
    for name, start in starters(setup).items():
        if layout.proxy is None or is_fair(name):
            found.append(stack.enter_context(start(upstream)))
            processors.pin(found[-1].pid, layout.proxy)
    return found


def _named(name, start, setup):
    @contextlib.contextmanager
    def started(upstream):
        with start(setup, upstream) as (port, pid):
            yield Contestant(name, port, pid)
    return started


@contextlib.contextmanager
def _headwind(setup, upstream):
    proxies = {"bench": ("127.0.0.1:0", f"127.0.0.1:{upstream}")}
    with Daemon(setup.binary, setup.place(), proxies, QUIET) as daemon:
        yield daemon.address("bench")[1], daemon.pid


def _peer(start):
    @contextlib.contextmanager
    def started(setup, upstream):
        with start(setup.place(), upstream) as peer:
            yield peer.port, peer.pid
    return started


@contextlib.contextmanager
def _toxiproxy(setup, upstream):
    with rivals.toxiproxy(setup.place()).start(environment=SILENT_TOXIPROXY) as server:
        yield server.proxy(f"127.0.0.1:{upstream}")[1], server.pid


# Those that have toxics.


@dataclass(frozen=True)
class Conditioner:
    """headwind or toxiproxy with one proxy, whose toxics can be set."""

    name: str
    port: int
    pid: int
    call: object  # (method, path, body)

    def set_toxic(self, kind, attributes=None):
        """Replaces the proxy's toxic; None leaves none."""
        for toxic in self.call("GET", "/proxies/bench/toxics"):
            self.call("DELETE", f"/proxies/bench/toxics/{toxic['name']}")
        if kind:
            self.call("POST", "/proxies/bench/toxics", {"type": kind, "attributes": attributes})


def conditioners(stack, setup, upstream, layout=processors.FREE):
    proxies = {"bench": ("127.0.0.1:0", f"127.0.0.1:{upstream}")}
    daemon = stack.enter_context(Daemon(setup.binary, setup.place(), proxies, QUIET))
    found = [Conditioner(HEADWIND, daemon.address("bench")[1], daemon.pid, daemon.call)]
    if other := rivals.toxiproxy(setup.place()):
        server = stack.enter_context(other.start(environment=SILENT_TOXIPROXY))
        port = server.proxy(f"127.0.0.1:{upstream}", "bench")[1]
        found.append(Conditioner(TOXIPROXY, port, server.pid, server.expect))
    for one in found:
        processors.pin(one.pid, layout.proxy)
    return found


def versions(setup):
    """By name, the numbers by which tools and contestants call themselves."""
    tools = {HEADWIND: (setup.binary, "--version"), "iperf3": ("iperf3", "--version"), "wrk": ("wrk", "-v")}
    if shutil.which("haproxy"):
        tools[HAPROXY] = "haproxy", "-v"
    if upstreams.has_nginx_stream():
        tools["nginx"] = "nginx", "-v"
    if setup.envoy:
        tools[ENVOY] = setup.envoy, "--version"
    said = {name: machine.first_line(*command) for name, command in tools.items()}
    if other := rivals.toxiproxy(setup.directory):
        said[TOXIPROXY] = other.version
    return {name: _number(text) for name, text in said.items()}


def _number(text):
    # Envoy says its own path before that word.
    found = re.search(r"\d+\.\d[\w.+~-]*", text.rpartition("version")[2])
    return found[0] if found else text


def serve(stack, setup, command, port, log):
    """An upstream, on the cores of the load."""
    child = Child(command, setup.place() / log)
    stack.enter_context(child).wait_for_port(port)
    return child
