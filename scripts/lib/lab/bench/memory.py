"""Resident memory of a session, idle or busy."""

import socket
import time
from dataclasses import dataclass

from .. import footprint, machine
from ..crowd import Crowd
from ..daemon import Daemon
from . import field, rounds

PROFILES = ("none", "3g")
IDLE, BUSY = "idle", "busy"
SAMPLE_SECONDS = 0.1


@dataclass(frozen=True)
class Plan:
    rounds: int
    sessions: int = 2000
    busy_sessions: int = 200
    busy_seconds: float = 3

    def expected_seconds(self, contestants):
        idle = (contestants + len(PROFILES) - 1) * (3.5 + self.sessions * 0.0012)
        return self.rounds * (idle + len(PROFILES) * (self.busy_seconds + 2))


def headwind_under(profile):
    return f"{field.HEADWIND}, {profile}"


def measure(setup, plan):
    # A session is two descriptors here (client and server end) and two in the proxy, whose limit is the same.
    count = min(plan.sessions, (machine.raise_descriptor_limit() - 200) // 2)
    with footprint.EchoServer() as echo:
        starters = {name: start for name, start in field.starters(setup).items() if field.is_fair(name)}
        starters.pop(field.HEADWIND)
        cells = [rounds.Cell(IDLE, headwind_under(profile), _idle_headwind(setup, profile, echo, count))
                 for profile in PROFILES]
        cells += [rounds.Cell(IDLE, name, _idle(start, echo, count)) for name, start in starters.items()]
        cells += [rounds.Cell(BUSY, headwind_under(profile), _busy(setup, profile, plan)) for profile in PROFILES]
        found = rounds.play(cells, plan.rounds, setup.pace)
    return {"unit": "bytes", "rounds": plan.rounds, "sessions": count, "busy_sessions": plan.busy_sessions,
            "cells": found}


def _daemon(setup, profile, upstream):
    proxies = {"bench": ("127.0.0.1:0", f"127.0.0.1:{upstream}")}
    return Daemon(setup.binary, setup.place(), proxies, [*field.QUIET, "--profile", profile])


def _idle_headwind(setup, profile, echo, count):
    def one():
        with _daemon(setup, profile, echo.port) as daemon:
            return _idle_bytes(daemon.pid, daemon.address("bench")[1], echo, count)
    return one


def _idle(start, echo, count):
    def one():
        with start(echo.port) as peer:
            return _idle_bytes(peer.pid, peer.port, echo, count)
    return one


def _idle_bytes(pid, port, echo, count):
    def connect():
        return socket.create_connection(("127.0.0.1", port), timeout=10)
    return {"value": footprint.bytes_per_session(None, pid, connect, echo, count)}


def _busy(setup, profile, plan):
    """The most that sessions take whose upstream sends all that it can, to clients that read."""
    def one():
        with Crowd() as crowd, _daemon(setup, profile, crowd.port) as daemon:
            before = machine.resident_bytes(daemon.pid)
            crowd.tell("open", daemon.address("bench")[1], plan.busy_sessions)
            crowd.tell("read")
            crowd.tell("flood")
            most, end = 0, time.monotonic() + plan.busy_seconds
            while time.monotonic() < end:
                time.sleep(SAMPLE_SECONDS)
                most = max(most, machine.resident_bytes(daemon.pid))
            return {"value": (most - before) / plan.busy_sessions}
    return one


def size(value):
    return f"{value / 1000:,.1f} kB"


def text(data):
    idle, busy = ([cell for cell in data["cells"] if cell["what"] == what] for what in (IDLE, BUSY))
    return "\n".join([
        f"What a session adds to the resident memory of the proxy's process, {data['rounds']} rounds in turns: median "
        f"(lowest – highest). Idle: {data['sessions']:,} sessions that have carried a message both ways. What a proxy "
        "sets aside for sessions when it starts, as nginx does, is not in the figure.",
        "",
        rounds.pivot(idle, size, first="through", is_timed=False),
        "",
        f"Busy: {data['busy_sessions']} sessions whose upstream sends all that it can, to clients that read; the most "
        "that was seen. Under `3g` all of them share 200 kB/s, and what waits for that waits in the proxy.",
        "",
        rounds.pivot(busy, size, first="through", is_timed=False),
    ])
