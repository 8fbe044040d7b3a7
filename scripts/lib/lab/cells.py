"""scripts/measure: files of several sizes through every profile, expected and measured times."""

import concurrent.futures
import math
import statistics
import threading
from dataclasses import dataclass, field

from . import report, slowstart
from .daemon import Daemon
from .fetching import fetch
from .machine import progress
from .process import clients

FAMILIES = {"IPv4": "127.0.0.1", "IPv6": "::1"}
MODES = ("new", "kept")
WARM_UP_SIZE = 1000
# Cells at this rate and below leave the processors idle: they run side by side. The others run one at a time.
SLOW_BYTES_PER_SECOND = 1_000_000


@dataclass(frozen=True)
class Budget:
    """A cell repeats its fetch until it has used so much time, within these counts."""

    seconds: float = 15
    most: int = 15
    fewest: int = 1

    def repeats(self, expected_seconds):
        return max(self.fewest, min(self.most, math.floor(self.seconds / max(expected_seconds, 1e-3))))


@dataclass
class Cell:
    """One profile (None: no proxy), size, address family, and connections new for each request or kept."""

    profile: dict | None
    size: int
    family: str
    mode: str
    fetches: list = field(default_factory=list)

    @property
    def name(self):
        return self.profile["name"] if self.profile else "no proxy"

    @property
    def path(self):
        return (self.profile or {}).get("path") or {}

    @property
    def drop(self):
        """The attributes of the profile's drop toxic, if it has one."""
        toxics = (self.profile or {}).get("toxics") or []
        return next((toxic["attributes"] for toxic in toxics if toxic["type"] == "drop"), None)

    @property
    def refuses(self):
        return bool(self.drop) and self.drop.get("probability", 1) >= 1

    def expected(self, sent_bytes, received_bytes):
        """Seconds: what TCP takes without loss; on a plain path one round trip, and the bytes at their direction's rate."""
        if self.path.get("model") == "tcp":
            return slowstart.seconds(self.path, sent_bytes, received_bytes, self.mode == "new")
        up = self.path.get("upstream_bytes_per_second") or math.inf
        down = self.path.get("downstream_bytes_per_second") or math.inf
        return self.path.get("latency_ms", 0) / 1000 + sent_bytes / up + received_bytes / down

    @property
    def good(self):
        return [one for one in self.fetches if one.ok]

    @property
    def median_expected(self):
        return report.median([self.expected(one.sent_bytes, one.received_bytes) for one in self.good])

    @property
    def median_total(self):
        """Of the fetches that succeeded; where every connection is refused, of those that failed."""
        return report.median([one.total for one in (self.fetches if self.refuses else self.good)])

    def complaints(self, digests):
        """What is wrong whatever the times are."""
        where = f"{self.name}, {self.size} B, {self.family}, {self.mode}"
        for one in self.fetches:
            if one.ok and one.digest != digests[self.size]:
                yield f"{where}: wrong sha256"
            if one.ok and self.refuses:
                yield f"{where}: a request came through"
            if not one.ok and not self.drop:
                yield f"{where}: {one.error}"
            if one.ok and not self.drop and one.new_connections != (self.mode == "new"):
                yield f"{where}: {one.new_connections} new connections for one request"

    def run(self, binary, directory, server, budget, on_ready=lambda: None):
        """Its own daemon, so that no cell shares a rate with another."""
        host = FAMILIES[self.family]
        literal = f"[{host}]" if ":" in host else host
        if not self.profile:
            return self._fetch_all((host, server.port), directory, budget)
        proxies = {"web": (f"{literal}:0", f"{literal}:{server.port}")}
        with Daemon(binary, directory, proxies) as daemon:
            daemon.use("web", self.name)
            on_ready()
            self._fetch_all(daemon.address("web"), directory, budget)

    def _fetch_all(self, address, directory, budget):
        expected = self.expected(100, self.size)
        repeats, limit = budget.repeats(expected), expected * 2 + 20
        if self.mode == "kept":
            # The first request opens the connection and is not counted.
            self.fetches = fetch(address, [WARM_UP_SIZE] + [self.size] * repeats, directory, limit)[1:]
        else:
            self.fetches = [fetch(address, [self.size], directory, limit)[0] for _ in range(repeats)]


