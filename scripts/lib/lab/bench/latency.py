"""What a proxy adds to a round trip of one byte on a kept connection, at a low rate."""

import contextlib
import subprocess
from dataclasses import dataclass

from .. import machine
from ..report import percentile
from . import field, processors, rounds

P50, P99 = "p50", "p99"
SHARES = {P50: 0.5, P99: 0.99}


@dataclass(frozen=True)
class Plan:
    rounds: int
    messages: int = 1000
    interval_us: int = 2000

    def expected_seconds(self, contestants):
        return self.rounds * contestants * (self.messages * self.interval_us / 1e6 + 0.1)


def measure(setup, plan):
    if not setup.netprobe:
        raise RuntimeError("netprobe is missing")
    layout = setup.layout
    with contextlib.ExitStack() as stack:
        [upstream] = machine.free_ports(1)
        contestants = field.line_up(stack, setup, upstream, layout)
        cells = [rounds.Cell("round trip", one.name, _measuring(setup, upstream, one.port, plan), one.pid)
                 for one in contestants]
        found = rounds.play(cells, plan.rounds, setup.pace)
    return {"unit": "seconds", "rounds": plan.rounds, "messages": plan.messages, "interval_us": plan.interval_us,
            "is_apart": layout.load is not None, "cells": found, "added": _added(found)}


def _measuring(setup, upstream, port, plan):
    def one():
        trips = _round_trips(setup, upstream, port, plan)
        return {name: percentile(trips, share) for name, share in SHARES.items()}
    return one


def _round_trips(setup, upstream, port, plan):
    words = [setup.netprobe, "pingpong", upstream, port, plan.messages, plan.interval_us]
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, text=True, check=True,
                          timeout=plan.messages * plan.interval_us / 1e6 * 2 + 30,
                          preexec_fn=processors.on(setup.layout.load))
    return [int(line.split()[1]) / 1e9 for line in done.stdout.splitlines()]


def _added(cells):
    """Each round's percentile through a proxy less the same without one in that round."""
    direct = rounds.samples(cells, "round trip", field.NO_PROXY)
    added = []
    for cell in cells:
        if cell["who"] == field.NO_PROXY:
            continue
        for name in SHARES:
            samples = [{"value": one[name] - bare[name], "others_cores": one["others_cores"]}
                       for one, bare in zip(cell["samples"], direct)]
            added.append({"what": name, "who": cell["who"], "samples": samples})
    return added


def microseconds(seconds):
    return f"{seconds * 1e6:.0f} µs" if seconds < 1e-3 else f"{seconds * 1e3:.2f} ms"


def text(data):
    direct = [rounds.spread_text(rounds.samples(data["cells"], "round trip", field.NO_PROXY), microseconds, name)
              for name in SHARES]
    where = ("The probe on one core, the proxy on the other one" if data["is_apart"]
             else "No process is bound to a core")
    return "\n".join([
        f"A byte there and one back, {data['messages']} times, one every {data['interval_us'] / 1000:g} ms on the "
        f"average; {data['rounds']} rounds in turns: the percentile less that of no proxy in the same round ({direct[0]} and "
        f"{direct[1]}), median (lowest – highest). {where}.",
        "",
        rounds.pivot(data["added"], microseconds, first="added by"),
    ])
