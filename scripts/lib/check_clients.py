"""The part of scripts/check-clients that runs in its virtual environment."""

import argparse
import pathlib
import sys

sys.dont_write_bytecode = True

from lab.daemon import Daemon  # noqa: E402
from lab.forward import cells, clients, matrix, verdict, websocket  # noqa: E402
from lab.forward.authority import Authority  # noqa: E402
from lab.forward.origin import Origin  # noqa: E402

PROFILES = ("none", "3g", "flaky")
PARTS = (*(client.name for client in clients.ALL), "websocket", "run")
LIMIT_SECONDS = 600
WORKERS = 4


def options():
    parser = argparse.ArgumentParser(prog="check-clients")
    parser.add_argument("binary", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--only", metavar="NAME,...", default=",".join(PARTS), help=f"some of {', '.join(PARTS)}")
    chosen = parser.parse_args()
    chosen.only = chosen.only.split(",")
    if unknown := [name for name in chosen.only if name not in PARTS]:
        parser.error(f"no such part: {', '.join(unknown)}; there are {', '.join(PARTS)}")
    return chosen


def check_clients(names, bench):
    chosen = [client for client in clients.ALL if client.name in names]
    for client in chosen:
        client.prepare(bench.directory)
    grid = [cells.Cell(client, way, profile) for profile in PROFILES for client in chosen for way in client.ways]
    if not grid:
        return []
    cells.run(grid, bench, WORKERS)
    print(cells.text(grid), end="\n\n", flush=True)
    return [text for cell in grid for text in cell.complaints]


def check_websocket(bench):
    series, complaints = [], []
    for way in websocket.WAYS:
        try:
            series.append(websocket.measure(bench, way))
        except Exception as problem:
            complaints.append(f"WebSocket, {way}: {type(problem).__name__}: {problem}")
    print(websocket.text(series), end="\n\n", flush=True)
    return complaints + [text for one in series for text in one.complaints]


def check_run(bench):
    table, complaints = matrix.check(bench)
    print(table, end="\n\n", flush=True)
    return complaints


def check(chosen, directory):
    authority, strangers = Authority(directory, "authority"), Authority(directory, "strangers")
    with Daemon(chosen.binary, directory, {}) as daemon:
        profiles = daemon.profiles()
    with Origin(directory, authority) as origin:
        bench = cells.Bench(
            chosen.binary, directory, origin, authority.environment(), strangers.environment(), profiles)
        complaints = check_clients(chosen.only, bench)
        complaints += check_websocket(bench) if "websocket" in chosen.only else []
        complaints += check_run(bench) if "run" in chosen.only else []
    return complaints


if __name__ == "__main__":
    chosen = options()
    sys.exit(verdict.of(lambda directory: check(chosen, directory), "check-clients", LIMIT_SECONDS))
