"""A machine inside this one: a root directory that is booted, with systemd, a network and processes of its own."""

import contextlib
import ctypes
import os
import pathlib
import shutil
import signal
import subprocess
import time

from lab.process import Child, ChildFailed

BOOT_SECONDS = 60
NEW_NETWORK = 0x40000000  # CLONE_NEWNET of setns(2)
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
CONTROL_GROUPS = pathlib.Path("/sys/fs/cgroup")


def _own_groups(name):
    """Directories of control groups for a systemd of its own. None where this machine has one, which gives it some."""
    if pathlib.Path("/run/systemd/system").exists():
        return []
    named = {"name=systemd": "systemd", "": "unified" if (CONTROL_GROUPS / "unified").exists() else "."}
    lines = [line.split(":", 2) for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines()]
    return [CONTROL_GROUPS / named[kind] / place.lstrip("/") / name for _, kind, place in lines if kind in named]


def _remove_groups(groups):
    for top in groups:
        for directory, _, _ in os.walk(top, topdown=False):
            with contextlib.suppress(OSError):
                os.rmdir(directory)


class CannotBoot(Exception):
    """This machine lets no system be booted in a directory; nothing is known then of what was to be tried in it."""


class Container:
    """Boots `root`; leaving the block shuts it down, by force if need be, and nothing of it is left but `root`."""

    def __init__(self, root, log):
        self.root, self.log = root, log
        self.name = f"headwind-check-{os.getpid()}"
        self.groups = _own_groups(self.name)

    def __enter__(self):
        command = ["systemd-nspawn", "--quiet", "--register=no", "--link-journal=no", "--private-network",
                   "--console=pipe", f"--machine={self.name}", f"--directory={self.root}", "--boot"]
        command += ["--keep-unit"] if self.groups else []
        # Its own group first, by a shell, because that must be the process that becomes systemd-nspawn.
        join = """
          for group; do
            shift
            [ "$group" != -- ] || break
            mkdir -p "$group"
            echo $$ >"$group/cgroup.procs"
          done
          exec "$@"
        """
        self.child = Child(["sh", "-euc", join, "sh", *self.groups, "--", *command, "systemd.firstboot=off"], self.log)
        try:
            self.leader = self._wait_for_leader()
            state = self.output("systemctl", "is-system-running", "--wait", seconds=BOOT_SECONDS, may_fail=True)
            if state not in ("running", "degraded"):
                self.child.fail(f"it did not come up: {state}")
        except (ChildFailed, subprocess.TimeoutExpired) as problem:
            self.__exit__()
            raise CannotBoot(str(problem)) from problem
        except BaseException:
            self.__exit__()
            raise
        return self

    def _wait_for_leader(self):
        children = pathlib.Path(f"/proc/{self.child.pid}/task/{self.child.pid}/children")
        end = time.monotonic() + BOOT_SECONDS
        while time.monotonic() < end and self.child.process.poll() is None:
            with contextlib.suppress(OSError, IndexError):
                leader = int(children.read_text().split()[0])
                # Its systemd listens for us as soon as it is one.
                if pathlib.Path(f"/proc/{leader}/root/run/systemd/private").exists():
                    return leader
            time.sleep(0.05)
        self.child.fail("no systemd of its own came up")

    def __exit__(self, *_):
        with contextlib.suppress(AttributeError, OSError, subprocess.TimeoutExpired):
            os.kill(self.leader, signal.SIGRTMIN + 4)  # to systemd: power off
            self.child.process.wait(30)
        self.child.stop()
        _remove_groups(self.groups)
        for place in ("propagate", "unix-export"):  # systemd-nspawn keeps them where /run is a disk
            shutil.rmtree(f"/run/systemd/nspawn/{place}/{self.name}", ignore_errors=True)

    def path(self, inside):
        """A file of the running container, as seen from here."""
        return pathlib.Path(f"/proc/{self.leader}/root") / inside.lstrip("/")

    def run(self, *command, seconds=30):
        """What the command says, both streams, and its status."""
        enter = ["nsenter", f"--target={self.leader}", "--all", "--root", "--wd", "env", "-i", f"PATH={PATH}",
                 "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C.UTF-8"]
        done = subprocess.run([*enter, *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=seconds)
        return done.stdout.strip(), done.returncode

    def output(self, *command, seconds=30, may_fail=False):
        said, status = self.run(*command, seconds=seconds)
        if status and not may_fail:
            raise ChildFailed(f"{' '.join(command)}: status {status}\n{said[-2000:]}")
        return said

    @contextlib.contextmanager
    def network(self):
        """Sockets that this thread makes, and threads that it starts, are in the container's network."""
        libc = ctypes.CDLL(None, use_errno=True)

        def enter(file):
            if libc.setns(file.fileno(), NEW_NETWORK):
                raise OSError(ctypes.get_errno(), "setns")

        with open("/proc/self/ns/net") as ours, open(f"/proc/{self.leader}/ns/net") as theirs:
            enter(theirs)
            try:
                yield
            finally:
                enter(ours)
