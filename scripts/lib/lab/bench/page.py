"""docs/performance.md: the bars, what was measured, and how."""

from .. import machine, report
from . import (
    bars, control, exactness, latency, loops, memory, picture, requests, rounds, stall, starting, throughput)

PAGE = machine.TOP / "docs" / "performance.md"
PICTURE = machine.TOP / "docs" / "performance.svg"
# What stands there is the authors'; all else the script writes.
OWN = "why"

SECTIONS = {
    "throughput": ("Throughput", throughput.text),
    "requests": ("Small requests", requests.text),
    "connections": ("New connections", lambda data: requests.text(data, closing=True)),
    "loops": ("More event loops", loops.text),
    "latency": ("Added latency", latency.text),
    "delay": ("Error of the latency toxic", exactness.delay_text),
    "rate": ("Error of the bandwidth toxic", exactness.rate_error_text),
    "delayed": (f"Throughput under {exactness.DELAYED_MS} ms of latency", exactness.delayed_text),
    "memory": ("Memory", memory.text),
    "start": ("Start", starting.text),
    "stall": ("Ten thousand sessions beside one", stall.text),
    "control": ("The control API under load", control.text),
}

INTRODUCTION = """# How fast it is

Headwind beside other proxies, and against what it is to reach. Written by `scripts/bench --page`, figures and all; only
the text between the marks “{own}” is typed.

{about}

## What it has to reach

{bars}

![Headwind and other proxies: throughput, cost, requests, connections, latency and memory](performance.svg)

## What holds it back

{why}

## Again, on your machine

```
scripts/bench --page             # all of this page, some {minutes} minutes
scripts/bench throughput memory  # some of it, printed
scripts/bench --short            # shows within two minutes that everything runs
scripts/bench --json FILE        # every sample; --from FILE makes text and page of it again
```

It wants a machine that does nothing else: where others used more than {noise} of a core meanwhile, the figure has a ⚠.
All contestants run at the same time, idle but for the one that is measured, and are measured in turns, so that what
changes on the machine meets all of them. Headwind moves bytes in one event loop by default, so the fair rivals have one thread:
HAProxy `nbthread 1`, Envoy `--concurrency 1`, nginx `worker_processes 1`, which is its default. HAProxy and Envoy are
there with as many threads as cores, too, which is theirs. toxiproxy comes as it is. Nobody logs connections. All else,
buffers too, is as each has it by default, but for limits of connections that would be in the way."""


def section(item, data):
    title, text = SECTIONS[item]
    return f"## {title}\n\n{text(data)}"


def missing(results):
    """What could not be compared or measured, in words."""
    said = [f"Not here, so left out: {', '.join(results['absent'])}."] if results["absent"] else []
    return said + [f"Failed: {item}: {problem}." for item, problem in results["failed"].items()]


def about(results):
    versions = ", ".join(f"{name} {number}" for name, number in results["versions"].items())
    return "\n\n".join([f"{results['machine']}; {versions}.", *missing(results)])


def compose(results):
    kept = report.block(PAGE.read_text(), OWN).strip() if PAGE.exists() else ""
    begin, end = report.marks(OWN)
    head = INTRODUCTION.format(
        own=OWN, about=about(results), bars=bars.table(results), why="\n".join(filter(None, [begin, kept, end])),
        minutes=max(1, round(results["seconds"] / 60)), noise=rounds.NOISE_CORES)
    return "\n\n".join([head, *(section(item, results[item]) for item in SECTIONS if results.get(item))]) + "\n"


def write(results):
    PAGE.write_text(compose(results))
    PICTURE.write_text(picture.draw(results))


