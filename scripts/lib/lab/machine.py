"""The machine the scripts run on: tools, ports, limits, and an end to everything in time."""

import contextlib
import datetime
import os
import pathlib
import platform
import resource
import shutil
import signal
import socket
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parents[3]
LIB = TOP / "scripts" / "lib"

# Tools of the system that are not in the PATH of ordinary users.
os.environ["PATH"] += os.pathsep + os.pathsep.join(["/usr/local/sbin", "/usr/sbin", "/sbin"])


def say(text):
    print(f"{pathlib.Path(sys.argv[0]).name}: {text}", file=sys.stderr, flush=True)


def progress(text):
    """One line that overwrites itself; nothing where nobody watches. An empty text removes it."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


def bounded(seconds):
    """Ends this script, with all that it has started, after `seconds`, on SIGTERM and when the terminal goes."""

    def stop(number, _frame):
        sys.exit(f"not done after {seconds} s" if number == signal.SIGALRM else f"stopped by {signal.Signals(number).name}")

    for number in (signal.SIGALRM, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:  # nohup
            signal.signal(number, stop)
    signal.alarm(int(seconds))


def install(*uses):
    """Installs what scripts/lib/packages lists. False when that failed: the caller goes on with what there is."""
    return subprocess.run([LIB / "need", *uses], stdin=subprocess.DEVNULL, timeout=900).returncode == 0


def headwind_binary():
    """Path of the release binary, built when it is older than its sources; HEADWIND=PATH wins."""
    environment = dict(os.environ, HEADWIND_SCRIPT=pathlib.Path(sys.argv[0]).name)
    done = subprocess.run([LIB / "build"], stdout=subprocess.PIPE, text=True, env=environment, timeout=1900)
    if done.returncode:
        sys.exit("no headwind to measure")
    return pathlib.Path(done.stdout.strip()).resolve()


def compile_helper(name, directory):
    """scripts/lib/NAME.c, for what Python is too slow for, as a program; None where it can't be made."""
    compiler = shutil.which("cc") or shutil.which("clang")
    if not compiler:
        say(f"no C compiler: what needs {name} can't be measured")
        return None
    program = directory / name
    command = [compiler, "-O2", "-Wall", "-Wextra", "-Werror", "-pthread", "-o", program, LIB / f"{name}.c"]
    if subprocess.run(command, timeout=120).returncode:
        say(f"{name}.c does not compile here: what needs it can't be measured")
        return None
    return program


def virtual_environment(name):
    """The Python of the virtual environment of scripts/lib/NAME.requirements, made when it isn't there; None without."""
    environment = dict(os.environ, HEADWIND_SCRIPT=pathlib.Path(sys.argv[0]).name)
    done = subprocess.run([LIB / "venv", name], stdout=subprocess.PIPE, text=True, env=environment, timeout=900)
    return pathlib.Path(done.stdout.strip()) if done.returncode == 0 else None


def free_ports(count):
    """Ports free a moment ago on 127.0.0.1 and, where there is IPv6, on ::1."""
    with contextlib.ExitStack() as held:
        ports = []
        while len(ports) < count:
            first = held.enter_context(contextlib.closing(socket.socket(socket.AF_INET)))
            first.bind(("127.0.0.1", 0))
            port = first.getsockname()[1]
            if not has_ipv6() or _can_bind_ipv6(port):
                ports.append(port)
        return ports


def _can_bind_ipv6(port):
    with contextlib.closing(socket.socket(socket.AF_INET6)) as second:
        try:
            second.bind(("::1", port))
        except OSError:
            return False
    return True


def has_ipv6():
    with contextlib.closing(socket.socket(socket.AF_INET6)) as probe:
        try:
            probe.bind(("::1", 0))
        except OSError:
            return False
    return True


def raise_descriptor_limit():
    """The number of descriptors that this process, and a child of it, may have open."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard == resource.RLIM_INFINITY:
        hard = max(soft, 65536)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard


def resident_bytes(pid):
    """Resident memory of a process."""
    rollup = pathlib.Path(f"/proc/{pid}/smaps_rollup")
    if rollup.exists():
        line = next(line for line in rollup.read_text().splitlines() if line.startswith("Rss:"))
        return int(line.split()[1]) * 1024
    shown = subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=True, timeout=10)
    return int(shown.stdout) * 1024


def open_descriptors(pid, sanitizer=None):
    """How many it has. ThreadSanitizer speaks by pipes with a helper that it starts when it wants names of functions: with it
    pipes don't count."""
    directory, count = pathlib.Path(f"/proc/{pid}/fd"), 0
    for entry in os.listdir(directory):
        with contextlib.suppress(FileNotFoundError):  # closed since
            count += sanitizer != "thread" or not os.readlink(directory / entry).startswith("pipe:")
    return count


def go_first(pid):
    """Lets a process run before others, where that is allowed: what else the machine does is not to be measured."""
    # The kernel shares the processors among sessions first ("autogroup"), and only then by a process's own priority.
    for attempt in (lambda: pathlib.Path(f"/proc/{pid}/autogroup").write_text("-15"),
                    lambda: os.setpriority(os.PRIO_PROCESS, pid, -15)):
        with contextlib.suppress(OSError):
            attempt()


def waited_seconds(pid):
    """How long a process has been ready to run without a processor so far; 0 where the system doesn't tell."""
    file = pathlib.Path(f"/proc/{pid}/schedstat")
    return int(file.read_text().split()[1]) / 1e9 if file.exists() else 0


def network_trouble():
    """How often the machine has repeated a TCP segment and lost a connection request since it started; zeros where it
    doesn't tell. Both keep a call waiting for 200 ms and more, whoever serves it."""
    wanted = {"RetransSegs": "segments repeated", "ListenDrops": "connection requests lost"}
    counts = dict.fromkeys(wanted.values(), 0)
    for file in map(pathlib.Path, ("/proc/net/snmp", "/proc/net/netstat")):
        lines = file.read_text().splitlines() if file.exists() else []
        for names, values in zip(lines[::2], lines[1::2]):
            told = dict(zip(names.split(), values.split()))
            counts |= {label: int(told[name]) for name, label in wanted.items() if name in told}
    return counts


def today():
    return datetime.date.today().isoformat()


def first_line(*command):
    """What a tool says about its version."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=10)
    except OSError:
        return "absent"
    return done.stdout.strip().splitlines()[0] if done.stdout.strip() else "unknown"


def describe():
    """The machine in a few words that name nobody."""
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    return f"{platform.system()} {platform.release()}, {platform.machine()}, {os.cpu_count()} cores, load {load}"