def grid(profiles, sizes, families):
    return [Cell(profile, size, family, mode)
            for profile in profiles for size in sizes for family in families for mode in MODES]


def run(cells, binary, directory, server, budget):
    """Runs the cells of slow profiles side by side and, meanwhile, the others one after the other."""
    ready = threading.Semaphore(0)
    finished = []

    def run_one(cell):
        try:
            cell.run(binary, directory, server, budget, ready.release)
        finally:
            ready.release()
        finished.append(cell)
        progress(f"{len(finished)} of {len(cells)} cells, last {cell.name} {report.size_text(cell.size)}")

    slow = [cell for cell in cells if cell.path.get("downstream_bytes_per_second", math.inf) <= SLOW_BYTES_PER_SECOND]
    with concurrent.futures.ThreadPoolExecutor(max(1, len(slow))) as pool:
        pending = [pool.submit(run_one, cell) for cell in slow]
        try:
            for _ in slow:
                ready.acquire(timeout=30)  # a dozen daemons starting would be in the first of the quick times
            for cell in cells:
                if cell not in slow:
                    run_one(cell)
            for each in pending:
                each.result()
        except BaseException:
            clients.end()  # or leaving the pool waits for minutes of downloads
            raise
    progress("")


def _shown(cell):
    if cell is None:
        return "–"
    text = report.time_text(cell.median_total)
    if cell.refuses or not cell.drop:
        return text
    return f"{text} ({len(cell.good)} of {len(cell.fetches)})"


def _expectation(cells):
    first = cells[0]
    if first.refuses:
        return "refused at once"
    expected = _of_modes(cells)
    jitter = first.path.get("jitter_ms")
    share = f", {1 - first.drop['probability']:.0%} succeed" if first.drop else ""
    return expected + (f" ± {jitter:g} ms" if jitter else "") + share


def _of_modes(cells):
    """For new connections, and behind it for kept ones where TCP's handshake makes a difference."""
    texts = []
    for mode in MODES:
        known = [cell.median_expected for cell in cells if cell.mode == mode and cell.median_expected]
        texts += [report.time_text(report.median(known))] if known else []
    return " / ".join(dict.fromkeys(texts)) or "–"


def _off(cells):
    """How far the measured medians are from the expected ones, in the middle of all cells of a row."""
    known = [cell for cell in cells if cell.median_expected and not cell.refuses]
    if not known:
        return "–"
    off = report.median([cell.median_total - cell.median_expected for cell in known])
    return f"{off * 1000:+.1f} ms, {off / report.median([cell.median_expected for cell in known]):+.1%}"


def text(cells, families):
    """One row for a profile and a size, one column for a family and a mode."""
    columns = [(family, mode) for family in families for mode in MODES]
    rows = {}
    for cell in cells:
        rows.setdefault((cell.name, cell.size), {})[cell.family, cell.mode] = cell
    lines = []
    for (name, size), row in rows.items():
        every = list(row.values())
        lines.append([name, report.size_text(size), _expectation(every),
                      *(_shown(row.get(column)) for column in columns), _off(every)])
    header = ["profile", "size", "expected", *(f"{family}, {mode}" for family, mode in columns), "off"]
    return report.table(header, lines)


def result(cell):
    totals = [one.total for one in cell.fetches]
    return {
        "profile": cell.name, "size": cell.size, "family": cell.family, "connection": cell.mode,
        "expected_seconds": cell.median_expected, "measured_seconds": cell.median_total,
        "first_byte_seconds": report.median([one.first_byte for one in cell.good]),
        "samples": totals, "spread_seconds": statistics.pstdev(totals) if totals else None,
        "requests": len(cell.fetches), "succeeded": len(cell.good),
        "errors": sorted({one.error for one in cell.fetches if not one.ok}),
    }
