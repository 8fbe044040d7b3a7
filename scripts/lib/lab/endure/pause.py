"""SIGSTOP and SIGCONT: as when a laptop sleeps, or a debugger holds the daemon."""

import contextlib
import signal
import threading
import time

from ..peers import Serving, connect, echo, exchange
from ..words import words
from .hard_peers import tell
from .trial import Outcome

LATENCY_MS = 400
RATE = 200_000
STREAMS = 10
# A rate's piece, and what the sockets take ahead of their reader.
AHEAD_BYTES = 20_000


def pause(trial):
    outcome = Outcome("stopped and continued")
    times, asleep = trial.choose(2, 4), trial.choose(1.5, 4)
    with Serving(tell) as teller, Serving(echo) as mirror, trial.service(
            {"slow": ("127.0.0.1:0", teller.address), "far": ("127.0.0.1:0", mirror.address)}) as daemon:
        before = daemon.settled()
        daemon.set_toxic("slow", "bandwidth", {"rate": RATE // 1000})
        daemon.set_toxic("far", "latency", {"latency": LATENCY_MS})
        readers = [_Reader(daemon.address("slow")) for _ in range(STREAMS)]
        client = connect(daemon.address("far"))
        client.settimeout(20)
        trips, ends = [], []
        for _ in range(times):
            daemon.call("POST", "/leases", {"profile": "none", "proxies": ["far"], "for": "500ms", "by": "endure"})
            trips.append(_sleep_through_an_answer(daemon, client, asleep))
            ends.append(_time_of(lambda: not daemon.call("GET", "/leases")["leases"]))
            trips += [exchange(client).seconds for _ in range(3)]
            time.sleep(1)
        for reader in readers:
            reader.stop()
        client.close()
        daemon.note_return(outcome, before)
        daemon.end(outcome)
    moved = sum(reader.seen for reader in readers)
    outcome.done = (f"{times} times SIGSTOP for {asleep:g} s and SIGCONT, with {STREAMS} streams at {RATE // 1000} kB/s each and an "
                    f"answer under way behind {LATENCY_MS} ms")
    outcome.held = f"{STREAMS} streams and a lease that ended meanwhile"
    outcome.survived = f"{moved / 1e6:.1f} MB of numbered words, {len(trips)} round trips"
    outcome.at_least("shortest round trip", min(trips), LATENCY_MS / 1000, lambda value: f"{value * 1000:.1f} ms")
    outcome.size_at_most("most that a stream was ahead of its rate", max(reader.ahead for reader in readers), AHEAD_BYTES)
    # While the daemon sleeps nothing comes to it that it could make up for.
    slowest = min(reader.seen / (reader.seconds - times * asleep) for reader in readers)
    outcome.at_least("slowest stream, over the time awake", slowest, RATE * 0.75 / trial.slowness,
                     lambda value: f"{value / 1000:.0f} kB/s")
    outcome.time_at_most("until a lease that had run out was over", max(ends), 0.5 * trial.slowness)
    outcome.lost = {"streams": sum(reader.is_broken for reader in readers)}
    return outcome


def _sleep_through_an_answer(daemon, client, seconds):
    """Something is said, and the daemon stopped before it can be answered; how long the answer took."""
    begin = time.monotonic()
    client.sendall(b"x")
    time.sleep(0.1)
    daemon.signal(signal.SIGSTOP)
    time.sleep(seconds)
    daemon.signal(signal.SIGCONT)
    if client.recv(1) != b"x":
        raise RuntimeError("another answer than what was said")
    return time.monotonic() - begin


def _time_of(holds):
    begin = time.monotonic()
    while not holds():
        time.sleep(0.01)
    return time.monotonic() - begin


class _Reader:
    """Reads numbered words on a thread of its own, and holds them against the rate."""

    def __init__(self, address):
        self.seen, self.ahead, self.seconds, self.is_broken, self.is_over = 0, 0, 0.0, False, False
        self.begin = time.monotonic()
        self.client = connect(address)
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        self.client.settimeout(20)
        while not self.is_over:
            piece = b""
            with contextlib.suppress(OSError):
                piece = self.client.recv(65_536)
            if not piece or piece != words(self.seen, len(piece)):
                self.is_broken = not self.is_over
                return
            self.seen += len(piece)
            self.seconds = time.monotonic() - self.begin
            self.ahead = max(self.ahead, self.seen - RATE * self.seconds)

    def stop(self):
        self.is_over = True
        self.thread.join(25)
        self.client.close()
