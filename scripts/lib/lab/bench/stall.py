"""How long bytes of one connection wait while the daemon does something with ten thousand others."""

import contextlib
import resource
import signal
import subprocess
import time
from dataclasses import dataclass

from .. import machine
from ..crowd import Crowd
from ..daemon import Daemon
from ..process import Child
from ..report import table, time_text
from . import field, processors, rounds

# Opened at once: the crowd answers within a minute.
PORTION = 1000
# What a call has begun may go on behind its answer for that long.
AFTER_SECONDS = 0.05
PAUSE_SECONDS = 0.3
QUIET = "nothing"
CALLS = {
    "PUT /profile/3g": ("PUT", "/profile/3g"),
    "PUT /profile/lte": ("PUT", "/profile/lte"),
    "DELETE /profile": ("DELETE", "/profile"),
    "GET /sessions": ("GET", "/sessions"),
}


@dataclass(frozen=True)
class Plan:
    rounds: int
    sessions: int = 10_000
    interval_us: int = 1000

    def expected_seconds(self, _contestants):
        return 6 + self.sessions * 0.001 + self.rounds * (len(CALLS) + 1) * (PAUSE_SECONDS + 0.15)


def measure(setup, plan):
    if not setup.netprobe:
        raise RuntimeError("netprobe is missing")
    count = min(plan.sessions, (_raise_hard_limit(2 * plan.sessions + 500) - 500) // 2)
    if count < plan.sessions:
        machine.say(f"the limit on open files allows {count:,} of {plan.sessions:,} sessions")
    with contextlib.ExitStack() as stack:
        crowd = stack.enter_context(Crowd())
        [upstream] = machine.free_ports(1)
        daemon = stack.enter_context(_daemon(setup, crowd.port, upstream))
        processors.pin(daemon.pid, setup.layout.proxy)
        processors.pin(crowd.process.pid, setup.layout.load)
        for begin in range(0, count, PORTION):
            setup.pace.step(f"{begin:,} of {count:,} sessions are open", 0)
            crowd.tell("open", daemon.address("crowd")[1], min(PORTION, count - begin))
        moments = _probed(setup, plan, daemon, upstream)
    return {"unit": "seconds", "sessions": count, "wanted": plan.sessions, "rounds": plan.rounds, "interval_us": plan.interval_us,
            "cells": moments, "is_apart": setup.layout.load is not None}


def _raise_hard_limit(wanted):
    """Root may have more open files than the limit says."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < wanted:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, wanted))
    return machine.raise_descriptor_limit()


def _daemon(setup, crowd_port, probe_port):
    proxies = {"crowd": ("127.0.0.1:0", f"127.0.0.1:{crowd_port}"), "probe": ("127.0.0.1:0", f"127.0.0.1:{probe_port}")}
    daemon = Daemon(setup.binary, setup.place(), proxies, field.QUIET)
    # The probe's proxy stays as it is whatever profile the others are put under.
    daemon.call("PUT", "/proxies/probe/profile/none")
    return daemon


def _probed(setup, plan, daemon, upstream):
    place = setup.place()
    with open(place / "round-trips", "wb") as trips:
        command = [setup.netprobe, "pingpong", upstream, daemon.address("probe")[1], 10**9, plan.interval_us]
        with Child(command, place / "netprobe.log", stdout=trips) as probe:
            processors.pin(probe.pid, setup.layout.load)
            machine.go_first(probe.pid)
            cells = [rounds.Cell(name, field.HEADWIND, _moment(daemon, call))
                     for name, call in {QUIET: None, **CALLS}.items()]
            found = rounds.play(cells, plan.rounds, setup.pace)
            if probe.process.poll() is not None:
                probe.fail("ended before its time")
            probe.process.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                probe.process.wait(2)
    lines = (place / "round-trips").read_text().splitlines()[:-1]  # the last one may be cut
    return _with_gaps(found, [tuple(map(int, line.split())) for line in lines])


def _moment(daemon, call):
    def one():
        time.sleep(PAUSE_SECONDS)
        begin = time.monotonic()
        if call:
            daemon.call(*call)
        else:
            time.sleep(0.1)
        end = time.monotonic()
        time.sleep(AFTER_SECONDS)
        return {"value": end - begin, "begin": begin, "end": end + AFTER_SECONDS}
    return one


def _with_gaps(cells, trips):
    """The longest round trip that was under way at any time of each call."""
    for sample in (sample for cell in cells for sample in cell["samples"]):
        begin, end = sample.pop("begin") * 1e9, sample.pop("end") * 1e9
        inside = [took for sent, took in trips if sent <= end and sent + took >= begin]
        sample["gap"] = max(inside, default=0) / 1e9
    return cells


def text(data):
    rows = []
    for cell in data["cells"]:
        took = rounds.spread_text(cell["samples"], time_text) if cell["what"] != QUIET else "–"
        rows.append([cell["what"], took, rounds.spread_text(cell["samples"], time_text, "gap")])
    few = " (the limit on open files allows no more)" if data["sessions"] < data["wanted"] else ""
    where = ("Daemon on one core, probe and sessions on the other one" if data["is_apart"]
             else "No process is bound to a core")
    return "\n".join([
        f"{data['sessions']:,} idle sessions of one proxy{few}; beside it a connection through another proxy of the same "
        f"daemon, on which a byte goes there and one back every {data['interval_us'] / 1000:g} ms: the longest round "
        f"trip while a call is served or {AFTER_SECONDS * 1000:g} ms behind it, {data['rounds']} times each in turns: "
        "median (lowest – highest). The calls are of a Python client, which reads their answer (`GET /sessions`: all "
        f"sessions). {where}.",
        "",
        table(["meanwhile", "the call takes", "longest round trip"], rows),
    ])
