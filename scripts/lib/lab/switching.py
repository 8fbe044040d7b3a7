"""scripts/measure: the profile is switched while a file is on its way; how soon does the rate follow?"""

import hashlib
import socket
import threading
import time
from dataclasses import dataclass

from . import report
from .daemon import Daemon
from .fetching import put
from .machine import progress

BAR_SECONDS = 0.1
# Judged from the bar on, over this time.
WINDOW_SECONDS = 0.3
TOLERANCE = 0.2
# What a faster network has to come to by then: this much more than before.
FASTER = 3


@dataclass(frozen=True)
class Switch:
    """From one profile to another, `after_seconds` from the first byte of the file."""

    before: str
    after: str
    after_seconds: float


class Download(threading.Thread):
    """A client that reads as bytes come and notes (moment, bytes so far)."""

    def __init__(self, address, size, limit_seconds):
        super().__init__(daemon=True)
        self.connection = socket.create_connection(address, timeout=limit_seconds)
        self.limit = time.monotonic() + limit_seconds
        self.size, self.arrivals, self.digest, self.first = size, [], "", threading.Event()
        self.problem = None

    def run(self):
        try:
            self._read()
        except (OSError, ValueError) as problem:
            self.problem = problem
        finally:
            self.first.set()
            self.connection.close()

    def _read(self):
        host, port = self.connection.getpeername()[:2]
        self.connection.sendall(f"GET /{self.size} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
        head = b""
        while b"\r\n\r\n" not in head:
            head += self._receive()
        body = head.partition(b"\r\n\r\n")[2]
        digest, count = hashlib.sha256(body), len(body)
        while count < self.size:
            part = self._receive()
            moment = time.monotonic()
            digest.update(part)
            count += len(part)
            self.arrivals.append((moment, count))
            self.first.set()
        self.digest = digest.hexdigest()

    def _receive(self):
        part = self.connection.recv(65536)
        if not part or time.monotonic() > self.limit:
            raise OSError("the download ended early" if not part else "the download takes too long")
        return part


def measure(switch, binary, directory, server, size, profiles):
    """One download with one switch by curl in it."""
    rates = [profiles[name]["path"]["downstream_bytes_per_second"] for name in (switch.before, switch.after)]
    limit = switch.after_seconds + size / rates[1] * 2 + 20
    with Daemon(binary, directory, {"web": ("127.0.0.1:0", f"127.0.0.1:{server.port}")}) as daemon:
        put(daemon.control, f"/profile/{switch.before}", directory)
        download = Download(daemon.address("web"), size, limit)
        download.start()
        progress(f"switch {switch.before} to {switch.after}")
        download.first.wait(limit)
        time.sleep(switch.after_seconds)
        # Counted from here: curl's own start and the call are part of the time.
        moment = time.monotonic()
        took = put(daemon.control, f"/profile/{switch.after}", directory)
        download.join(limit)
        progress("")
    if download.problem or download.is_alive():
        raise RuntimeError(f"switch {switch.before} to {switch.after}: {download.problem or 'takes too long'}")
    return _judged(switch, rates, download, moment, took)


def _judged(switch, rates, download, moment, took):
    end = min(moment + BAR_SECONDS + WINDOW_SECONDS, download.arrivals[-1][0])
    followed = _rate(download.arrivals, moment + BAR_SECONDS, end)
    kink = _kink(download.arrivals, moment)
    return {
        "before": switch.before, "after": switch.after, "sha256": download.digest,
        "rates": rates, "put_seconds": took,
        "rate_before": _rate(download.arrivals, moment - min(1, switch.after_seconds) * 0.9, moment),
        "rate_from_bar_on": followed, "window_seconds": end - moment - BAR_SECONDS,
        "turn_seconds": kink, "held": _is_followed(rates, followed, kink),
    }


def _is_followed(rates, followed, kink):
    """To a slower network at once; to a faster one TCP's window has to grow first: far more than before will do."""
    if rates[1] > rates[0]:
        return followed >= rates[0] * FASTER
    return abs(followed / rates[1] - 1) <= TOLERANCE and abs(kink) <= BAR_SECONDS


def _between(arrivals, begin, end):
    return [(moment, count) for moment, count in arrivals if begin <= moment <= end]


def _rate(arrivals, begin, end):
    """Bytes per second that arrived after `begin` and until `end`."""
    before = max((count for moment, count in arrivals if moment <= begin), default=0)
    until = max((count for moment, count in arrivals if moment <= end), default=0)
    return (until - before) / (end - begin) if end > begin else 0.0


def _kink(arrivals, moment):
    """Seconds from the switch to where the line of the arrivals before it meets the line of those after it.

    Bursts and jitter move single arrivals, not the two lines. Negative when the new rate begins with a pause.
    """
    last = arrivals[-1][0]
    before = _line(_between(arrivals, moment - 1, moment), moment)
    after = _line(_between(arrivals, moment + BAR_SECONDS, min(last, moment + 1)), moment)
    return (before[1] - after[1]) / (after[0] - before[0])


def _line(points, origin):
    """(slope, value at the origin) by least squares."""
    if len(points) < 3:
        raise RuntimeError("too few arrivals around the switch")
    times, counts = [moment - origin for moment, _ in points], [count for _, count in points]
    mean_time, mean_count = sum(times) / len(times), sum(counts) / len(counts)
    variance = sum((one - mean_time) ** 2 for one in times)
    slope = sum((one - mean_time) * (two - mean_count) for one, two in zip(times, counts)) / variance
    return slope, mean_count - slope * mean_time


def text(results):
    rows = [[f"{one['before']} → {one['after']}", report.rate_text(one["rate_before"]),
             report.rate_text(one["rates"][1]), report.rate_text(one["rate_from_bar_on"]),
             f"{one['turn_seconds'] * 1000:.0f} ms", report.verdict(one["held"])] for one in results]
    bar = f"{BAR_SECONDS * 1000:.0f} ms"
    header = ["switch", "measured before", "configured after", f"measured from {bar} on", "rate turns after", f"{bar}?"]
    return report.table(header, rows)
