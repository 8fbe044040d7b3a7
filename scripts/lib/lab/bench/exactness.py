"""How exactly toxics keep what they are told: delay, rate, and what a delayed connection carries."""

import contextlib
import shutil
import subprocess
from dataclasses import dataclass

from .. import machine
from ..report import percentile, rate_text, table
from . import field, processors, rounds, throughput

NO_TOXIC = "no toxic"
# What the machine allows: the least that a proxy which delays can be.
BARE = "a bare relay"
DELAYED_MS = 50
DELAYED = f"{DELAYED_MS} ms of latency"


@dataclass(frozen=True)
class DelayPlan:
    rounds: int
    milliseconds: tuple = (1, 5, 20, 100, 500, 1000)
    messages: int = 300
    interval_us: int = 10_000

    def expected_seconds(self, contestants):
        each = self.messages * self.interval_us / 1e6 + 0.2
        return self.rounds * contestants * ((len(self.milliseconds) + 1) * each + sum(self.milliseconds) / 1000)


@dataclass(frozen=True)
class RatePlan:
    rounds: int
    seconds: int = 3
    bytes_per_second: tuple = (10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000)

    def expected_seconds(self, contestants):
        return self.rounds * contestants * len(self.bytes_per_second) * (self.seconds + 0.3)


@dataclass(frozen=True)
class DelayedPlan:
    rounds: int
    seconds: int = 3

    def expected_seconds(self, contestants):
        return self.rounds * contestants * (self.seconds + 1.5)


def delay_label(setting):
    return f"{setting} ms" if setting else NO_TOXIC


# Delay


def delay(setup, plan):
    def measuring(one, upstream, setting):
        words = ["latency", upstream, one.port, plan.messages, plan.interval_us, max(1, setting * 1000)]
        seconds = plan.messages * plan.interval_us * 2e-6 + setting / 1000 + 30
        one.set_toxic("latency" if setting else None, {"latency": setting, "jitter": 0})
        with one.serving(upstream, setting) if isinstance(one, _BareRelay) else contextlib.nullcontext():
            errors = [abs(int(word) / 1e9 - setting / 1000) for word in _probe(setup, words, seconds)]
        return {"errors": errors}

    settings = [(delay_label(setting), setting) for setting in (0, *plan.milliseconds)]
    found = _play(setup, plan, settings, measuring, [_BareRelay(setup)])
    return {"unit": "seconds", "rounds": plan.rounds, "messages": plan.messages, "cells": found,
            "settings_ms": plan.milliseconds, "is_apart": setup.layout.load is not None}


class _BareRelay:
    """netprobe's, on the proxy's core; another process for each measurement."""

    name = BARE
    pid = None

    def __init__(self, setup):
        self.setup = setup
        [self.port] = machine.free_ports(1)

    def set_toxic(self, kind, attributes=None):
        """It is told when it is started."""

    @contextlib.contextmanager
    def serving(self, upstream, milliseconds):
        # A microsecond is the least that it takes for a delay.
        words = [self.setup.netprobe, "relay", upstream, self.port, max(1, milliseconds * 1000)]
        with subprocess.Popen([str(word) for word in words], stdout=subprocess.PIPE, text=True,
                              preexec_fn=processors.on(self.setup.layout.proxy)) as relay:
            try:
                if relay.stdout.readline() != "ready\n":
                    raise RuntimeError("netprobe relay doesn't begin")
                yield
            finally:
                relay.kill()


def pooled(cell):
    """All rounds' errors."""
    return [error for sample in cell["samples"] for error in sample["errors"]]


