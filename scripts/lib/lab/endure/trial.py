"""What a scenario runs with, and what it comes to: every verdict is a comparison of two numbers."""

import contextlib
import http.client
import os
import pathlib
import re
import signal
import subprocess
import time
from dataclasses import dataclass, field

from .. import machine
from ..daemon import Daemon
from ..report import size_text, time_text

# A call may take no longer, not counting time for which the daemon was ready to run and had no processor.
CALL_SECONDS = 0.050
# What may stay in memory behind a burst.
MEMORY_BYTES = 16_000_000
# Figures that every daemon is asked for.
DESCRIPTORS, EXIT_STATUS, REPORTS = "descriptors afterwards", "exit status", "reports of a sanitizer or trap"
COMPLAINT = re.compile(r"ERROR: AddressSanitizer|WARNING: ThreadSanitizer|Fatal error|SUMMARY: \w+Sanitizer")


@dataclass
class Check:
    figure: str
    bound: str
    measured: str
    is_kept: bool


@dataclass
class Outcome:
    """One line of the page, with its figures."""

    name: str
    done: str = ""
    held: str = ""
    survived: str = ""
    lost: dict = field(default_factory=dict)  # of what, how many
    checks: list = field(default_factory=list)
    problem: str = ""
    seconds: float = 0

    @property
    def is_kept(self):
        return not self.problem and not any(self.lost.values()) and all(check.is_kept for check in self.checks)

    @property
    def lost_text(self):
        found = [f"{count:,} {what}" for what, count in self.lost.items() if count]
        return ", ".join(found) or "nothing" if self.lost else "–"

    def at_most(self, figure, measured, bound, text=str):
        self.checks.append(Check(figure, f"≤ {text(bound)}", text(measured), measured <= bound))

    def at_least(self, figure, measured, bound, text=str):
        self.checks.append(Check(figure, f"≥ {text(bound)}", text(measured), measured >= bound))

    def is_so(self, figure, measured):
        self.equal(figure, measured, True, lambda value: "yes" if value else "no")

    def equal(self, figure, measured, bound, text=str):
        self.checks.append(Check(figure, text(bound), text(measured), measured == bound))

    def time_at_most(self, figure, measured, bound):
        self.at_most(figure, measured, bound, time_text)

    def size_at_most(self, figure, measured, bound):
        self.at_most(figure, max(0, measured), bound, size_text)


@dataclass
class Trial:
    """The binary, a directory, how long to take, and how patient to be."""

    binary: pathlib.Path
    directory: pathlib.Path
    is_short: bool
    sanitizer: str = ""  # or "address", "thread"

    @property
    def slowness(self):
        """By how much longer things may take: a sanitizer makes everything some times slower."""
        return 10 if self.sanitizer else 1

    def choose(self, short, full):
        return short if self.is_short else full

    def service(self, proxies, *arguments, **how):
        return Service(self, proxies, arguments, **how)


class Service(Daemon):
    """A daemon that a scenario may start in its own way, stop, and ask how it was: leaving the block ends it."""

    def __init__(self, trial, proxies, arguments=(), **how):
        super().__init__(trial.binary, trial.directory, proxies, arguments, **how)
        self.trial = trial
        self.longest = {}
        machine.go_first(self.pid)

    @property
    def descriptors(self):
        return machine.open_descriptors(self.pid, self.trial.sanitizer)

    @property
    def resident_bytes(self):
        return machine.resident_bytes(self.pid)

    @property
    def is_running(self):
        return self.child.process.poll() is None

    def timed(self, method, path, body=b"", what=None):
        """A call whose time counts (see `note_calls`), without what reading its answer as JSON takes: (status, content)."""
        host, _, port = self.control.rpartition(":")
        connection = http.client.HTTPConnection(host.strip("[]"), int(port), timeout=30)
        with contextlib.closing(connection):
            begin, waited = time.monotonic(), machine.waited_seconds(self.pid)
            connection.request(method, path, body or None)
            answer = connection.getresponse()
            first = time.monotonic() - begin - (machine.waited_seconds(self.pid) - waited)
            content = answer.read()
        name = what or method + " " + path
        self.longest[name] = max(first, self.longest.get(name, 0))
        return answer.status, content

    def note_calls(self, outcome, bound_seconds=CALL_SECONDS):
        """The longest call is held against the bar; a sanitizer's times are only shown."""
        if not self.longest:
            return
        name, seconds = max(self.longest.items(), key=lambda call: call[1])
        outcome.time_at_most(f"longest call ({name})", seconds, bound_seconds * self.trial.slowness)

    def sessions(self):
        return self.call("GET", "/sessions")["sessions"]

    def wait(self, holds, seconds=20):
        """Whether `holds` came true in time."""
        end = time.monotonic() + seconds * self.trial.slowness
        while time.monotonic() < end:
            if holds():
                return True
            time.sleep(0.02)
        return holds()

    def wait_for_sessions(self, count, seconds=20):
        return self.wait(lambda: len(self.sessions()) == count, seconds)

    def settled(self, descriptors=None):
        """(resident bytes, descriptors) once no session is left and memory has had the time to go back."""
        self.wait(lambda: not self.sessions() and self.descriptors <= (descriptors or self.descriptors))
        time.sleep(2)
        return self.resident_bytes, self.descriptors

    def note_return(self, outcome, before):
        """Descriptors and memory are as before; a sanitizer keeps freed memory back, so there only descriptors count."""
        after = self.settled(before[1])
        outcome.equal(DESCRIPTORS, after[1], before[1])
        if not self.trial.sanitizer:
            outcome.size_at_most("memory that stayed", after[0] - before[0], MEMORY_BYTES)

    def signal(self, number):
        os.kill(self.pid, number)

    def end(self, outcome, seconds=10):
        """SIGTERM, and it ends by itself, well, and without a report of a sanitizer's."""
        if self.is_running:
            self.signal(signal.SIGTERM)
        try:
            status = self.child.process.wait(seconds * self.trial.slowness)
        except subprocess.TimeoutExpired:
            status = "still running"
        outcome.equal(EXIT_STATUS, status, 0)
        self.note_reports(outcome)

    def note_reports(self, outcome):
        """What a sanitizer or the Swift runtime has said; a dead daemon has said why."""
        said = self.log.read_text(errors="replace")
        found = len(COMPLAINT.findall(said))
        if found:
            outcome.problem += said[COMPLAINT.search(said).start():][:3000]
        outcome.equal(REPORTS, found, 0)
