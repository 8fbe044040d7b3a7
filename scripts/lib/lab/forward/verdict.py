"""How a check begins and ends: with a directory of its own and in time; with what it complains of, a line each."""

import pathlib
import subprocess
import tempfile

from .. import machine, process


def of(check, name, seconds):
    """The exit status. `check` takes the directory and returns complaints; what it can't go on after is one, too."""
    machine.bounded(seconds)
    with tempfile.TemporaryDirectory(prefix=f"headwind-{name}-") as directory:
        try:
            complaints = check(pathlib.Path(directory))
        except (process.ChildFailed, subprocess.SubprocessError, RuntimeError, OSError) as problem:
            complaints = [str(problem)]
    for complaint in complaints:
        machine.say(complaint)
    return 1 if complaints else 0
