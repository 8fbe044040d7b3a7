"""The wall clock goes forward by a day and back by a month: what has a time limit follows the other clock."""

import datetime
import os
import shutil
import struct
import subprocess
import time

from .. import machine
from ..peers import Serving, connect, echo, exchange
from .trial import Outcome

LATENCY_MS = 200
TERM_SECONDS = 3
DAY_SECONDS = 86_400
# The newest event may be so old.
EVENT_SECONDS = 60
STEPS = {"a day forward": DAY_SECONDS, "thirty days back": -30 * DAY_SECONDS, "back to the truth": 0}


def clocks(trial):
    outcome = Outcome("clock steps")
    clock = _Clock(trial.directory)
    if not clock.library:
        outcome.problem = "there is no C compiler, so nothing was tried"
        return outcome
    environment = {"LD_PRELOAD": str(clock.library), "WALLCLOCK_FILE": str(clock.file)}
    if trial.sanitizer == "address":
        environment["ASAN_OPTIONS"] = os.environ["ASAN_OPTIONS"] + ":verify_asan_link_order=0"
    with Serving(echo) as server, trial.service(
            {"web": ("127.0.0.1:0", server.address), "other": ("127.0.0.1:0", server.address)},
            environment=environment) as daemon:
        daemon.set_toxic("web", "latency", {"latency": LATENCY_MS})
        client = connect(daemon.address("web"))
        trips, shifts, early, late = [], [], 0, 0
        for seconds in STEPS.values():
            begin = time.monotonic()
            daemon.call("PUT", f"/profile/lte?for={TERM_SECONDS}s")
            lease = {"profile": "lte", "proxies": ["other"], "for": f"{TERM_SECONDS}s", "by": "endure"}
            daemon.call("POST", "/leases", lease)
            clock.step(seconds)
            while time.monotonic() < begin + TERM_SECONDS - 0.5:
                trips.append(_round_trip(client))
                early += not _both_hold(daemon)
            time.sleep(max(0, begin + TERM_SECONDS + 0.5 * trial.slowness - time.monotonic()))
            late += _either_holds(daemon)
            shifts.append(_shift_of_events(daemon))
        client.close()
        daemon.end(outcome)
    is_shifted = [abs(shift - seconds) < EVENT_SECONDS for shift, seconds in zip(shifts, STEPS.values())]
    outcome.done = (f"the daemon's wall clock went {', '.join(STEPS)}, each time with a profile and a lease for {TERM_SECONDS} s just "
                    f"put in force, and a client under {LATENCY_MS} ms of latency")
    outcome.held = f"{2 * len(STEPS)} terms, each its {TERM_SECONDS} s"
    outcome.survived = f"{len(trips)} round trips, {len(STEPS)} steps"
    outcome.equal("looks at which a term had ended early", early, 0)
    outcome.equal(f"terms still there {0.5 * trial.slowness:g} s after their end", late, 0)
    outcome.equal("steps after which events had the wall clock's time", sum(is_shifted), len(STEPS))
    # The round trip under the profile too: its 50 ms and what a window or a late processor adds.
    outcome.at_least("shortest round trip", min(filter(None, trips), default=0), LATENCY_MS / 1000,
                     lambda value: f"{value * 1000:.1f} ms")
    outcome.lost = {"round trips": sum(trip is None for trip in trips)}
    return outcome


def _round_trip(client):
    seen = exchange(client)
    return seen.seconds if seen.data == b"x" else None


def _both_hold(daemon):
    return daemon.call("GET", "/profile")["name"] == "lte" and len(daemon.call("GET", "/leases")["leases"]) == 1


def _either_holds(daemon):
    return (daemon.call("GET", "/profile")["name"] == "lte") + len(daemon.call("GET", "/leases")["leases"])


def _shift_of_events(daemon):
    """By how many seconds the newest event lies behind or before this process's clock."""
    newest = daemon.call("GET", "/events")["events"][-1]["at"]
    moment = datetime.datetime.fromisoformat(newest)
    return moment.timestamp() - time.time()


class _Clock:
    """A wall clock that can be moved, for a program that loads `library`."""

    def __init__(self, directory):
        self.file = directory / "wallclock"
        self.step(0)
        compiler = shutil.which("cc") or shutil.which("clang")
        self.library = directory / "wallclock.so" if compiler else None
        if compiler:
            subprocess.run([compiler, "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", self.library,
                            machine.LIB / "wallclock.c"], check=True, timeout=60)

    def step(self, seconds):
        """In place: the program has mapped the file."""
        with open(self.file, "r+b" if self.file.exists() else "wb") as file:
            file.write(struct.pack("=q", seconds))
