"""Host names that lead to this machine, in /etc/hosts, for as long as the script lives and not a moment longer."""

import contextlib
import fcntl
import os
import subprocess
import sys
import time

HOSTS = "/etc/hosts"
LOCK_SECONDS = 600

# Waits for the end of the script, however that comes (its end of the pipe closes then), and puts the file back. What
# somebody else has written meanwhile stays: then only our line goes. The file is written in place: in a container it is
# a mount, which can't be replaced.
GUARDIAN = r"""
import signal, sys
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
path, before, line = sys.argv[1:]
print("ready", flush=True)
sys.stdin.read()
with open(path, "r+") as hosts:
    now = hosts.read()
    kept = before if now == before + line else now.replace(line, "")
    if kept != now:
        hosts.seek(0)
        hosts.write(kept)
        hosts.truncate()
"""


@contextlib.contextmanager
def mapped(address, names, path=HOSTS):
    """`names` lead to `address` inside the block. One script at a time: others wait."""
    with open(path, "r+") as hosts:
        _lock(hosts, path)
        before = hosts.read()
        line = f"{address} {' '.join(names)} # headwind's tests, process {os.getpid()}\n"
        if before and not before.endswith("\n"):
            line = "\n" + line
        guardian = subprocess.Popen([sys.executable, "-c", GUARDIAN, path, before, line], stdin=subprocess.PIPE,
                                    stdout=subprocess.PIPE, start_new_session=True)
        try:
            if guardian.stdout.readline() != b"ready\n":
                raise RuntimeError("the process that is to restore /etc/hosts did not start")
            hosts.write(line)
            hosts.flush()
            yield
        finally:
            hosts.flush()
            guardian.stdin.close()
            guardian.wait(10)
            guardian.stdout.close()


def _lock(hosts, path):
    end = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            return fcntl.flock(hosts, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > end:
                raise RuntimeError(f"{path} is still held by another run after {LOCK_SECONDS} s") from None
            time.sleep(0.2)
