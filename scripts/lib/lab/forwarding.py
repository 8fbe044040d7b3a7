"""scripts/bench: what goes through forward proxies, beside a plain proxy of the same daemon and other forward proxies."""

import contextlib
import re
import shutil
import subprocess
from dataclasses import dataclass

from . import footprint, forwarders, ways
from .daemon import Daemon
from .flood import DOWN, Flood, receive_rate, send_rate
from .machine import progress, raise_descriptor_limit, say
from .report import median, rate_text, size_text, table
from .upstreams import FileServer

ANSWER_BYTES = 1000
# For wrk: the whole URL in the request line, as clients of a proxy have it.
SCRIPT = """function init(arguments)
  wrk.path = arguments[1]
  wrk.headers["Host"] = arguments[2]
end
"""


@dataclass(frozen=True)
class Plan:
    seconds: int
    rounds: int
    connections: int = 64
    idle: int = 1000


@dataclass(frozen=True)
class Lane:
    """One way for a connection: over `address`, in words that only some proxies know."""

    address: tuple
    way: str


def run(binary, directory, plan):
    with contextlib.ExitStack() as stack:
        flood = stack.enter_context(Flood())
        files = stack.enter_context(FileServer(directory, [ANSWER_BYTES])) if shutil.which("nginx") else None
        others = _others(stack, directory)
        daemon = stack.enter_context(_daemon(binary, directory, {"flood": flood.target}))
        result = {"tunnel": _play(_tunnel_lanes(daemon, others, flood), _tunnel(flood), plan),
                  "download": _play(_plain_lanes(daemon, others, flood), _download(flood), plan)}
        if files and shutil.which("wrk"):
            web = stack.enter_context(_daemon(binary, directory, {"files": ("127.0.0.1", files.port)}))
            lanes = _plain_lanes(web, others, None, "files") | {"no proxy": Lane(("127.0.0.1", files.port), "tcp")}
            result["requests"] = _play(lanes, _requests(directory, files.port), plan)
    memory = _memory(binary, directory, plan)
    return {"seconds": plan.seconds, "rounds": plan.rounds, **result, "idle_bytes": memory}, _text(result, memory, plan)


def _daemon(binary, directory, targets):
    proxies = {name: ("127.0.0.1:0", f"{host}:{port}") for name, (host, port) in targets.items()}
    return Daemon(binary, directory, proxies, ["--http-proxy", "127.0.0.1:0", "--socks", "127.0.0.1:0",
                                               "--log-level", "warning"])


def _others(stack, directory):
    found = {}
    for start in (forwarders.haproxy, forwarders.nginx, forwarders.tinyproxy, forwarders.squid):
        peer = start(directory)
        if peer:
            found[peer.name] = ("127.0.0.1", stack.enter_context(peer).port)
        else:
            say(f"{start.__name__} is not here: left out")
    return found


def _tunnel_lanes(daemon, others, flood):
    lanes = {"no proxy": Lane(flood.target, "tcp"), "headwind, tcp": Lane(daemon.address("flood"), "tcp"),
             "headwind, CONNECT": Lane(daemon.address("http-proxy"), "connect"),
             "headwind, SOCKS5": Lane(daemon.address("socks"), "socks")}
    return lanes | {name: Lane(others[name], "connect") for name in ("tinyproxy", "squid") if name in others}


def _plain_lanes(daemon, others, flood, name="flood"):
    lanes = {"no proxy": Lane(flood.target, "tcp")} if flood else {}
    lanes |= {"headwind, tcp": Lane(daemon.address(name), "tcp"),
              "headwind, HTTP": Lane(daemon.address("http-proxy"), "http")}
    return lanes | {name: Lane(address, "http") for name, address in others.items()}


