"""A client by one way under one profile: what it saw, and whether that is as it must be."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from .. import report
from ..machine import progress
from .attempt import CLEAN, Attempt
from .clients import Client, Way
from .origin import LARGE, NAME, OTHER_NAME, SMALL
from .proxy import ForwardProxy

# Starting a virtual machine, a handshake with a slow processor, other work on this machine: what a request may take
# beside the network. Generous, as a bound that can fail for no reason is worth nothing.
SPARE_SECONDS = 2


@dataclass
class Cell:
    client: Client
    way: Way
    profile: str
    attempts: list[Attempt] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    opened: int = 0
    dropped: int = 0

    @property
    def title(self):
        return f"{self.client.name}, {self.way.name}, {self.profile}"

    @property
    def good(self):
        return [attempt for attempt in self.attempts if attempt.ok]

    @property
    def failed(self):
        return [attempt for attempt in self.attempts if not attempt.ok]

    @property
    def cleanly(self):
        return [attempt for attempt in self.failed if attempt.kind in CLEAN]

    def complain(self, text):
        """Once: what is wrong with one attempt is often wrong with all."""
        text = f"{self.title}: {text}"
        if text not in self.complaints:
            self.complaints.append(text)


@dataclass(frozen=True)
class Bench:
    """What all cells share."""

    binary: object
    directory: object
    origin: object
    trust: dict
    strangers: dict  # the trust of an authority that has certified nobody here
    profiles: dict

    def proxy(self, profile):
        return ForwardProxy(self.binary, self.directory, profile)

    def path(self, profile):
        return self.profiles[profile].get("path", {})


def run(cells, bench, workers):
    """Most of them only wait, so several run at once; each has a daemon of its own, whose decisions depend on nothing
    but its seed and the order of its own sessions."""
    done = 0

    def one(cell):
        nonlocal done
        try:
            fetch(cell, bench)
            judge(cell, bench)
        except Exception as problem:
            cell.complain(f"{type(problem).__name__}: {problem}")
        done += 1
        progress(f"{done} of {len(cells)}: {cell.title}")

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(one, cells))
    progress("")


def fetch(cell, bench):
    client, way = cell.client, cell.way
    count = client.flaky_count if cell.profile == "flaky" else client.count
    with bench.proxy(cell.profile) as proxy:
        address = proxy.listener(way.listener)
        cell.attempts = client.fetch(way, address, NAME, client.path(SMALL), count, bench.trust)
        cell.opened, dropped = proxy.account()
        # Behind an answer the client's goodbye may be dropped as well, which nobody sees.
        cell.dropped = sum(exchange == 1 for exchange in dropped.values()) if client.one_session_each else len(dropped)
        if cell.profile == "none" and way.scheme == "https":
            expect_refusals(cell, bench, address)
        if cell.profile != "flaky" and client.one_session_each:
            expect_large(cell, bench, address)


def expect_refusals(cell, bench, address):
    """The client checks certificates: another authority and another name are refused, for that reason."""
    wrong = (("an unknown authority", NAME, bench.strangers), ("a wrong name", OTHER_NAME, bench.trust))
    for label, host, trust in wrong:
        [attempt] = cell.client.fetch(cell.way, address, host, cell.client.path(SMALL), 1, trust)
        if attempt.kind != "certificate":
            cell.complain(f"{label} was not refused for its certificate, but: {attempt.error or 'accepted'}")


def expect_large(cell, bench, address):
    [attempt] = cell.client.fetch(cell.way, address, NAME, cell.client.path(LARGE), 1, bench.trust)
    if not attempt.ok:
        return cell.complain(f"{LARGE} bytes failed: {attempt.error}")
    if attempt.digest != bench.origin.digests[f"/{LARGE}"]:
        cell.complain(f"{LARGE} bytes arrived changed")
    rate = bench.path(cell.profile).get("downstream_bytes_per_second")
    if rate and attempt.seconds < LARGE / rate:
        cell.complain(f"{LARGE} bytes in {report.time_text(attempt.seconds)}, faster than {report.rate_text(rate)}")


def judge(cell, bench):
    right = bench.origin.digests.get(cell.client.path(SMALL), bench.origin.commit)
    for attempt in cell.good:
        if attempt.digest != right:
            cell.complain("wrong content")
    for attempt in cell.failed:
        if attempt.kind not in CLEAN:
            cell.complain(f"failed, but not cleanly ({attempt.kind}): {attempt.error}")
    if cell.profile == "flaky":
        return judge_failures(cell)
    for attempt in cell.failed:
        cell.complain(f"failed: {attempt.error}")
    if cell.opened == 0:
        cell.complain("the daemon saw no session")
    if cell.attempts:
        judge_times(cell, bench.path(cell.profile))


def judge_times(cell, path):
    """Each attempt takes its round trips at least, and the median no more than a few times that."""
    latency, jitter = path.get("latency_ms", 0) / 1000, path.get("jitter_ms", 0) / 1000
    median = report.median([attempt.seconds for attempt in cell.attempts])
    least = cell.way.round_trips * (latency - jitter)
    if min(attempt.seconds for attempt in cell.attempts) < least:
        cell.complain(f"a request took less than {cell.way.round_trips} round trips ({report.time_text(least)})")
    most = 4 * (cell.way.round_trips + 1) * (latency + jitter) + SPARE_SECONDS
    if median > most:
        cell.complain(f"median {report.time_text(median)}, at most {report.time_text(most)} expected")


def judge_failures(cell):
    """Some fail, some don't, and the daemon tells of as many."""
    good, failed = len(cell.good), len(cell.failed)
    if not good or not failed:
        cell.complain(f"{good} of {len(cell.attempts)} went well: under flaky some must, and some must not")
    if failed > cell.dropped:
        cell.complain(f"{failed} failures, but the daemon dropped {cell.dropped} sessions only")
    # A client that tries again by itself has more sessions than requests; but each success is one that wasn't dropped.
    if cell.client.one_session_each and cell.opened - cell.dropped != good:
        cell.complain(f"{good} went well, but of {cell.opened} sessions {cell.dropped} were dropped")


def text(cells):
    rows = []
    for cell in cells:
        times = [attempt.seconds for attempt in cell.good]
        rows.append([cell.client.name, cell.way.name, cell.profile, len(cell.attempts), len(cell.good),
                     len(cell.cleanly), cell.dropped, report.time_text(report.median(times)),
                     "as it must be" if not cell.complaints else "WRONG"])
    return report.table(["client", "way", "profile", "runs", "ok", "failed cleanly", "dropped, says /events",
                         "median", "verdict"], rows)
