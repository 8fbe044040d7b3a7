"""A child process that never outlives its block."""

import contextlib
import os
import signal
import socket
import subprocess
import time


class ChildFailed(Exception):
    pass


class Clients:
    """Short commands whose output is wanted, run on any thread; all of them can be ended from another one."""

    def __init__(self):
        self.running, self.ended = set(), False

    def output(self, command, seconds):
        """Standard output of the command, whatever its status, which comes second."""
        if self.ended:
            raise ChildFailed(f"{command[0]}: not started, the script is ending")
        with subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              text=True, env=clean_environment()) as process:
            self.running.add(process)
            try:
                return process.communicate(timeout=seconds)[0], process.returncode
            finally:
                self.running.discard(process)
                process.kill()

    def end(self):
        self.ended = True
        for process in list(self.running):
            process.kill()


clients = Clients()


class Child:
    """Starts `command` in its own session with its output in `log`; leaving the block ends it."""

    def __init__(self, command, log, stdout=None, environment=None):
        self.log = log
        with open(log, "ab") as errors:
            self.process = subprocess.Popen(
                [str(word) for word in command],
                stdin=subprocess.DEVNULL,
                stdout=stdout or errors,
                stderr=errors,
                env=environment,
                start_new_session=True,  # ^C reaches the script, which then ends its children in order
            )

    @property
    def pid(self):
        return self.process.pid

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        """SIGTERM, a second one (which a daemon that is draining takes as "now"), then SIGKILL."""
        for number, patience_seconds in ((signal.SIGTERM, 2), (signal.SIGTERM, 2), (signal.SIGKILL, 10)):
            if self.process.poll() is not None:
                break
            self.process.send_signal(number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(patience_seconds)
        if self.process.stdout:
            self.process.stdout.close()

    def fail(self, what):
        with open(self.log, errors="replace") as log:
            said = log.read()[-2000:].strip()
        raise ChildFailed(f"{self.process.args[0]}: {what}" + (f"\n{said}" if said else ""))

    def wait_for_port(self, port, seconds=10, address="127.0.0.1"):
        """Returns when something accepts on `address`:`port` while this child runs."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.process.poll() is not None:
                self.fail(f"ended with status {self.process.returncode}")
            with contextlib.suppress(OSError), socket.create_connection((address, port), timeout=1):
                return
            time.sleep(0.01)
        self.fail(f"nothing listens on port {port} after {seconds} s")


def clean_environment():
    """The environment without what would change the daemon or a client behind the script's back."""
    unwanted = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("HEADWIND") and name.lower() not in unwanted
    }