def _play(lanes, measures, plan):
    """Samples by measure and lane. Every round begins with another lane: none has a fixed place."""
    samples = {what: {name: [] for name in lanes} for what in measures}
    names = list(lanes)
    for turn in range(plan.rounds):
        for what, measure in measures.items():
            for name in names[turn % len(names):] + names[: turn % len(names)]:
                progress(f"forward: round {turn + 1} of {plan.rounds}, {what}, {name}")
                samples[what][name].append(measure(lanes[name], plan))
    progress("")
    return samples


def _tunnel(flood):
    def measure(rate):
        def one(lane, plan):
            with contextlib.closing(ways.connect(lane.way, lane.address, flood.target)) as connection:
                return rate(connection, plan.seconds)
        return one
    return {"tunnel, upstream": measure(send_rate),
            "tunnel, downstream": measure(lambda connection, seconds: receive_rate(connection, DOWN, seconds))}


def _download(flood):
    host = f"{flood.target[0]}:{flood.target[1]}"

    def measure(path):
        def one(lane, plan):
            url = f"http://{host}{path}" if lane.way == "http" else path
            request = f"GET {url} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()
            with contextlib.closing(ways.connect("tcp", lane.address, flood.target)) as connection:
                return receive_rate(connection, request, plan.seconds)
        return one
    return {"download": measure("/counted"), "download, in chunks of 16 KiB": measure("/chunked")}


def _requests(directory, port):
    script = directory / "absolute.lua"
    script.write_text(SCRIPT)

    def one(lane, plan):
        path, host = f"/{ANSWER_BYTES}", f"127.0.0.1:{port}"
        command = ["wrk", "-t1", f"-c{plan.connections}", f"-d{plan.seconds}s", "-s", script,
                   "http://{}:{}/".format(*lane.address), "--", f"http://{host}{path}" if lane.way == "http" else path, host]
        done = subprocess.run(command, capture_output=True, text=True, timeout=plan.seconds + 20)
        rate = re.search(r"Requests/sec: +([\d.]+)", done.stdout)
        if done.returncode or not rate or "Non-2xx" in done.stdout:
            raise RuntimeError(f"wrk: {done.stdout[-500:]}{done.stderr[-500:]}")
        return float(rate[1])
    return {f"requests for {ANSWER_BYTES:,} B, in turn": one}


def _memory(binary, directory, plan):
    """Bytes of an idle session by the way that it came."""
    count = min(plan.idle, (raise_descriptor_limit() - 200) // 2)
    found = {}
    with footprint.EchoServer() as echo:
        target = ("127.0.0.1", echo.port)
        for label, proxy, way in (("tcp", "echo", "tcp"), ("CONNECT", "http-proxy", "connect"), ("SOCKS5", "socks", "socks")):
            with _daemon(binary, directory, {"echo": target}) as daemon:
                address = daemon.address(proxy)
                found[label] = footprint.bytes_per_session(
                    f"headwind, {label}", daemon.pid, lambda: ways.connect(way, address, target), echo, count)
    return found


def _ratios(by_name, name):
    """What the daemon's own forward proxies move, as a share of what this one does."""
    own = [other for other in by_name if other.startswith("headwind, ") and other != "headwind, tcp"]
    return " ".join(f"{median(by_name[other]) / median(by_name[name]):.2f}" for other in own)


def _text(result, memory, plan):
    lines = [f"Forward proxies, {plan.rounds} rounds of {plan.seconds} s in turns", ""]
    for samples in result.values():
        rows = []
        for what, by_name in samples.items():
            show = (lambda value: f"{value:,.0f}/s") if what.startswith("requests") else rate_text
            rows += [[what, name, *map(show, (median(values), min(values), max(values))), _ratios(by_name, name)]
                     for name, values in by_name.items()]
        own = "CONNECT, SOCKS5 are" if samples is result["tunnel"] else "headwind, HTTP is"
        lines += [table(["what", "through", "median", "lowest", "highest", f"{own} × this"], rows), ""]
    shares = ", ".join(f"{label} {size_text(value)}" for label, value in memory.items())
    return "\n".join([*lines, f"Resident memory of an idle session, of {plan.idle:,} that have carried a message: {shares}"])
