"""What headwind has to reach, and whether it does, from what was measured."""

from dataclasses import dataclass

from .. import machine, report
from ..report import percentile, rate_text, time_text
from . import control, exactness, field, memory, requests, rounds, starting, throughput

RIVALS = field.NGINX, field.HAPROXY
STREAM_RIVALS = field.HAPROXY, field.NGINX, field.TOXIPROXY, field.ENVOY
DELAY_SECONDS = 0.15e-3
RATE_ERROR = 0.005
DELAYED_BYTES_PER_SECOND = 1.5e9
IDLE_BYTES = 2000
START_SECONDS = 0.020
CALL_SECONDS = 0.005

# No item here: scripts/fidelity measures it.
FIDELITY_ITEM = "fidelity"
FIDELITY = machine.TOP / "docs" / "fidelity.md"


@dataclass(frozen=True)
class Bar:
    figure: str
    limit: str
    measured: str
    is_met: bool | None  # None: not measured
    missed_by: str = ""

    @property
    def verdict(self):
        if self.is_met is None:
            return "not measured"
        return "met" if self.is_met else f"**MISSED** by {self.missed_by}"


def by_item(results):
    """All of them, by the item that measures each; those that were not measured are said."""
    found = {item: results.get(item) for item in ("throughput", "requests", "connections", "delay", "rate", "delayed",
                                                  "memory", "start", "control")}
    one = [(throughput.label(1, direction), f"throughput, one connection, {direction}")
           for direction in (throughput.UP, throughput.DOWN)]
    return {
        "throughput": [_ahead(found["throughput"], what, figure, STREAM_RIVALS, rate_text) for what, figure in one],
        "requests": [_ahead(found["requests"], requests.label(requests.MOST_COMPARED),
                            f"small requests, {requests.MOST_COMPARED} connections", RIVALS, _per_second)],
        "connections": [_ahead(found["connections"], requests.CLOSING, "new connections", RIVALS, _per_second)],
        "delay": [_delay(found["delay"])],
        "rate": [_rate(found["rate"])],
        "delayed": [_delayed(found["delayed"])],
        "memory": [_idle(found["memory"], profile) for profile in memory.PROFILES],
        "start": [_start(found["start"]), _file(found["start"])],
        "control": [_calls(found["control"])],
        FIDELITY_ITEM: list(_fidelity()),
    }


def _per_second(value):
    return f"{value:,.0f}/s"


def _ahead(data, what, figure, rivals, show):
    limit = f"ahead of {', '.join(rivals[:-1])} and {rivals[-1]}"
    cells = data["cells"] if data else []
    own = rounds.middle(cells, what, field.HEADWIND)
    medians = {name: rounds.middle(cells, what, name) for name in rivals}
    there = {name: value for name, value in medians.items() if value}
    if not own or not there:
        return Bar(figure, limit, "–", None)
    best = max(there, key=there.get)
    ratio = own / there[best]
    own_values, best_values = (rounds.values(cells, what, name) for name in (field.HEADWIND, best))
    overlap = min(own_values) <= max(best_values) and min(best_values) <= max(own_values)
    measured = f"{show(own)}, {ratio:.2f} × {best} ({show(there[best])})"
    measured += ", whose range overlaps" if overlap else ""
    absent = [name for name in rivals if name not in there]
    measured += f"; not here: {', '.join(absent)}" if absent else ""
    measured += _mark(cells, what, field.HEADWIND) or _mark(cells, what, best)
    return Bar(figure, limit, measured, ratio > 1, _percent(1 - ratio))


def _at_most(figure, limit, value, show, extra=""):
    return Bar(figure, f"≤ {show(limit)}", show(value) + extra, value <= limit, _percent(value / limit - 1))


def _percent(share):
    if share >= 2:
        return f"a factor of {share + 1:.1f}" if share < 9 else f"a factor of {share + 1:,.0f}"
    return f"{share * 100:.0f} %" if share >= 0.1 else f"{share * 100:.1f} %"


def _mark(cells, what, who):
    return rounds.NOISE_MARK if rounds.is_noisy(rounds.samples(cells, what, who)) else ""


def _unmeasured(figure, limit):
    return Bar(figure, limit, "–", None)


