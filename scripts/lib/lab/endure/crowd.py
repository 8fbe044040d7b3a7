"""Ten thousand sessions at once, and more connections than there are descriptors for."""

import contextlib
import json
import resource
import socket
import time

from .. import machine
from .herd import Count, Herd
from .trial import Outcome

SESSIONS = 10_000
MESSAGE_BYTES = 512
# With room in their queues for all to speak at once: TCP takes minutes to repair what thousands lose together ("incast"),
# over a modelled network as over a real one, and it is the daemon that is looked at here.
PROFILES = {
    "near": {"latency_ms": 40, "downstream_bytes_per_second": 12_500_000, "upstream_bytes_per_second": 12_500_000,
             "queue_ms": 5000},
    "far": {"latency_ms": 160, "jitter_ms": 20, "downstream_bytes_per_second": 6_250_000,
            "upstream_bytes_per_second": 6_250_000, "queue_ms": 5000},
}
SWITCHES = ("near", "far", "near", "none")
# What concerns all of them, a listing (some 3 MB of text) or a switch, holds the loop for so long at most.
ALL_SECONDS = 0.150
IDLE_CALLERS = 60
# For clients that nobody serves yet.
WAIT_SECONDS = 4


def ten_thousand(trial):
    """They come under a profile, speak, are switched, are listed, and go all at once."""
    limit = _raised(3 * SESSIONS)
    # Each takes two of the daemon's, which keeps some back.
    count = min(SESSIONS, limit // 2 - 200)
    outcome = Outcome(f"{count:,} sessions")
    with Herd(limit) as herd, trial.service(
            {"web": ("127.0.0.1:0", f"127.0.0.1:{herd.port}")}) as daemon:
        for name, path in PROFILES.items():
            daemon.call("PUT", f"/profiles/{name}", {"name": name, "path": path})
        daemon.call("PUT", "/profile/far")
        herd.connect(daemon.address("web"), 200)
        herd.exchange(MESSAGE_BYTES)
        herd.close()
        before = daemon.settled()
        made = herd.connect(daemon.address("web"), count)
        daemon.wait_for_sessions(made)
        said, listed, times = Count(), 0, []
        for profile in SWITCHES:
            _for_all(daemon, "PUT", f"/profile/{profile}", times)
            said = said + herd.exchange(MESSAGE_BYTES, 60 * trial.slowness)
            listed = len(json.loads(_for_all(daemon, "GET", "/sessions", times))["sessions"])
            daemon.timed("GET", "/proxies/web")
        busy = daemon.resident_bytes
        descriptors = daemon.descriptors
        herd.close()
        daemon.note_calls(outcome)
        outcome.time_at_most("longest switch or listing of all", max(times), ALL_SECONDS * trial.slowness)
        daemon.note_return(outcome, before)
        daemon.end(outcome)
    rounds = len(SWITCHES)
    outcome.done = (f"{made:,} clients came under a modelled network; {rounds} times the profile was switched "
                    f"({', '.join(SWITCHES)}), each said {MESSAGE_BYTES} bytes and wanted them back, and all were listed; then all "
                    "closed at once")
    outcome.held = f"{listed:,} sessions, {descriptors:,} descriptors, {(busy - before[0]) / max(1, listed) / 1000:.1f} kB each"
    outcome.survived = f"{rounds} switches, {said.right:,} exchanges, {listed:,} closes at once"
    outcome.equal("sessions at the last listing", listed, count)
    outcome.lost = {"sessions": said.gone + count - made, "exchanges unanswered": said.missing, "answers wrong": said.wrong}
    return outcome


def _for_all(daemon, method, path, times):
    """A call that concerns all sessions; its time comes to `times` and not to the calls that have the ordinary bar."""
    status, content = daemon.timed(method, path)
    if status != 200:
        raise RuntimeError(f"{method} {path}: {status} {content[:200]}")
    times.append(daemon.longest.pop(f"{method} {path}"))
    return content


def exhaustion(trial):
    """A limit of 256 descriptors: as many sessions as fit live, the rest waits for its turn, and the API answers."""
    outcome = Outcome("descriptors run out")
    limit, count = 256, 400
    with Herd(_raised(4_000)) as herd, trial.service(
            {"web": ("127.0.0.1:0", f"127.0.0.1:{herd.port}")}, prefix=["prlimit", f"--nofile={limit}:{limit}"]) as daemon:
        before = daemon.settled()
        herd.connect(daemon.address("web"), count)
        daemon.wait(lambda: len(daemon.sessions()) == herd.served() and herd.served() > 50, 5)
        first = herd.exchange(MESSAGE_BYTES, 2)
        live, used = len(daemon.sessions()), daemon.descriptors
        starved = _starve(daemon, herd)
        # Half of them go, and go on going: whoever waited comes in.
        said, left = first, count
        while said.right < left:
            left = herd.close(one_in=2)
            said = herd.exchange(MESSAGE_BYTES, WAIT_SECONDS)
        herd.close()
        daemon.timed("GET", "/proxies")
        daemon.note_calls(outcome)
        daemon.note_return(outcome, before)
        daemon.end(outcome)
    outcome.done = (f"{count} clients under `prlimit --nofile={limit}`, then {IDLE_CALLERS} idle connections to the "
                    "control port until nothing was left; half of the clients closed, again and again")
    outcome.held = f"{live} sessions, {used} of {limit} descriptors; the other {count - live} clients waited"
    outcome.survived = f"accepting stopped and went on; all {said.right} clients that had stayed were served at the end"
    outcome.equal("sessions that spoke on while nothing was left", starved["right"], live)
    outcome.equal("clients served at the end, of those that stayed", said.right, left)
    outcome.time_at_most("until the API answers again", starved["seconds"], 2 * trial.slowness)
    outcome.lost = {"sessions": first.gone + said.gone, "answers wrong": first.wrong + said.wrong}
    return outcome


def _starve(daemon, herd):
    """Takes the descriptors that are left with connections to the control port."""
    host, _, port = daemon.control.rpartition(":")
    with contextlib.ExitStack() as stack:
        for _ in range(IDLE_CALLERS):
            stack.enter_context(contextlib.closing(socket.create_connection((host, int(port)), timeout=5)))
        time.sleep(0.5)
        right = herd.exchange(MESSAGE_BYTES, WAIT_SECONDS).right
    begin = time.monotonic()
    daemon.call("GET", "/version")
    return {"right": right, "seconds": time.monotonic() - begin}


def _raised(wanted):
    """The limit of open files after raising it as far as is allowed."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    with contextlib.suppress(ValueError, OSError):
        if hard != resource.RLIM_INFINITY and hard < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, wanted))
    return min(machine.raise_descriptor_limit(), max(wanted, 4_096))
