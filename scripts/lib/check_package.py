"""The part of scripts/check-package that runs in Python: check_package.py PACKAGE.deb [--suite NAME]"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

from check_package_service import check_service, check_socket, check_user_service, call, listens  # noqa: E402
from lab import machine, process  # noqa: E402
from lab.container import CannotBoot, Container  # noqa: E402

SECONDS = 600
# As in automake: nothing was tried.
CANNOT_TRY = 77
# systemd, and what a log-in of a user needs.
BASE = ("systemd", "systemd-sysv", "dbus", "libpam-systemd", "passwd")
# Where files come and go that aren't the package's; links of the units are below /etc and /var/lib/systemd.
PASSING = re.compile(r"/(proc|sys|dev|run|tmp|var/tmp|home|var/log|var/cache)(/|$)|/var/lib/dpkg/.*-old$"
                     r"|/var/lib/systemd/(timers|linger|random-seed|coredump|timesync|pstore|catalog|private)(/|$)")
EXPECTED = (
    "/usr/bin/headwind", "/etc/headwind/headwind.json", "/usr/share/headwind/profiles/3g.json",
    "/lib/systemd/system/headwind.service", "/lib/systemd/system/headwind.socket",
    "/usr/lib/systemd/user/headwind.service",
    "/usr/share/man/man1/headwind.1.gz", "/usr/share/bash-completion/completions/headwind",
    "/usr/share/zsh/vendor-completions/_headwind", "/usr/share/fish/vendor_completions.d/headwind.fish",
    "/usr/share/doc/headwind/README.md.gz", "/usr/share/doc/headwind/changelog.gz", "/usr/share/doc/headwind/copyright",
)


def options():
    host = dict(line.split("=", 1) for line in pathlib.Path("/etc/os-release").read_text().splitlines() if "=" in line)
    parser = argparse.ArgumentParser(prog="check-package")
    parser.add_argument("package", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--suite", default=host.get("VERSION_CODENAME", "stable"))
    chosen = parser.parse_args()
    chosen.is_own_suite = chosen.suite == host.get("VERSION_CODENAME")
    return chosen


def field(package, name):
    command = ["dpkg-deb", "--field", package, name]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def dependencies(package):
    """Names in Depends, without versions: all that the package may find in a root that is otherwise clean."""
    return [entry.split()[0] for entry in field(package, "Depends").split(",")]


def make_root(chosen, root):
    """A clean Debian with systemd and the package's dependencies, and nothing else."""
    names = (*BASE, *dependencies(chosen.package))
    places = filter(os.path.exists, ("/etc/apt/sources.list", "/etc/apt/sources.list.d/debian.sources"))
    command = ["mmdebstrap", "--quiet", "--mode=root", "--variant=apt", "--dpkgopt=force-unsafe-io",
               f"--include={','.join(names)}", chosen.suite, root, *(places if chosen.is_own_suite else ())]
    machine.say(f"a clean Debian {chosen.suite} with {', '.join(names)}")
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=400)
    if done.returncode:
        raise process.ChildFailed(f"mmdebstrap: status {done.returncode}\n{done.stdout[-3000:]}")
    # What the first boot would ask for, or make.
    subprocess.run(["systemd-machine-id-setup", f"--root={root}"], check=True, capture_output=True)
    subprocess.run(["chroot", root, "useradd", "--create-home", "--shell", "/bin/sh", "tester"], check=True)


def files(container):
    """All names in the root that stay."""
    found = container.output("find", "/", "-xdev", "-print", seconds=60)
    return {name for name in found.splitlines() if not PASSING.match(name)}


def check_installed(container, package):
    container.output("dpkg", "--install", "/tmp/headwind.deb", seconds=60)
    missing = [name for name in EXPECTED if not container.path(name).exists()]
    assert not missing, f"not installed: {missing}"
    assert not container.output("dpkg", "--verify", "headwind"), "files differ from the package's own sums"
    version = container.output("headwind", "--version").removeprefix("headwind ")
    assert field(package, "Version").startswith(version), f"the binary says version {version}"
    said = container.output("headwind", "check-config", "/etc/headwind/headwind.json")
    profiles = container.output("headwind", "check-config", "--profiles", "/usr/share/headwind/profiles")
    for unit in ("headwind.service", "headwind.socket"):
        states = [container.output("systemctl", verb, unit, may_fail=True) for verb in ("is-enabled", "is-active")]
        assert states == ["disabled", "inactive"], f"{unit} after installation: {states}"
    with container.network():
        assert not listens(8474), "something listens on 8474 after installation"
    machine.say(f"installed, not enabled, not listening; headwind {version}; config {said}; profiles {profiles}")


