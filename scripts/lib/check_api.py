"""The part of scripts/check-api that runs in its virtual environment: check_api.py BINARY [--seconds N] [--seed N]"""

import argparse
import contextlib
import os
import pathlib
import random
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
from urllib.parse import quote

sys.dont_write_bytecode = True

from lab import machine, process  # noqa: E402
from lab.daemon import Daemon  # noqa: E402
from openapi_spec_validator import validate  # noqa: E402

MEMORY_BYTES = 30_000_000
MARGIN_SECONDS = 60


def options():
    parser = argparse.ArgumentParser(prog="check-api")
    parser.add_argument("binary", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--seconds", type=int, default=100)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    return parser.parse_args()


@contextlib.contextmanager
def visitors(address, upstream):
    """Keeps some connections open through a proxy, so that there are sessions; comes again when they are ended."""
    is_over = threading.Event()
    upstream.settimeout(0.2)

    def visit():
        ends = []
        while not is_over.wait(0.2):
            with contextlib.suppress(OSError):
                ends.append(socket.create_connection(address, timeout=1))
                ends[-1].sendall(b"hello")
                ends.append(upstream.accept()[0])
            while len(ends) > 6:
                ends.pop(0).close()

    thread = threading.Thread(target=visit, daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join(5)


def schemathesis(daemon, chosen):
    """What it complains of, once its time is over."""
    command = [pathlib.Path(sys.executable).with_name("schemathesis"), "--no-color", "run",
               f"http://{daemon.control}/openapi.json", "--max-time", str(chosen.seconds), "--seed", str(chosen.seed),
               "--request-timeout", "5", "--generation-database", "none", "--warnings", "off",
               # Whether requests are slow or hard to make up says nothing about the API.
               "--suppress-health-check", "all"]
    environment = dict(process.clean_environment(), PYTHONPATH=str(machine.LIB), PYTHONDONTWRITEBYTECODE="1",
                       SCHEMATHESIS_HOOKS="check_api_hooks")
    limit = chosen.seconds + MARGIN_SECONDS
    done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=limit)
    print(done.stdout, flush=True)
    if done.returncode:
        return [f"schemathesis ended with status {done.returncode}; see above"]
    return untested(done.stdout)


def untested(text):
    """When its time is over it ends well, whatever it hasn't come to."""
    selected, tested = re.search(r"Selected: (\d+)/(\d+)", text), re.search(r"Tested: (\d+)", text)
    if not selected or not tested:
        return ["schemathesis doesn't say how many operations it has tested"]
    if not selected[1] == selected[2] == tested[1]:
        return [f"of {selected[2]} operations {tested[1]} were tested in the time that there was; --seconds sets it"]
    return []


def clear(daemon):
    """Takes away all that was made."""
    if daemon.child.process.poll() is not None:
        daemon.child.fail(f"ended with status {daemon.child.process.returncode}")
    daemon.call("DELETE", "/profile")
    for lease in daemon.call("GET", "/leases")["leases"]:
        daemon.call("DELETE", f"/leases/{quote(lease['id'], safe='')}")
    for name in daemon.call("GET", "/proxies"):
        daemon.call("DELETE", f"/proxies/{quote(name, safe='')}")


def check(chosen, directory):
    """What is wrong; empty when nothing is."""
    with socket.create_server(("127.0.0.1", 0)) as upstream:
        target = f"127.0.0.1:{upstream.getsockname()[1]}"
        with Daemon(chosen.binary, directory, {"web": ("127.0.0.1:0", target)}) as daemon:
            validate(daemon.call("GET", "/openapi.json"))
            before = machine.resident_bytes(daemon.pid)
            with visitors(daemon.address("web"), upstream):
                complaints = schemathesis(daemon, chosen)
            clear(daemon)
            left = daemon.call("GET", "/proxies")
            time.sleep(2)  # memory goes back to the system a second after a burst
            after = machine.resident_bytes(daemon.pid)
    machine.say(f"seed {chosen.seed}; resident memory {before >> 10} kB before, {after >> 10} kB after")
    complaints += [f"proxies that could not be removed: {left}"] if left else []
    if after > before + MEMORY_BYTES:
        complaints.append(f"{(after - before) >> 20} MiB more memory than at the start")
    return complaints


def main():
    chosen = options()
    machine.bounded(chosen.seconds + 2 * MARGIN_SECONDS)
    machine.say(f"{chosen.seconds} s with seed {chosen.seed}")
    with tempfile.TemporaryDirectory(prefix="headwind-check-api-") as name:
        directory = pathlib.Path(name)
        # Schemathesis leaves files where it runs.
        os.chdir(directory)
        try:
            complaints = check(chosen, directory)
        except (process.ChildFailed, subprocess.TimeoutExpired, RuntimeError, OSError) as problem:
            complaints = [str(problem)]
        os.chdir("/")
    for complaint in complaints:
        machine.say(complaint)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
