"""The runs that are compared, and how linklab reaches each proxy."""

import dataclasses
import sys

from .. import machine
from . import figures, yardstick


@dataclasses.dataclass(frozen=True)
class Plan:
    """What of linklab's matrix is measured. `scale` is of its numbers of repetitions; each cell has ten at least."""

    links: list
    workloads: list
    scale: float
    budget: int
    jobs: int
    seed: int

    @property
    def cells(self):
        return [(link, workload) for link in self.links for workload in self.workloads]

    def seconds(self, linklab):
        """What linklab expects, without the time for starting each cell."""
        estimates = [estimate for estimate, *_ in linklab.plan(self.links, self.workloads, self.scale, self.budget)]
        return max(sum(estimates) / self.jobs, max(estimates))


@dataclasses.dataclass(frozen=True)
class Proxy:
    """Something that linklab measures: its name in the tables, and the words that start it."""

    key: str
    name: str
    via: list
    truth: str = "truth"


@dataclasses.dataclass
class Contestant:
    name: str
    figures: list
    bars: list
    bars_without: list
    """The same without figures.HANDSHAKE_SHOWS_IN."""
    complaints: list
    timeouts: int


def headwind(binary, model="tcp", congestion_control="cubic"):
    via = [sys.executable, machine.LIB / "headwind_via.py", "--binary", binary, "--model", model,
           "--congestion-control", congestion_control, "--listen", "{listen}", "--upstream", "{upstream}",
           "--link", "{link}", "--seed", "{seed}"]
    if congestion_control == "bbr":
        return Proxy("bbr", "Headwind, BBR", via, "truth/bbr")
    return Proxy(model, "Headwind" if model == "tcp" else "delay and rate", via)


def toxiproxy(folder, server):
    via = [sys.executable, "-B", folder / "toxiproxy_via.py", "--server", server, "--listen", "{listen}",
           "--upstream", "{upstream}", "--link", "{link}"]
    return Proxy("toxiproxy", "toxiproxy", via)


def scaled(plan, factor):
    return dataclasses.replace(plan, scale=plan.scale * factor)


def of_truth(plan, linklab, truth):
    """What of it there is a truth of: the same links and workloads, each with each."""
    cells = linklab.load(truth)
    links = [name for name in plan.links if any(name == link for link, _ in cells)]
    workloads = [name for name in plan.workloads if any(name == workload for _, workload in cells)]
    return dataclasses.replace(plan, links=links, workloads=workloads)


def measure(proxy, plan, linklab, folder, samples):
    """Leaves a file a link in `samples`, under the proxy's key."""
    limit_seconds = 900 + 2.5 * plan.seconds(linklab)
    with yardstick.Matrix(folder, samples / proxy.key, proxy.via, plan) as matrix:
        matrix.wait(limit_seconds, proxy.name)


def judge(proxy, plan, linklab, folder, samples, limits):
    """The proxy's figures beside the truth's."""
    truth, measured = linklab.load(folder / proxy.truth), linklab.load(samples / proxy.key)
    measured = {key: cell for key, cell in measured.items() if key in plan.cells}
    rows = figures.compare(linklab, truth, measured)
    if not rows:
        raise yardstick.Unusable(f"{proxy.name}: nothing to compare in {samples / proxy.key}")
    lossy = [name for name, link in linklab.LINKS.items() if linklab.mean_loss(link["down"]) > 0]
    return Contestant(
        proxy.name, rows, figures.bars(rows, limits, lossy),
        figures.bars(figures.without_handshake(rows), limits, lossy), figures.complaints(measured, plan.cells),
        sum(cell["timeouts"] for cell in measured.values()))
