"""scripts/bench: how exactly the latency and bandwidth toxics keep what they are told, by netprobe."""

import os
import subprocess
from dataclasses import dataclass

from .daemon import Daemon
from .machine import free_ports, progress
from .report import median, percentile, rate_text, table, verdict

LATENCY_BAR_SECONDS = 0.3e-3
RATE_BAR = 0.01
# The bar ends at 100 MB/s; what is above is told as information.
RATE_BAR_UP_TO = 100_000_000


@dataclass(frozen=True)
class LatencyPlan:
    milliseconds: tuple = (1, 5, 20, 50, 100, 500)
    messages: int = 200
    rounds: int = 3
    interval_us: int = 10_000


@dataclass(frozen=True)
class RatePlan:
    bytes_per_second: tuple = (30_000, 300_000, 3_000_000, 30_000_000, 100_000_000, 1_000_000_000)
    seconds: int = 3
    rounds: int = 3


class Bench:
    """A daemon with one proxy in front of netprobe's own listener."""

    def __init__(self, binary, directory, netprobe):
        self.netprobe = netprobe
        self.probe_cores = None
        [self.upstream] = free_ports(1)
        self.daemon = Daemon(binary, directory, {"bench": ("127.0.0.1:0", f"127.0.0.1:{self.upstream}")})
        self.port = self.daemon.address("bench")[1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.daemon.child.stop()

    def keep_apart(self):
        """netprobe on the first core, the daemon on the others: a probe that spins beside the daemon would make it wait
        for a time slice of the scheduler (3 ms), which is the probe's doing. False where there is one core only, or no way."""
        cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
        if len(cores) < 2:
            return False
        os.sched_setaffinity(self.daemon.child.pid, cores[1:])
        self.probe_cores = cores[:1]
        return True

    def probe(self, kind, *words, direct=False, seconds):
        target = self.upstream if direct else self.port
        command = [self.netprobe, kind, str(self.upstream), str(target), *map(str, words)]
        cores = self.probe_cores
        done = subprocess.run(
            command, stdout=subprocess.PIPE, text=True, timeout=seconds, check=True,
            preexec_fn=(lambda: os.sched_setaffinity(0, cores)) if cores else None)
        return done.stdout.split()


def latency(binary, directory, netprobe, plan):
    delays = {"no proxy": [], "no toxic": [], **{setting: [] for setting in plan.milliseconds}}
    with Bench(binary, directory, netprobe) as bench:
        apart = bench.keep_apart()
        for turn in range(plan.rounds):
            for setting in delays:
                progress(f"latency: round {turn + 1} of {plan.rounds}, {setting}")
                delays[setting] += _delays(bench, setting, plan)
    progress("")
    return _latency_result(delays), _latency_text(delays, plan, apart)


def _delays(bench, setting, plan):
    """One-way times in seconds, server to client."""
    configured = setting if isinstance(setting, int) else 0
    bench.daemon.set_toxic("bench", "latency" if configured else None, {"latency": configured, "jitter": 0})
    words = (plan.messages, plan.interval_us, max(1, configured * 1000))
    seconds = plan.messages * plan.interval_us * 2e-6 + 30
    out = bench.probe("latency", *words, direct=setting == "no proxy", seconds=seconds)
    return [int(word) / 1e9 for word in out]


def _errors(setting, delays):
    configured = setting / 1000 if isinstance(setting, int) else 0
    return [abs(delay - configured) for delay in delays]


def _latency_result(delays):
    return {
        "unit": "seconds",
        "bar_p99": LATENCY_BAR_SECONDS,
        "one_way": {str(setting): values for setting, values in delays.items()},
        "error_p99": {str(setting): percentile(_errors(setting, values), 0.99) for setting, values in delays.items()},
    }


def _latency_text(delays, plan, apart):
    rows, held = [], True
    for setting, values in delays.items():
        errors = _errors(setting, values)
        p99 = percentile(errors, 0.99)
        toxic = isinstance(setting, int)
        held = held and (not toxic or p99 <= LATENCY_BAR_SECONDS)
        shown = [f"{value * 1000:.3f}" for value in (median(values), percentile(errors, 0.5), p99, max(errors))]
        rows.append([f"{setting} ms" if toxic else setting, *shown])
    return "\n".join([
        f"Latency toxic, one way: {plan.rounds} rounds of {plan.messages} messages in turns; the first two rows are what "
        "the harness and the proxy cost without it; all in ms; "
        + ("the probe on a core of its own" if apart else "probe and daemon share the cores"),
        "",
        table(["configured", "median", "error p50", "error p99", "error max"], rows),
        "",
        f"Latency error p99 (bar: at most {LATENCY_BAR_SECONDS * 1000:g} ms): {verdict(held)}",
    ])


def rate(binary, directory, netprobe, plan):
    measured = {setting: [] for setting in plan.bytes_per_second}
    with Bench(binary, directory, netprobe) as bench:
        for turn in range(plan.rounds):
            for setting in measured:
                progress(f"rate: round {turn + 1} of {plan.rounds}, {rate_text(setting)}")
                bench.daemon.set_toxic("bench", "bandwidth", {"rate": setting // 1000})
                out = bench.probe("rate", plan.seconds, seconds=plan.seconds + 30)
                measured[setting].append(float(out[2]))
    progress("")
    return _rate_result(measured, plan), _rate_text(measured, plan)


def _rate_result(measured, plan):
    errors = {str(setting): median(values) / setting - 1 for setting, values in measured.items()}
    return {
        "unit": "bytes per second",
        "seconds": plan.seconds,
        "bar": RATE_BAR,
        "measured": {str(setting): values for setting, values in measured.items()},
        "error": errors,
    }


def _rate_text(measured, plan):
    rows, held = [], True
    for setting, values in measured.items():
        errors = [value / setting - 1 for value in values]
        if setting <= RATE_BAR_UP_TO:
            held = held and max(map(abs, errors)) <= RATE_BAR
        rows.append([rate_text(setting), rate_text(median(values)),
                     *(f"{error * 100:+.2f} %" for error in (median(errors), min(errors), max(errors)))])
    return "\n".join([
        f"Bandwidth toxic: {plan.rounds} rounds of {plan.seconds} s in turns",
        "",
        table(["configured", "median", "error", "lowest", "highest"], rows),
        "",
        f"Rate error of every round up to {rate_text(RATE_BAR_UP_TO)} (bar: at most {RATE_BAR:.0%}): {verdict(held)}",
    ])
