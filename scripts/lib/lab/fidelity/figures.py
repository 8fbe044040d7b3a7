"""What is compared, and how far it is off."""

import dataclasses
import math

# A proxy on loopback can't show these: connect() and send() end in the kernel of this side.
UNSEEN = ("connect_ms", "sent_ms")
# Counts from the request, on a connection that connect() has just returned: the handshake that is charged to the first
# byte is in it, which the truth has in connect_ms. The same download since connect() is total_ms of new-100k.
HANDSHAKE_SHOWS_IN = ("first_ms",)
# Runs at the processor's speed: it tells of overhead, not of fidelity.
OVERHEAD_ONLY = ("clean",)


@dataclasses.dataclass(frozen=True)
class Figure:
    """A figure of one cell in the truth and in a measured run, with the ratio of the latter to the former."""

    link: str
    workload: str
    metric: str
    samples: int
    truth_samples: int
    truth_median: float
    median: float
    median_ratio: float
    truth_p95: float
    p95: float
    p95_ratio: float
    distance: float
    """KS~ of linklab's: the distance between both distributions, where 1 ms or 2 % count as equal."""
    noise: float
    """KS.05: what two samples of one distribution reach in one case of twenty."""

    @property
    def key(self):
        return self.link, self.workload, self.metric

    @property
    def name(self):
        return f"{self.link} {self.workload} {self.metric}"


@dataclasses.dataclass(frozen=True)
class Bar:
    words: str
    limit: str
    shown: str
    is_met: bool


@dataclasses.dataclass(frozen=True)
class Limits:
    """The bars: highest misfits, and the least share of medians within 5 %.

    Under random loss a few repetitions tell little: medians jump between steps of whole round trips, and one lost SYN
    makes a 95th percentile. So a short run judges neither single medians nor these there, and the rest more loosely.
    """

    medians: float
    tails: float
    near: float
    judges_loss: bool

    @property
    def where(self):
        return "" if self.judges_loss else " on links without loss"


WHOLE = Limits(medians=1.05, tails=1.15, near=0.85, judges_loss=True)
SHORT = Limits(medians=1.1, tails=1.25, near=0.75, judges_loss=False)


def compare(linklab, truth, measured):
    """All figures that are in both, but for those that a proxy can't show."""
    rows = []
    for link, workload, metric, truth_samples, samples, *values in linklab.compare_rows(truth, measured):
        if metric not in UNSEEN and link not in OVERHEAD_ONLY:
            *values, _, distance, noise = values
            rows.append(Figure(link, workload, metric, samples, truth_samples, *values, distance, noise))
    order = {name: index for index, name in enumerate(linklab.LINKS)}
    return sorted(rows, key=lambda row: order.get(row.link, len(order)))


def without_handshake(figures):
    """Those where a handshake isn't counted that the truth doesn't count."""
    return [row for row in figures if row.metric not in HANDSHAKE_SHOWS_IN]


def misfit(ratios):
    """Geometric mean of max(r, 1/r): 1 is equal, 2 is on the average half or double."""
    return math.exp(sum(abs(math.log(max(ratio, 1e-4))) for ratio in ratios) / len(ratios))


def is_within(ratio, share):
    return abs(ratio - 1) <= share


def share(figures, test):
    return sum(map(test, figures)) / len(figures)


def bars(figures, limits, lossy=()):
    """What a run is held to; `lossy` names the links with loss."""
    alone = [row for row in figures if limits.judges_loss or row.link not in lossy]
    return [
        _at_most("misfit of medians", misfit([row.median_ratio for row in figures]), limits.medians),
        _at_most(f"misfit of 95th percentiles{limits.where}", misfit([row.p95_ratio for row in alone]), limits.tails),
        _near(figures, limits.near),
        _furthest(alone, limits),
    ]


def _at_most(words, value, most):
    return Bar(words, f"≤ {most:g}", f"{value:.3f}", value <= most)


def _near(figures, least):
    value = share(figures, lambda row: is_within(row.median_ratio, 0.05))
    return Bar("medians within 5 %", f"≥ {100 * least:.0f} %", f"{100 * value:.0f} %", value >= least)


def _furthest(figures, limits):
    off, name = max(((abs(row.median_ratio - 1), row.name) for row in figures), default=(0, "none"))
    return Bar(f"the median furthest off{limits.where}", "≤ 20 %", f"{100 * off:.0f} % ({name})", off <= 0.2)


def complaints(measured, plan):
    """Cells without a sample, and repetitions that failed or took longer than linklab gives them."""
    found = [f"{link} {workload}: not measured" for link, workload in plan if not measured.get((link, workload))]
    for (link, workload), cell in measured.items():
        if not cell["n"]:
            found.append(f"{link} {workload}: no repetition succeeded ({cell['errors'] or 'all timed out'})")
        elif cell["errors"]:
            found.append(f"{link} {workload}: {cell['errors']}")
    return found
