"""Measuring many things in turns, so that whatever changes on the machine meets all of them alike."""

import os
import subprocess
import time
from dataclasses import dataclass
from typing import Callable

from ..machine import say
from ..report import median, table
from . import processors

# Of a core, used by others meanwhile: from there on a figure says little.
NOISE_CORES = 0.25
NOISE_MARK = " ⚠"


@dataclass(frozen=True)
class Cell:
    """One figure of one contestant. `measure` returns a dict: `value`, and what else is to be kept."""

    what: str
    who: str
    measure: Callable
    pid: int | None = None  # whose processor time is noted


def play(cells, rounds, pace):
    """The cells as JSON has them, with their samples. Each round begins with another contestant: none has a fixed
    place."""
    found = [{"what": cell.what, "who": cell.who, "samples": []} for cell in cells]
    by_what = {}
    for number, cell in enumerate(cells):
        by_what.setdefault(cell.what, []).append(number)
    done = 0
    for turn in range(rounds):
        for numbers in by_what.values():
            first = turn % len(numbers)
            for number in numbers[first:] + numbers[:first]:
                pace.step(f"{cells[number].what}, {cells[number].who}, round {turn + 1} of {rounds}",
                          done / (rounds * len(cells)))
                found[number]["samples"].append(_patient_sample(cells[number]))
                done += 1
    return found


def _patient_sample(cell):
    """One mishap doesn't spoil an item of many minutes; a second one at the same place does."""
    try:
        return _sample(cell)
    except (RuntimeError, OSError, subprocess.SubprocessError) as problem:
        say(f"{cell.what}, {cell.who}: {problem}; once more")
        time.sleep(1)
        return _sample(cell)


def _sample(cell):
    others, load = processors.Others(), os.getloadavg()[0]
    before = processors.used_seconds(cell.pid) if cell.pid else None
    sample = cell.measure()
    if before is not None:
        sample["cpu_seconds"] = processors.used_seconds(cell.pid) - before
    return sample | {"others_cores": others.cores(), "load": [load, os.getloadavg()[0]]}


# Reading what was kept.


def samples(cells, what, who):
    return next((cell["samples"] for cell in cells if cell["what"] == what and cell["who"] == who), [])


def values(cells, what, who, key="value"):
    return [sample[key] for sample in samples(cells, what, who) if sample.get(key) is not None]


def middle(cells, what, who, key="value"):
    """The median; None where nothing was measured."""
    return median(values(cells, what, who, key))


def names(cells, key="who"):
    return list(dict.fromkeys(cell[key] for cell in cells))


def is_noisy(some):
    return bool(some) and median([sample["others_cores"] for sample in some]) > NOISE_CORES


def spread_text(some, show, key="value", is_timed=True):
    """Median and, in parentheses, the lowest and the highest; marked where others used the machine, if that matters."""
    found = [sample[key] for sample in some if sample.get(key) is not None]
    if not found:
        return "–"
    ends = f" ({show(min(found))} – {show(max(found))})" if len(found) > 1 else ""
    return f"{show(median(found))}{ends}{NOISE_MARK if is_timed and is_noisy(some) else ''}"


def pivot(cells, show, key="value", first="", is_timed=True):
    """A table with a row for each contestant and a column for each figure."""
    whats = names(cells, "what")
    rows = [[who, *(spread_text(samples(cells, what, who), show, key, is_timed) for what in whats)]
            for who in names(cells)]
    return table([first, *whats], rows)