def check_upgrade(container):
    """The same package again: a running service is the new one, and a changed configuration stays."""
    container.output("systemctl", "start", "headwind.service")
    config = container.path("/etc/headwind/headwind.json")
    config.write_text(config.read_text() + "// ours\n")
    before = container.output("systemctl", "show", "--property=MainPID", "headwind.service")
    container.output("dpkg", "--install", "/tmp/headwind.deb", seconds=60)
    after = container.output("systemctl", "show", "--property=MainPID", "headwind.service")
    assert before != after and after != "MainPID=0", f"an upgrade left the service as it was: {before}, {after}"
    assert config.read_text().endswith("// ours\n"), "an upgrade has replaced the configuration"
    machine.say("upgraded while it ran: restarted, configuration kept")


def check_removed(container, before):
    """Removed and purged while enabled and running."""
    container.output("systemctl", "enable", "headwind.service", "headwind.socket")
    container.output("systemctl", "start", "headwind.service")
    container.output("dpkg", "--remove", "headwind", seconds=60)
    state = container.output("systemctl", "is-active", "headwind.service", may_fail=True)
    assert state != "active", "removed, and it runs on"
    assert container.path("/etc/headwind/headwind.json").exists(), "removing takes the configuration away, too"
    with container.network():
        assert not listens(8474), "removed, and something listens on 8474"
    container.output("dpkg", "--purge", "headwind", seconds=60)
    left, lost = files(container) - before, before - files(container)
    assert not left, f"left after purge: {sorted(left)}"
    assert not lost, f"gone with the package: {sorted(lost)}"
    machine.say("removed: stopped, configuration kept; purged: nothing is left")


def check_archive(container, archive, before):
    """The archive for other Linuxes, as docs/install.md has it: the same units find the program in /usr/local."""
    container.path("/tmp/archive.tar.gz").write_bytes(archive.read_bytes())
    container.output("sh", "-euc", """
      tar -xzf /tmp/archive.tar.gz -C /usr/local --strip-components=1 --no-same-owner
      install -D -m 644 /usr/local/share/headwind/headwind.json /etc/headwind/headwind.json
      systemctl daemon-reload
      systemctl start headwind.service""")
    with container.network():
        call("/healthz")
    container.output("sh", "-euc", """
      systemctl stop headwind.service
      tar -tzf /tmp/archive.tar.gz | cut -d/ -f2- | (cd /usr/local && xargs rm -f)
      rm -r /etc/headwind""")
    left = {name for name in files(container) - before if not container.path(name).is_dir()}
    assert not left, f"left of the archive: {sorted(left)}"
    machine.say("archive: unpacked into /usr/local, started, taken away: nothing but directories is left")


def check(chosen, directory):
    root = directory / "root"
    make_root(chosen, root)
    with Container(root, directory / "console.log") as container:
        before = files(container)
        machine.say(f"booted: {container.output('systemctl', '--version').splitlines()[0]}, {len(before)} files")
        container.path("/tmp/headwind.deb").write_bytes(chosen.package.read_bytes())
        check_installed(container, chosen.package)
        check_service(container)
        check_socket(container)
        check_user_service(container)
        check_upgrade(container)
        check_removed(container, before)
        for archive in chosen.package.parent.glob("headwind-*-linux-*.tar.gz"):
            check_archive(container, archive, before)


def main():
    chosen = options()
    machine.bounded(SECONDS)
    with tempfile.TemporaryDirectory(prefix="headwind-check-package-") as name:
        try:
            check(chosen, pathlib.Path(name))
        except CannotBoot as problem:
            machine.say(f"NOT TRIED: this machine boots no Debian in a directory: {problem}")
            return CANNOT_TRY
        except (AssertionError, process.ChildFailed, subprocess.SubprocessError, OSError) as problem:
            machine.say(f"FAILED: {problem}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
