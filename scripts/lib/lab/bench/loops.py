"""Several proxies of one daemon with one event loop, and with as many as there are cores."""

import concurrent.futures
import contextlib
import os
import shutil
from dataclasses import dataclass

from .. import machine
from ..daemon import Daemon
from . import field, requests, rounds

KEPT = "small requests"
CLOSING = requests.CLOSING
PATHS = {KEPT: "/kept", CLOSING: "/close"}


@dataclass(frozen=True)
class Plan:
    seconds: int
    rounds: int
    proxies: int = 2
    connections: int = 32  # of each proxy

    def expected_seconds(self, _contestants):
        return self.rounds * len(counts()) * len(PATHS) * (self.seconds + 0.3)


def counts():
    """How many loops are compared; two at least, so that something is."""
    return 1, max(2, os.cpu_count() or 2)


def label(loops):
    return f"headwind, {loops} loop{'s' if loops > 1 else ''}"


def measure(setup, plan):
    if not shutil.which("wrk") or not setup.netanswer:
        raise RuntimeError("wrk or netanswer is missing")
    with contextlib.ExitStack() as stack:
        [port] = machine.free_ports(1)
        field.serve(stack, setup, [setup.netanswer, port], port, "netanswer.log")
        proxies = {f"p{number}": ("127.0.0.1:0", f"127.0.0.1:{port}") for number in range(plan.proxies)}
        daemons = [(loops, stack.enter_context(Daemon(
            setup.binary, setup.place(), proxies, [*field.QUIET, "--loops", str(loops)]))) for loops in counts()]
        cells = [rounds.Cell(what, label(loops), _measuring(daemon, path, plan), daemon.pid)
                 for what, path in PATHS.items() for loops, daemon in daemons]
        found = rounds.play(cells, plan.rounds, setup.pace)
    return {"unit": "per second", "seconds": plan.seconds, "rounds": plan.rounds, "proxies": plan.proxies,
            "connections": plan.connections, "cells": requests.with_costs(found)}


def _measuring(daemon, path, plan):
    """All proxies at once."""
    urls = [f"http://127.0.0.1:{daemon.address(name)[1]}{path}" for name in daemon.ready["proxies"]]

    def run():
        with concurrent.futures.ThreadPoolExecutor(len(urls)) as pool:
            found = list(pool.map(lambda url: requests.wrk(url, plan.seconds, plan.connections, None), urls))
        return {"value": sum(one["value"] for one in found), "requests": sum(one["requests"] for one in found),
                "seconds": max(one["seconds"] for one in found), "errors": sum(one["errors"] for one in found)}
    return run


def text(data):
    return "\n".join([
        f"`--loops`: {data['proxies']} proxies of one daemon at once, wrk with {data['connections']} connections on each: "
        f"requests and connections per second of all together; {data['rounds']} rounds of {data['seconds']} s in turns: "
        "median (lowest – highest). No process is bound to a core; clients and server share the cores with the daemon, so "
        "a second loop can gain only what they leave.",
        "",
        rounds.pivot(data["cells"], lambda value: f"{value:,.0f}", first="through"),
        "",
        "Processor time of the daemon for each, and how many cores it used:",
        "",
        requests.costs(data["cells"]),
    ])
