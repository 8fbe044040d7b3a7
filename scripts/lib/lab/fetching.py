"""curl as the client that is measured."""

import hashlib
import json
import pathlib
import tempfile
from dataclasses import dataclass

from .process import ChildFailed, clients


@dataclass(frozen=True)
class Fetch:
    """One transfer as curl tells it; times in seconds from its start."""

    size: int
    error: str
    total: float
    first_byte: float
    sent_bytes: int
    received_bytes: int
    new_connections: int
    digest: str

    @property
    def ok(self):
        return not self.error


def fetch(address, sizes, directory, limit_seconds):
    """Gets /SIZE for each of `sizes` with one curl, which keeps its connection from one to the next if it can."""
    host, port = address
    literal = f"[{host}]" if ":" in host else host
    command = ["curl", "-q", "--globoff", "--silent", "--noproxy", "*", "--write-out", "%{json}\\n"]
    command += ["--max-time", str(limit_seconds)]  # counts anew for each transfer
    with tempfile.TemporaryDirectory(dir=directory) as place:
        for index, size in enumerate(sizes):
            command += ["--output", f"{place}/{index}", f"http://{literal}:{port}/{size}"]
        output, _ = clients.output(command, limit_seconds * len(sizes) + 20)
        told = [json.loads(line) for line in output.splitlines()]
        if len(told) != len(sizes):
            raise ChildFailed(f"curl told of {len(told)} transfers instead of {len(sizes)}")
        return [_fetch(told[index], size, pathlib.Path(place, str(index))) for index, size in enumerate(sizes)]


def _fetch(told, size, file):
    error = told["errormsg"] or (f"HTTP status {told['http_code']}" if told["http_code"] != 200 else "")
    return Fetch(
        size=size,
        error=error if told["exitcode"] or error else "",
        total=told["time_total"],
        first_byte=told["time_starttransfer"],
        sent_bytes=told["size_request"],
        received_bytes=told["size_header"] + told["size_download"],
        new_connections=told["num_connects"],
        digest=hashlib.sha256(file.read_bytes()).hexdigest() if file.exists() else "",
    )


def put(control, path, directory):
    """PUTs to the control API as a user does, with curl; returns the seconds that it took."""
    answer = pathlib.Path(directory, "answer")
    command = ["curl", "-q", "--silent", "--show-error", "--fail-with-body", "--noproxy", "*", "--max-time", "5",
               "--request", "PUT", "--output", answer, "--write-out", "%{time_total}", f"http://{control}{path}"]
    output, status = clients.output(command, 10)
    if status:
        raise ChildFailed(f"curl PUT {path}: status {status} {answer.read_text() if answer.exists() else ''}")
    return float(output)
