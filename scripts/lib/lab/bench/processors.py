"""Who uses the processors: where processes may run, and what time they have taken."""

import contextlib
import os
import pathlib
from dataclasses import dataclass

from .. import machine

PROC = pathlib.Path("/proc")
IS_TOLD = (PROC / "stat").exists()  # elsewhere than on Linux nobody says who has used what
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Layout:
    """`load`: the cores of clients and upstreams; `proxy`: the proxy's. None: wherever the system lets them run."""

    load: tuple | None = None
    proxy: tuple | None = None


FREE = Layout()


def apart():
    """Load on the first core, the proxy on the second; no layout where there is one core only, or no way."""
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    return Layout((cores[0],), (cores[1],)) if len(cores) > 1 else FREE


def pin(pid, cores):
    """Lets all threads of the process, and what they start from now on, run on these cores only."""
    if cores is None:
        return
    with contextlib.suppress(ProcessLookupError):
        for thread in (PROC / str(pid) / "task").iterdir():
            os.sched_setaffinity(int(thread.name), cores)


def on(cores):
    """For `preexec_fn`: the child runs on these cores only, and before nobody, whoever starts it."""
    def prepare():
        os.setpriority(os.PRIO_PROCESS, 0, max(0, os.getpriority(os.PRIO_PROCESS, 0)))
        if cores:
            os.sched_setaffinity(0, cores)
    return prepare


@contextlib.contextmanager
def going_first():
    """This process before others meanwhile, where that is allowed."""
    pid = os.getpid()
    before = os.getpriority(os.PRIO_PROCESS, pid)
    machine.go_first(pid)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            (PROC / str(pid) / "autogroup").write_text("0")
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, pid, before)


def used_seconds(pid):
    """Processor time of a process and all that it has started, ended children that it has waited for included; None
    where the system doesn't tell."""
    if not IS_TOLD:
        return None
    parents, times = {}, {}
    for entry in PROC.iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                # The name, in parentheses, may hold anything. Then: state, parent …; times are fields 14 to 17 of all.
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                parents[int(entry.name)], times[int(entry.name)] = int(fields[1]), sum(map(int, fields[11:15]))
    wanted, total = [pid], 0
    while wanted:
        one = wanted.pop()
        total += times.get(one, 0)
        wanted += [child for child, parent in parents.items() if parent == one]
    return total / TICKS_PER_SECOND


def busy_seconds():
    """What all processes of the machine have used so far; interrupts, which belong to nobody, left out."""
    user, nice, system = (PROC / "stat").read_text().split("\n", 1)[0].split()[1:4]
    return (int(user) + int(nice) + int(system)) / TICKS_PER_SECOND


class Others:
    """What processes that this script has not started use meanwhile, in cores."""

    def __init__(self):
        self.begin = self._now()

    @staticmethod
    def _now():
        if not IS_TOLD:
            return 0.0, 0.0
        return busy_seconds() - used_seconds(os.getpid()), float((PROC / "uptime").read_text().split()[0])

    def cores(self):
        used, at = self._now()
        return max(0.0, (used - self.begin[0]) / (at - self.begin[1])) if at > self.begin[1] else 0.0
