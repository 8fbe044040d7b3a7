"""Small requests on kept connections, and connections made for one request each, by wrk."""

import contextlib
import re
import shutil
import subprocess
from dataclasses import dataclass

from .. import machine
from . import field, processors, rounds

MOST_COMPARED = 64
# A share of its core: below that it wasn't the proxy that could do no more.
FULL = 0.95


@dataclass(frozen=True)
class Plan:
    seconds: int
    rounds: int
    connections: tuple = (1, MOST_COMPARED, 512)  # where each proxy has a core; where all run free only the middle one

    def expected_seconds(self, contestants):
        return self.rounds * contestants * (len(self.connections) + 1) * (self.seconds + 0.3)


def label(connections):
    return f"{connections} connection{'s' if connections > 1 else ''}"


def free(what):
    return f"{what}, all cores for all"


CLOSING = "new connections"


def measure(setup, plan):
    figures = {label(count): ("/kept", count) for count in plan.connections}
    return _measure(setup, plan, figures, label(MOST_COMPARED))


def measure_closing(setup, plan):
    return _measure(setup, plan, {CLOSING: ("/close", MOST_COMPARED)}, CLOSING)


def _measure(setup, plan, figures, most_compared):
    if not shutil.which("wrk") or not setup.netanswer:
        raise RuntimeError("wrk or netanswer is missing")
    with contextlib.ExitStack() as stack:
        cells = _cells(stack, setup, plan, figures, setup.layout)
        if setup.layout != processors.FREE:
            cells += _cells(stack, setup, plan, {free(most_compared): figures[most_compared]}, processors.FREE)
        found = rounds.play(cells, plan.rounds, setup.pace)
    return {"unit": "per second", "seconds": plan.seconds, "rounds": plan.rounds,
            "is_apart": setup.layout != processors.FREE, "cells": with_costs(found)}


def _cells(stack, setup, plan, figures, layout):
    [port] = machine.free_ports(1)
    server = field.serve(stack, setup, [setup.netanswer, port], port, "netanswer.log")
    processors.pin(server.pid, layout.load)
    contestants = field.line_up(stack, setup, port, layout)
    return [rounds.Cell(what, one.name, _measuring(one.port, plan.seconds, *figure, layout.load), one.pid)
            for what, figure in figures.items() for one in contestants]


def _measuring(port, seconds, path, connections, cores):
    return lambda: wrk(f"http://127.0.0.1:{port}{path}", seconds, connections, cores)


def wrk(url, seconds, connections, cores):
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", url]
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds + 20,
                          preexec_fn=processors.on(cores))
    count, rate = (re.search(pattern, done.stdout) for pattern in (r"(\d+) requests in", r"Requests/sec: +([\d.]+)"))
    errors = re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", done.stdout)
    if done.returncode or not count or not rate or "Non-2xx" in done.stdout:
        raise RuntimeError(f"wrk: {done.stdout[-500:]}{done.stderr[-500:]}")
    return {"value": float(rate[1]), "requests": int(count[1]), "seconds": int(count[1]) / float(rate[1]),
            "errors": sum(map(int, errors.groups())) if errors else 0}


def with_costs(cells):
    for sample in (sample for cell in cells for sample in cell["samples"] if "cpu_seconds" in sample):
        sample["cpu_seconds_per_request"] = sample["cpu_seconds"] / max(1, sample["requests"])
        sample["cores"] = sample["cpu_seconds"] / sample["seconds"]
    return cells


def text(data, closing=False):
    what = (f"wrk with {MOST_COMPARED} connections at a time, each for one request: connections per second"
            if closing else "wrk, kept connections, one small request after the other on each: requests per second")
    where = ("Client and server have one core, the proxy the other one for itself; “all cores for all”: no process is "
             "bound to a core" if data["is_apart"] else "No process is bound to a core")
    failed = _errors(data["cells"])
    return "\n".join([
        f"{what}; {data['rounds']} rounds of {data['seconds']} s in turns: median (lowest – highest). {where}. The "
        "server (`netanswer`) does next to nothing for its answer.",
        "",
        rounds.pivot(data["cells"], lambda value: f"{value:,.0f}", first="through"),
        "",
        f"Processor time of the proxy for each, and how many cores it used. Where that is less than {FULL:.2f} of the "
        "one that it has, client and server were what could do no more:",
        "",
        costs(data["cells"]),
        *(["", f"Connections that failed, of all rounds: {failed}."] if failed else []),
    ])


def costs(cells):
    shown = []
    for cell in cells:
        if cell["who"] == field.NO_PROXY:
            continue
        for key, words in (("cpu_seconds_per_request", "time"), ("cores", "cores")):
            samples = [sample | {"value": sample.get(key)} for sample in cell["samples"]]
            shown.append({"what": f"{cell['what']}: {words}", "who": cell["who"], "samples": samples})
    # Times are below any share of a core that is worth telling.
    return rounds.pivot(shown, lambda value: f"{value:.2f}" if value > 0.005 else f"{value * 1e6:.1f} µs",
                        first="through")


def _errors(cells):
    counts = {}
    for cell in cells:
        if failed := sum(sample["errors"] for sample in cell["samples"]):
            counts[f"{cell['who']}, {cell['what']}"] = failed
    return ", ".join(f"{name} {count:,}" for name, count in counts.items())
