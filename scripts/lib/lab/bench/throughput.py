"""How many bytes a second one connection carries, and eight of them, and what a gigabyte costs the proxy."""

import contextlib
import json
import shutil
import subprocess
import time
from dataclasses import dataclass

from .. import machine
from ..report import rate_text
from . import field, processors, rounds

PATIENCE_SECONDS = 10
UP, DOWN = "client to server", "server to client"
REVERSE = {UP: [], DOWN: ["--reverse"]}


@dataclass(frozen=True)
class Plan:
    seconds: float
    rounds: int
    connections: tuple = (1, 8)
    directions: tuple = (UP, DOWN)

    def expected_seconds(self, contestants):
        return self.rounds * contestants * len(self.connections) * len(self.directions) * (self.seconds + 0.4)


def label(connections, direction):
    return f"{connections} connection{'s' if connections > 1 else ''}, {direction}"


def measure(setup, plan):
    if not shutil.which("iperf3"):
        raise RuntimeError("iperf3 is missing")
    with contextlib.ExitStack() as stack:
        port = serve(stack, setup)
        contestants = field.line_up(stack, setup, port)
        cells = [rounds.Cell(label(count, direction), one.name,
                             _measuring(one.port, plan.seconds, count, direction), one.pid)
                 for count in plan.connections for direction in plan.directions for one in contestants]
        found = rounds.play(cells, plan.rounds, setup.pace)
    return {"unit": "bytes per second", "seconds": plan.seconds, "rounds": plan.rounds, "cells": _with_costs(found)}


def serve(stack, setup, cores=None):
    """iperf3's server; its port."""
    [port] = machine.free_ports(1)
    server = field.serve(stack, setup, ["iperf3", "-s", "-B", "127.0.0.1", "-p", port], port, "iperf3.log")
    processors.pin(server.pid, cores)
    return port


def _measuring(port, seconds, connections, direction):
    return lambda: iperf3(port, seconds, ["--parallel", str(connections), *REVERSE[direction]])


def iperf3(port, seconds, arguments, cores=None):
    """`value` in bytes per second, `bytes` in all."""
    command = ["iperf3", "-c", "127.0.0.1", "-p", str(port), "-t", str(seconds), "-J", *arguments]
    end = time.monotonic() + PATIENCE_SECONDS
    while True:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds + 30,
                              preexec_fn=processors.on(cores))
        # The end of the client before may still be on its way through a proxy.
        if "server is busy" not in done.stdout or time.monotonic() > end:
            return received(done.stdout, done.stderr)
        time.sleep(0.1)


def received(text, errors=""):
    try:
        report = json.loads(text)
    except ValueError:
        report = {"error": f"no report; {errors.strip()[-300:]}"}
    if "error" in report:
        raise RuntimeError(f"iperf3: {report['error']}")
    total = report["end"]["sum_received"]
    return {"value": total["bits_per_second"] / 8, "bytes": total["bytes"]}


def _with_costs(cells):
    for sample in (sample for cell in cells for sample in cell["samples"] if "cpu_seconds" in sample):
        sample["cpu_seconds_per_gigabyte"] = sample["cpu_seconds"] / (sample["bytes"] / 1e9)
    return cells


def text(data):
    return "\n".join([
        f"iperf3, {data['rounds']} rounds of {data['seconds']:g} s in turns: median (lowest – highest). No process is "
        "bound to a core: iperf3's two ends together want more than one.",
        "",
        rounds.pivot(data["cells"], rate_text, first="through"),
        "",
        "Processor seconds that the proxy took for a gigabyte:",
        "",
        rounds.pivot([cell for cell in data["cells"] if cell["who"] != field.NO_PROXY], lambda value: f"{value:.2f} s",
                     "cpu_seconds_per_gigabyte", "through"),
    ])
