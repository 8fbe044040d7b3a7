"""toxiproxy's server, and headwind in its place: for scripts/compare-toxiproxy, which starts them anew for each case, and
scripts/bench."""

import contextlib
import http.client
import json
import os
import pathlib
import shlex
import shutil
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field

from .machine import first_line, free_ports
from .process import Child, ChildFailed, clean_environment

# A call that has no answer by then counts as hanging: the bar for headwind is 50 ms.
HANG_SECONDS = 3
START_SECONDS = 10


@dataclass
class Answer:
    """What came back of a call; without a status, `problem` says why nothing did."""

    status: int | None
    body: bytes = b""
    headers: dict = field(default_factory=dict)
    seconds: float = 0
    problem: str = ""

    @property
    def json(self):
        with contextlib.suppress(ValueError):
            return json.loads(self.body)
        return None

    @property
    def is_prompt(self):
        """Answered, and far from hanging; how fast exactly is printed, and judged by scripts/soak."""
        return self.status is not None and self.seconds < 1

    @property
    def timed(self):
        return self.problem or f"{self.status} after {milliseconds(self.seconds)}"

    @property
    def error(self):
        """The `error` text of an answer, or what else there is."""
        decoded = self.json
        return decoded["error"] if isinstance(decoded, dict) and "error" in decoded else self.body.decode().strip()


def milliseconds(seconds):
    return f"{seconds * 1000:.1f} ms" if seconds < 0.01 else f"{seconds * 1000:.0f} ms"


class Server:
    """A running server and its control API. Leaving the block ends it, if it hasn't ended itself."""

    def __init__(self, contestant, child, port):
        self.contestant, self.child, self.port = contestant, child, port
        self.name, self.is_traced = contestant.name, contestant.is_traced
        self.url = f"http://127.0.0.1:{port}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if status := self.child.process.poll():
            self.contestant.death = exit_words(status)
        self.child.stop()

    @property
    def pid(self):
        return self.child.pid

    def call(self, method, path, body=None, headers=()):
        """`body` is text, or what becomes JSON."""
        text = body if body is None or isinstance(body, str) else json.dumps(body)
        begin = time.monotonic()
        try:
            answer = self._exchange(method, path, text, dict(headers))
        except TimeoutError:
            answer = Answer(None, problem=f"no answer within {HANG_SECONDS} s")
        except (OSError, http.client.HTTPException) as problem:
            answer = Answer(None, problem=f"no answer: {_reason(problem)}")
        answer.seconds = time.monotonic() - begin
        self._trace(method, path, text, headers, answer)
        return answer

    def _exchange(self, method, path, text, headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=HANG_SECONDS)
        with contextlib.closing(connection):
            connection.request(method, path, text, headers)
            answer = connection.getresponse()
            return Answer(answer.status, answer.read(), answer.headers)

    def _trace(self, method, path, text, headers, answer):
        if self.is_traced:
            words = ["curl", "-X", method, self.url + path]
            words += [word for name, value in headers for word in ("-H", f"{name}: {value}")]
            words += [] if text is None else ["-d", text]
            print(f"  {self.name}$ {shlex.join(words)}", file=sys.stderr)
            content = answer.body.decode(errors="replace").strip()[:300]
            print(f"    {answer.timed} {content}", file=sys.stderr, flush=True)

    def expect(self, method, path, body=None):
        """A call that is only the way to what a case is about: it has to succeed."""
        answer = self.call(method, path, body)
        if answer.status is None or answer.status >= 300:
            raise ChildFailed(f"{self.name}: {method} {path}: {answer.timed} {answer.body.decode(errors='replace')}")
        return answer.json

    # What nearly every case needs.

    def proxy(self, upstream, name="p", **more):
        """Makes a proxy; where it listens."""
        made = self.expect("POST", "/proxies", {"name": name, "listen": "127.0.0.1:0", "upstream": upstream, **more})
        return address(made)

    def toxic(self, kind, attributes=None, **more):
        """Adds a toxic named t to the proxy p."""
        return self.expect("POST", "/proxies/p/toxics", {"name": "t", "type": kind, "attributes": attributes, **more})

    def death(self, seconds):
        """How the process ended within that time; None when it lives."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return exit_words(self.child.process.wait(seconds))
        return None


def address(proxy):
    host, _, port = proxy["listen"].rpartition(":")
    return ("127.0.0.1" if host in ("", "[::]", "0.0.0.0") else host.strip("[]"), int(port))


def exit_words(status):
    return f"died of signal {-status}" if status < 0 else f"died with status {status}"


def _reason(problem):
    if isinstance(problem, ConnectionRefusedError):
        return "connection refused"
    return "connection closed" if isinstance(problem, (ConnectionError, http.client.HTTPException)) else str(problem)


class Contestant:
    """A program that is started anew for each case, with the flags of toxiproxy's server."""

    def __init__(self, name, program, tool, directory, is_traced=False):
        """`program` is the server, `tool` what speaks to it on the command line, if that is here."""
        self.name, self.program, self.directory, self.is_traced = name, program, directory, is_traced
        self._tool = tool
        self.death = None

    @property
    def has_tool(self):
        return self._tool is not None

    def tool(self, server, words):
        """The command line that says `words` to the server."""
        if self.name == "headwind":
            return [self._tool, *words, "--control", server.url]
        return [self._tool, "--host", server.url, *words]

    @property
    def version(self):
        tool = self._tool if self.name == "headwind" else self.program
        return first_line(tool, "--version").replace("-server version", "")

    def take_death(self):
        """How the server of the last case ended by itself; None when it lived on."""
        death, self.death = self.death, None
        return death

    def launch(self, *flags, port=None, environment=()):
        """A process that need not come up: (child, port)."""
        port = port or free_ports(1)[0]
        command = [self.program, "-host", "127.0.0.1", "-port", port, *flags]
        if self.is_traced:
            print(f"  {self.name}$ {shlex.join(map(str, [self.program.name, *command[1:]]))}", file=sys.stderr)
        log = self.directory / f"{self.name}-{time.monotonic_ns()}.log"
        return Child(command, log, environment={**clean_environment(), **dict(environment)}), port

    def start(self, *flags, environment=()):
        """A `Server` that answers."""
        child, port = self.launch(*flags, environment=environment)
        server = Server(self, child, port)
        try:
            self._await(server)
        except BaseException:
            child.stop()
            raise
        return server

    def _await(self, server):
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            if server.child.process.poll() is not None:
                server.child.fail(f"ended with status {server.child.process.returncode}")
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", server.port), timeout=1):
                return
            time.sleep(0.002)
        server.child.fail(f"does not listen after {START_SECONDS} s")


def headwind(binary, directory, is_traced=False):
    """headwind under the name of the server whose place it takes."""
    link = directory / "toxiproxy-server"
    link.symlink_to(binary)
    return Contestant("headwind", link, binary, directory, is_traced)


def toxiproxy(directory, is_traced=False):
    """The server on the PATH, or of TOXIPROXY=PATH; None when there is none."""
    server = _toxiproxy_server()
    return Contestant("toxiproxy", server, toxiproxy_tool(), directory, is_traced) if server else None


def _toxiproxy_server():
    named = os.environ.get("TOXIPROXY")
    found = shutil.which(named or "toxiproxy-server")
    if named and not found:
        sys.exit(f"TOXIPROXY={named} is no program")
    return pathlib.Path(found).resolve() if found else None


def toxiproxy_tool():
    """toxiproxy-cli beside the server, or on the PATH."""
    server = _toxiproxy_server()
    beside = server and shutil.which(server.parent / "toxiproxy-cli")
    return beside or shutil.which("toxiproxy-cli")
