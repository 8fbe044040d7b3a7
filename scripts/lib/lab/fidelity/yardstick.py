"""linklab: where it is, what it needs, and its matrix through a proxy."""

import contextlib
import ctypes
import importlib.util
import os
import pathlib
import shlex
import signal
import subprocess
import sys

from .. import machine

PR_SET_PDEATHSIG = 1
# Its cells are ended one after the other, with five seconds for each of their processes.
PATIENCE_SECONDS = 60


class Unusable(Exception):
    """linklab isn't there, or can't run here."""


def find(given=None):
    """The folder of linklab: as given, as HEADWIND_LINKLAB says, or beside the checkout."""
    place = given or os.environ.get("HEADWIND_LINKLAB") or machine.TOP.parent / "shared" / "linklab"
    folder = pathlib.Path(place).resolve()
    if not (folder / "linklab.py").is_file() or not (folder / "truth").is_dir():
        raise Unusable(f"no linklab.py and truth in {place}: name linklab's folder by --linklab or HEADWIND_LINKLAB")
    return folder


def load(folder):
    """linklab as a module: its links, workloads, quantiles and comparison are the ones that count."""
    spec = importlib.util.spec_from_file_location("linklab", folder / "linklab.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def check_machine():
    """Namespaces need root, and a container may lack the right to them even so."""
    if not sys.platform.startswith("linux"):
        raise Unusable("linklab needs Linux")
    if os.geteuid() != 0:
        raise Unusable("linklab makes network namespaces: run this as root")
    name = f"headwind-fidelity-{os.getpid()}"
    try:
        made = subprocess.run(["ip", "netns", "add", name], capture_output=True, text=True, timeout=10)
        subprocess.run(["ip", "netns", "del", name], capture_output=True, timeout=10)
    except FileNotFoundError:
        raise Unusable("no ip(8) here: install iproute2") from None
    if made.returncode:
        raise Unusable(f"network namespaces can't be made here: {made.stderr.strip()}")


class Matrix:
    """One run of `linklab.py matrix` through a proxy. Leaving the block ends it, with its namespaces."""

    def __init__(self, folder, out, via, plan):
        self.folder, self.log = folder, out.parent / f"{out.name}.log"
        options = {"--out": out, "--via": shlex.join(map(str, via)), "--links": ",".join(plan.links),
                   "--workloads": ",".join(plan.workloads), "--scale": plan.scale, "--budget": plan.budget,
                   "--jobs": plan.jobs, "--seed": plan.seed}
        self.command = [sys.executable, "-B", folder / "linklab.py", "matrix"]
        self.command += [word for option in options.items() for word in option]

    def __enter__(self):
        def end_with_parent():
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)

        self.log.parent.mkdir(parents=True, exist_ok=True)
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen([str(word) for word in self.command], stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=log, start_new_session=True, preexec_fn=end_with_parent)
        return self

    def wait(self, seconds, label):
        """Until all cells are measured, showing how many there are."""
        step_seconds, waited = 2, 0
        while waited < seconds:
            with contextlib.suppress(subprocess.TimeoutExpired):
                if self.process.wait(step_seconds):
                    raise Unusable(f"linklab failed:\n{self.log.read_text(errors='replace')[-2000:].strip()}")
                return machine.progress("")
            waited += step_seconds
            head, *cells = self.log.read_text(errors="replace").splitlines() or [""]
            machine.progress(f"{label}: {len(cells)} of {head}")
        raise Unusable(f"linklab: {label} not done after {seconds:.0f} s")

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(PATIENCE_SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        clean = [sys.executable, "-B", self.folder / "linklab.py", "clean"]
        subprocess.run(clean, stdin=subprocess.DEVNULL, timeout=60)
