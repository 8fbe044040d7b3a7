"""scripts/bench: throughput of one connection through several proxies, in turns, by iperf3."""

import contextlib
import json
import shutil
import subprocess
from dataclasses import dataclass

from .daemon import Daemon
from .machine import free_ports, progress, say
from .process import Child
from .report import median, rate_text, table, verdict
from .upstreams import haproxy, nginx_stream

DIRECTIONS = {"upstream": [], "downstream": ["--reverse"]}


@dataclass(frozen=True)
class Plan:
    seconds: int
    rounds: int
    directions: tuple = tuple(DIRECTIONS)


def run(binary, directory, plan):
    if not shutil.which("iperf3"):
        return None, "Throughput: not measured, iperf3 is missing."
    with contextlib.ExitStack() as stack:
        [server_port] = free_ports(1)
        server = Child(["iperf3", "-s", "-B", "127.0.0.1", "-p", server_port], directory / "iperf3.log")
        stack.enter_context(server).wait_for_port(server_port)
        contenders = {"no proxy": server_port, **_proxies(stack, binary, directory, server_port)}
        samples = _play(contenders, plan)
    return _result(samples, plan), _text(samples, plan)


def _proxies(stack, binary, directory, server_port):
    upstream = f"127.0.0.1:{server_port}"
    daemon = stack.enter_context(Daemon(binary, directory, {"bench": ("127.0.0.1:0", upstream)}))
    ports = {"headwind": daemon.address("bench")[1]}
    for name, start in (("haproxy", haproxy), ("nginx stream", nginx_stream)):
        peer = start(directory, server_port)
        if peer:
            ports[name] = stack.enter_context(peer).port
        else:
            say(f"{name} is not here: left out")
    return ports


def _play(contenders, plan):
    """Bytes per second by direction and contender. Every round begins with another one: none has a fixed place."""
    samples = {direction: {name: [] for name in contenders} for direction in plan.directions}
    names = list(contenders)
    for turn in range(plan.rounds):
        for direction in plan.directions:
            for name in names[turn % len(names):] + names[: turn % len(names)]:
                progress(f"throughput: round {turn + 1} of {plan.rounds}, {direction}, {name}")
                samples[direction][name].append(_iperf3(contenders[name], plan.seconds, DIRECTIONS[direction]))
    progress("")
    return samples


def _iperf3(port, seconds, arguments):
    command = ["iperf3", "-c", "127.0.0.1", "-p", str(port), "-t", str(seconds), "-J", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds + 20)
    report = json.loads(done.stdout)
    if done.returncode or "error" in report:
        raise RuntimeError(f"iperf3: {report.get('error', done.stderr)}")
    return report["end"]["sum_received"]["bits_per_second"] / 8


def _ratio(samples, direction, name):
    other = samples[direction].get(name)
    return median(samples[direction]["headwind"]) / median(other) if other else None


def _result(samples, plan):
    ratios = {direction: _ratio(samples, direction, "haproxy") for direction in samples}
    return {
        "unit": "bytes per second",
        "seconds": plan.seconds,
        "rounds": plan.rounds,
        "samples": samples,
        "headwind_to_haproxy": ratios,
    }


def _text(samples, plan):
    rows = []
    for direction, by_name in samples.items():
        for name, rates in by_name.items():
            ratio = _ratio(samples, direction, name)
            rows.append([direction, name, rate_text(median(rates)), rate_text(min(rates)), rate_text(max(rates)),
                         f"{ratio:.2f}"])
    lines = [
        f"Throughput of one connection, iperf3, {plan.rounds} rounds of {plan.seconds} s in turns",
        "",
        table(["direction", "through", "median", "lowest", "highest", "headwind is × this"], rows),
        "",
    ]
    for direction in samples:
        ratio = _ratio(samples, direction, "haproxy")
        if ratio:
            lines.append(f"headwind / haproxy, {direction}: {ratio:.2f} (bar: at least 1: {verdict(ratio >= 1)})")
    return "\n".join(lines)
