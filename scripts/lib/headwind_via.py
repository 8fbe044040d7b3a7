#!/usr/bin/env python3
"""Lets linklab measure headwind: a daemon with one proxy, under the link as a profile.

  linklab.py matrix --out DIR --via 'headwind_via.py --binary PATH --listen {listen} --upstream {upstream} \\
             --link {link} --seed {seed}'

It prints a line `ready` when the daemon listens, and ends with it on SIGTERM. The daemon runs at the real-time priority
of linklab's own emulator, where that is allowed: many cells run side by side, and it is the path that is measured, not
the rest of the machine.
"""

import argparse
import contextlib
import ctypes
import json
import os
import pathlib
import signal
import sys
import tempfile

sys.dont_write_bytecode = True

from lab.daemon import Daemon  # noqa: E402
from lab.fidelity.profile import NoSuchPath, of_link  # noqa: E402
from lab.process import ChildFailed  # noqa: E402

EMULATOR_PRIORITY = 2
PR_SET_PDEATHSIG = 1


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for flag in ("--binary", "--listen", "--upstream", "--link"):
        parser.add_argument(flag, required=True)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--model", choices=("tcp", "plain"), default="tcp")
    parser.add_argument("--congestion-control", choices=("cubic", "bbr"), default="cubic")
    return parser.parse_args()


def end_with_parent():
    """What has started this may be killed: then nothing is to stay behind."""
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def be_prompt():
    with contextlib.suppress(OSError, AttributeError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(EMULATOR_PRIORITY))


def serve(chosen, directory):
    profile = of_link(json.loads(chosen.link), "link", chosen.model, chosen.congestion_control)
    profiles = directory / "profiles"
    profiles.mkdir()
    (profiles / "link.json").write_text(json.dumps(profile))
    arguments = ["--profiles", profiles, "--profile", "link", "--seed", chosen.seed]
    with Daemon(chosen.binary, directory, {"link": (chosen.listen, chosen.upstream)}, arguments) as daemon:
        print("ready", flush=True)
        daemon.child.process.wait()
        daemon.child.fail("ended by itself")


def main():
    chosen = options()
    end_with_parent()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    be_prompt()
    with tempfile.TemporaryDirectory(prefix="headwind-via-") as name:
        try:
            serve(chosen, pathlib.Path(name))
        except (ChildFailed, NoSuchPath, OSError, ValueError) as problem:
            sys.exit(f"headwind_via: {problem}")


if __name__ == "__main__":
    main()