def _delay(data):
    figure = "error of the latency toxic, p99"
    if not data:
        return _unmeasured(figure, f"≤ {_milliseconds(DELAY_SECONDS)}")
    worst = {cell["what"]: percentile(exactness.pooled(cell), 0.99) for cell in data["cells"]
             if cell["who"] == field.HEADWIND and cell["what"] != exactness.NO_TOXIC}
    setting = max(worst, key=worst.get)
    bare = [percentile(exactness.pooled(cell), 0.99) for cell in data["cells"]
            if cell["who"] == exactness.BARE and cell["what"] != exactness.NO_TOXIC]
    beside = f" ({exactness.BARE}, of its own worst: {_milliseconds(max(bare))})" if bare else ""
    return _at_most(figure, DELAY_SECONDS, worst[setting], _milliseconds,
                    extra=f" at {setting}, the worst of {len(worst)}{beside}"
                          f"{_mark(data['cells'], setting, field.HEADWIND)}")


def _milliseconds(seconds):
    return f"{seconds * 1000:.3g} ms"


def _rate(data):
    figure = "error of the bandwidth toxic, 10 kB/s to 1 GB/s"
    if not data:
        return _unmeasured(figure, f"≤ {RATE_ERROR * 100:g} %")
    errors = {cell["what"]: max((sample["error"] for sample in cell["samples"]), key=abs)
              for cell in data["cells"] if cell["who"] == field.HEADWIND}
    setting = max(errors, key=lambda what: abs(errors[what]))
    return _at_most(figure, RATE_ERROR, abs(errors[setting]), lambda share: f"{share * 100:.2g} %",
                    extra=f" at {setting}, the worst of all rounds{_mark(data['cells'], setting, field.HEADWIND)}")


def _delayed(data):
    figure = f"throughput with {exactness.DELAYED_MS} ms of latency"
    limit = f"≥ {rate_text(DELAYED_BYTES_PER_SECOND)}"
    what = exactness.DELAYED
    value = rounds.middle(data["cells"], what, field.HEADWIND) if data else None
    if not value:
        return _unmeasured(figure, limit)
    share = value / DELAYED_BYTES_PER_SECOND
    measured = rate_text(value) + _mark(data["cells"], what, field.HEADWIND)
    return Bar(figure, limit, measured, share >= 1, _percent(1 - share))


def _idle(data, profile):
    figure = f"memory of an idle session, profile {profile}"
    value = rounds.middle(data["cells"], memory.IDLE, memory.headwind_under(profile)) if data else None
    if value is None:
        return _unmeasured(figure, f"≤ {memory.size(IDLE_BYTES)}")
    return _at_most(figure, IDLE_BYTES, value, lambda count: f"{count / 1000:.2f} kB")


def _start(data):
    figure = "start to ready"
    value = rounds.middle(data["cells"], starting.READY, field.HEADWIND) if data else None
    if value is None:
        return _unmeasured(figure, f"≤ {time_text(START_SECONDS)}")
    return _at_most(figure, START_SECONDS, value, time_text, _mark(data["cells"], starting.READY, field.HEADWIND))


def _file(data):
    figure, limit = "one file, without shared Swift libraries", "none"
    if not data or data["libraries"] is None:
        return _unmeasured(figure, limit)
    found = starting.swift_libraries(data)
    return Bar(figure, limit, f"{len(found)} of {len(data['libraries'])} shared libraries are Swift's", not found,
               ", ".join(found))


def _calls(data):
    figure = f"control calls, p99, while {control.CONNECTIONS} connections run at full rate"
    if not data or not control.all_seconds(data):
        return _unmeasured(figure, f"≤ {time_text(CALL_SECONDS)}")
    worst = {name: percentile(seconds, 0.99) for name, seconds in data["calls"].items()}
    name = max(worst, key=worst.get)
    mark = rounds.NOISE_MARK if data["others_cores"] > rounds.NOISE_CORES else ""
    return _at_most(figure, CALL_SECONDS, worst[name], time_text, f" for {name}, the slowest of {len(worst)}{mark}")


def _fidelity():
    """What scripts/fidelity has put into its page: it takes an hour, and measures something else."""
    for line in report.block(FIDELITY.read_text() if FIDELITY.exists() else "", "summary").splitlines():
        figure, limit, measured = ([word.strip() for word in line.strip("| ").split("|")] + ["", ""])[:3]
        if figure in ("misfit of medians", "misfit of 95th percentiles"):
            value, most = float(measured.split()[0]), float(limit.split()[-1])
            yield Bar(f"times that applications see, {figure} ([fidelity.md](fidelity.md))", limit, f"{value:.3f}",
                      value <= most, _percent(value / most - 1))


def table(results, items=None):
    """Of these items; of all without any."""
    found = [bar for item, bars in by_item(results).items() if items is None or item in items for bar in bars]
    rows = [[bar.figure, bar.limit, bar.measured, bar.verdict] for bar in found]
    return report.table(["figure", "bar", "measured", ""], rows) if rows else ""
