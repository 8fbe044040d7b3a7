"""From start to ready, and what the program is made of."""

import contextlib
import pathlib
import shutil
import subprocess
from dataclasses import dataclass

from .. import machine
from ..daemon import Daemon
from ..report import size_text, time_text
from . import field, rounds

READY = "start to ready"


@dataclass(frozen=True)
class Plan:
    rounds: int

    def expected_seconds(self, _contestants):
        return self.rounds * 0.1


def measure(setup, plan):
    cells = rounds.play([rounds.Cell(READY, field.HEADWIND, lambda: _start(setup))], plan.rounds, setup.pace)
    return {"unit": "seconds", "rounds": plan.rounds, "cells": cells, "bytes": setup.binary.stat().st_size,
            "libraries": _libraries(setup.binary)}


def _start(setup):
    # Nothing need listen upstream: that is asked when a session comes.
    proxies = {"bench": ("127.0.0.1:0", f"127.0.0.1:{machine.free_ports(1)[0]}")}
    with Daemon(setup.binary, setup.place(), proxies, field.QUIET) as daemon:
        return {"value": daemon.start_seconds}


def _libraries(binary):
    """Names of the shared libraries that the program wants; None where that can't be seen."""
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        if shutil.which("ldd"):
            shown = subprocess.run(["ldd", binary], capture_output=True, text=True, timeout=10, check=True).stdout
            return sorted(pathlib.PurePath(line.split()[0]).name for line in shown.splitlines())
    return None


def swift_libraries(data):
    own = "libswift", "libFoundation", "lib_Foundation"
    return [name for name in data["libraries"] or () if name.startswith(own)]


def text(data):
    libraries = "unknown" if data["libraries"] is None else ", ".join(f"`{name}`" for name in data["libraries"])
    return "\n".join([
        f"`headwind serve` with one proxy, {data['rounds']} times, from starting the process to its ready line: "
        f"{rounds.spread_text(data['cells'][0]['samples'], time_text)}.",
        "",
        f"The program is one file of {size_text(data['bytes'])}. Shared libraries: {libraries}.",
    ])
