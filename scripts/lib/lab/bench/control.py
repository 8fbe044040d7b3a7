"""How long calls of the control API take while eight connections run at full rate."""

import contextlib
import http.client
import json
import shutil
import subprocess
import time
from dataclasses import dataclass

from ..daemon import Daemon
from ..report import median, percentile, rate_text, table, time_text
from . import field, processors, rounds, throughput

CONNECTIONS = 8
PROXY = "bench"
TOXICS = f"/proxies/{PROXY}/toxics"
# A profile that reaches every session and slows none down.
PROFILE = "bench-noop"
WARM_SECONDS = 0.5


@dataclass(frozen=True)
class Plan:
    seconds: int

    def expected_seconds(self, _contestants):
        return self.seconds + 2


CALLS = (
    ("GET /profile", "GET", "/profile", None),
    ("PUT /profile", "PUT", f"/profile/{PROFILE}", None),
    ("GET /proxies", "GET", "/proxies", None),
    ("GET /sessions", "GET", "/sessions", None),
    ("POST toxic", "POST", TOXICS, {"name": "t", "type": "latency", "attributes": {"latency": 1}}),
    ("PATCH toxic", "PATCH", f"{TOXICS}/t", {"attributes": {"latency": 2}}),
    ("DELETE toxic", "DELETE", f"{TOXICS}/t", None),
    ("GET /metrics", "GET", "/metrics", None),
    ("DELETE /profile", "DELETE", "/profile", None),
)


def measure(setup, plan):
    if not shutil.which("iperf3"):
        raise RuntimeError("iperf3 is missing")
    with contextlib.ExitStack() as stack:
        port = throughput.serve(stack, setup, setup.layout.load)
        daemon = stack.enter_context(Daemon(setup.binary, setup.place(), {PROXY: ("127.0.0.1:0", f"127.0.0.1:{port}")},
                                            field.QUIET))
        processors.pin(daemon.pid, setup.layout.proxy)
        daemon.call("PUT", f"/profiles/{PROFILE}", {"summary": "Changes nothing", "toxics": [{"type": "noop"}]})
        others, before = processors.Others(), processors.used_seconds(daemon.pid)
        begin = time.monotonic()
        with processors.going_first():
            report, seconds, waits = _run(setup, plan, daemon)
        used = None if before is None else processors.used_seconds(daemon.pid) - before
        cores = used and used / (time.monotonic() - begin)
        others_cores = others.cores()
    return {"unit": "seconds", "seconds": plan.seconds, "calls": seconds, "waits": waits, "cores": cores,
            "others_cores": others_cores, "bytes_per_second": report["value"], "is_apart": setup.layout.load is not None}


def _run(setup, plan, daemon):
    """(what iperf3 says, seconds by call, by how much this program itself was late)"""
    host, _, port = daemon.control.rpartition(":")
    target = host.strip("[]"), int(port)
    command = ["iperf3", "-c", "127.0.0.1", "-p", str(daemon.address(PROXY)[1]), "-t", str(plan.seconds), "-J",
               "--parallel", str(CONNECTIONS), "--reverse"]
    seconds, waits = {name: [] for name, *_ in CALLS}, []
    # A session of its own: the system shares its processors among sessions first, and only the caller is to go first.
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True,
                          preexec_fn=processors.on(setup.layout.load)) as client:
        try:
            begin = time.monotonic()
            time.sleep(WARM_SECONDS)
            while client.poll() is None and time.monotonic() - begin < plan.seconds:
                setup.pace.step("calls", (time.monotonic() - begin) / plan.seconds)
                for name, *call in CALLS:
                    seconds[name].append(_timed(target, *call))
                    waits.append(_lateness())
            return throughput.received(client.communicate(timeout=30)[0]), seconds, waits
        finally:
            client.kill()


def _timed(target, method, path, body):
    """From connect to the whole answer, on a connection of its own, as curl does."""
    text = None if body is None else json.dumps(body)
    begin = time.perf_counter()
    with contextlib.closing(http.client.HTTPConnection(*target, timeout=30)) as connection:
        connection.request(method, path, text)
        answer = connection.getresponse()
        content = answer.read()
    took = time.perf_counter() - begin
    if answer.status >= 300:
        raise RuntimeError(f"{method} {path}: {answer.status} {content.decode(errors='replace')}")
    return took


def _lateness():
    """A pause; what it is longer than asked is what the machine keeps a program waiting that does nothing."""
    begin = time.perf_counter()
    time.sleep(0.001)
    return time.perf_counter() - begin - 0.001


def all_seconds(data):
    return [took for seconds in data["calls"].values() for took in seconds]


def text(data):
    rows = [[name, len(seconds), *map(time_text, (median(seconds), percentile(seconds, 0.99), max(seconds)))]
            for name, seconds in data["calls"].items()]
    where = ("The daemon on one core, iperf3's two ends and the caller, which goes first, on the other one"
             if data["is_apart"] else "No process is bound to a core")
    used = "unknown" if data["cores"] is None else f"{data['cores']:.2f}"
    noise = rounds.NOISE_MARK if data["others_cores"] > rounds.NOISE_CORES else ""
    return "\n".join([
        f"Calls from connect to the whole answer, on connections of their own, while {CONNECTIONS} connections carry "
        f"{rate_text(data['bytes_per_second'])} from server to client (iperf3, {data['seconds']} s), for which the "
        f"daemon uses {used} cores{noise}. `PUT /profile` puts all {CONNECTIONS} under a profile with a toxic "
        f"that does nothing, so that they stay fast, and the toxic is a latency of 1 ms on them. {where}. A pause of that "
        f"caller was too long by {time_text(median(data['waits']))} in the median and "
        f"{time_text(percentile(data['waits'], 0.99))} at p99: so much of a call is the machine's.",
        "",
        table(["call", "calls", "p50", "p99", "largest"], rows),
    ])
