"""Runs a piece of shell as somebody would who copies it, and sees to it that nothing is left of it."""

import contextlib
import os
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass

LIMIT_SECONDS = 180
# A daemon that was told to end may still deliver what it holds.
PATIENCE_SECONDS = 8


@dataclass(frozen=True)
class Done:
    status: int
    output: str
    errors: str
    left_behind: bool

    def complaints(self):
        if self.status:
            yield f"status {self.status}\n{self.output[-1500:]}{self.errors[-2500:]}"
        if self.left_behind:
            yield "left a process behind"


def run(text, directory, environment):
    """In a process group of its own, which is ended afterwards."""
    def file():
        return tempfile.TemporaryFile("w+", errors="replace")

    with file() as output, file() as errors:
        process = subprocess.Popen(["bash", "-e", "-c", text], cwd=directory, env=environment, stdin=subprocess.DEVNULL,
                                   stdout=output, stderr=errors, start_new_session=True)
        try:
            status = process.wait(LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            status = f"none after {LIMIT_SECONDS} s"
        finally:
            left_behind = not _is_over(process.pid, PATIENCE_SECONDS if process.poll() is not None else 0)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        output.seek(0)
        errors.seek(0)
        return Done(status, output.read(), errors.read(), left_behind)


def _is_over(group, seconds):
    end = time.monotonic() + seconds
    while True:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        if time.monotonic() >= end:
            return False
        time.sleep(0.05)
