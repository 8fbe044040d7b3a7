"""A log that can't be written: a full disk, and a pipe that nobody reads."""

import contextlib
import os
import subprocess

from .herd import Count, Herd
from .trial import Outcome

DISK_BYTES = 65_536
CLIENTS = 200


def logs(trial):
    """Everything is logged, and nothing of it can be written."""
    outcome = Outcome("no room for the log")
    rounds = trial.choose(3, 10)
    said, ways, survived = Count(), [], []
    with contextlib.ExitStack() as stack:
        herd = stack.enter_context(Herd(4_096))
        for name, target in _targets(trial.directory, stack):
            redirect = ["sh", "-c", f'exec "$@" 2>>{target}', "sh"]
            with trial.service({"web": ("127.0.0.1:0", f"127.0.0.1:{herd.port}")}, "--log-level", "debug",
                               prefix=redirect) as daemon:
                before = daemon.settled()
                for _ in range(rounds):
                    herd.connect(daemon.address("web"), CLIENTS)
                    said = said + herd.exchange(1_000, 20 * trial.slowness)
                    daemon.timed("PUT", "/profile/lte")
                    daemon.timed("DELETE", "/profile")
                    herd.close()
                daemon.note_calls(outcome)
                daemon.note_return(outcome, before)
                ways.append(name)
                if name == "a disk of 64 kB":
                    survived.append(_goes_on(daemon, target))
                daemon.end(outcome)
    status, complaint = _ready_file_on_full_disk(trial)
    wanted = len(ways) * rounds * CLIENTS
    outcome.done = (f"`--log-level debug` into {', '.join(ways)}; in each {rounds} times {CLIENTS} clients came, spoke and went, and "
                    "the profile was switched")
    outcome.held = f"{wanted:,} sessions"
    outcome.survived = f"{said.right:,} exchanges" + "".join(f"; {text}" for text, _ in survived)
    for text, is_true in survived:
        outcome.is_so(text, is_true)
    outcome.equal("exit status where the ready file has no room", status, 1)
    outcome.is_so("the message names that file", complaint)
    outcome.lost = {"exchanges": wanted - said.right}
    return outcome


def _targets(directory, stack):
    """(what it is, where standard error goes)"""
    yield "/dev/full", "/dev/full"
    pipe = directory / "unread"
    os.mkfifo(pipe)
    # Open at both ends, so that neither waits for the other, and never read.
    descriptor = os.open(pipe, os.O_RDWR)
    stack.callback(os.close, descriptor)
    yield "a pipe that nobody reads", pipe
    disk = directory / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "headwind", disk],
                             stderr=subprocess.DEVNULL, timeout=10)
    if mounted.returncode == 0:
        stack.callback(subprocess.run, ["umount", disk], timeout=10)
        yield "a disk of 64 kB", disk / "log"


def _goes_on(daemon, log):
    """(what is claimed, whether it is so): there is a log again once there is room."""
    full = log.stat().st_size
    os.truncate(log, 0)
    daemon.call("PUT", "/profile/edge")
    claim = f"it logged on once there was room again ({full:,} bytes were there)"
    return claim, daemon.wait(lambda: "to=edge" in log.read_text(errors="replace"), 5)


def _ready_file_on_full_disk(trial):
    """(exit status, whether the message names the file)"""
    done = subprocess.run([trial.binary, "serve", "--control", "127.0.0.1:0", "--ready-file", "/dev/full"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=60)
    return done.returncode, "/dev/full" in done.stderr