def delay_text(data):
    where = "The probe on one core, the proxy on the other one" if data["is_apart"] else "No process is bound to a core"
    rows = []
    for who in rounds.names(data["cells"]):
        for cell in (cell for cell in data["cells"] if cell["who"] == who):
            errors = pooled(cell)
            values = percentile(errors, 0.5), percentile(errors, 0.99), max(errors)
            shown = [f"{value * 1000:.3f}" for value in values]
            rows.append([who, cell["what"], *shown, rounds.NOISE_MARK if rounds.is_noisy(cell["samples"]) else ""])
    return "\n".join([
        f"|measured − configured| of single messages, server to client, {data['rounds']} rounds of {data['messages']} "
        f"in turns, in ms. “{NO_TOXIC}” is what the proxy takes anyway. {where}. “{BARE}”, in the "
        "proxy's place: a program of some 50 lines that does nothing but read, wait for a timer of the kernel's and write; "
        "what it is late by is the machine's doing.",
        "",
        table(["through", "latency toxic", "p50", "p99", "largest", ""], rows),
    ])


# Rate


def rate(setup, plan):
    def measuring(one, upstream, setting):
        one.set_toxic("bandwidth", {"rate": setting // 1000})
        value = float(_probe(setup, ["rate", upstream, one.port, plan.seconds], plan.seconds + 30)[2])
        return {"value": value, "error": value / setting - 1}

    found = _play(setup, plan, [(rate_text(setting), setting) for setting in plan.bytes_per_second], measuring)
    return {"unit": "bytes per second", "rounds": plan.rounds, "seconds": plan.seconds, "cells": found,
            "is_apart": setup.layout.load is not None}


def rate_error_text(data):
    return "\n".join([
        f"Bandwidth toxic, server to client, {data['rounds']} rounds of {data['seconds']} s in turns: error of the "
        "rate, median (lowest – highest).",
        "",
        rounds.pivot(data["cells"], lambda value: f"{value * 100:+.2f} %", "error", "through"),
    ])


# Throughput under latency


def delayed(setup, plan):
    if not shutil.which("iperf3"):
        raise RuntimeError("iperf3 is missing")
    with contextlib.ExitStack() as stack:
        port = throughput.serve(stack, setup)
        cells = []
        for one in field.conditioners(stack, setup, port):
            one.set_toxic("latency", {"latency": DELAYED_MS, "jitter": 0})
            cells.append(rounds.Cell(DELAYED, one.name, _flood(one.port, plan.seconds), one.pid))
        found = rounds.play(cells, plan.rounds, setup.pace)
    return {"unit": "bytes per second", "rounds": plan.rounds, "seconds": plan.seconds, "cells": found}


def _flood(port, seconds):
    # The first second is left out: in it the connection only becomes full.
    return lambda: throughput.iperf3(port, seconds, ["--reverse", "--omit", "1"])


def delayed_text(data):
    return "\n".join([
        f"One connection, server to client, under a latency toxic of {DELAYED_MS} ms, iperf3, {data['rounds']} rounds "
        f"of {data['seconds']} s in turns: median (lowest – highest). No process is bound to a core.",
        "",
        rounds.pivot(data["cells"], rate_text, first="through"),
    ])


# What the probes share.


def _play(setup, plan, settings, measuring, others=()):
    """`measuring` gets a conditioner, or one of the others, the upstream's port and the setting."""
    if not setup.netprobe:
        raise RuntimeError("netprobe is missing")
    with contextlib.ExitStack() as stack:
        [upstream] = machine.free_ports(1)
        both = [*field.conditioners(stack, setup, upstream, setup.layout), *others]
        cells = [rounds.Cell(what, one.name, _bound(measuring, one, upstream, setting), one.pid)
                 for what, setting in settings for one in both]
        return rounds.play(cells, plan.rounds, setup.pace)


def _bound(function, *words):
    return lambda: function(*words)


def _probe(setup, words, seconds):
    """The probe has a core for itself: spinning beside the proxy it would make that wait for the scheduler."""
    command = [str(word) for word in (setup.netprobe, *words)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, timeout=seconds,
                          preexec_fn=processors.on(setup.layout.load))
    return done.stdout.split()
