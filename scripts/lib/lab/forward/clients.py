"""The clients: each is asked in its own words to fetch a path, and checks certificates as it always does."""

import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

from ..process import ChildFailed, clean_environment
from .attempt import Attempt
from .origin import PROGRAMS

LIMIT_SECONDS = 120
GIT_PATH = "/git/project.git"


@dataclass(frozen=True)
class Way:
    """How a client reaches the server: through which listener, and the scheme of its URLs. `round_trips` is the least
    that one request on a new connection pays: the connection (by the proxy's answer, if it gives one), TLS, the request.
    """

    name: str
    listener: str  # "http" or "socks"
    scheme: str
    round_trips: int


CONNECT = Way("connect", "http", "https", 3)
CONNECT_PLAIN = Way("connect, http", "http", "http", 2)
ABSOLUTE = Way("absolute", "http", "http", 2)
SOCKS = Way("socks", "socks", "https", 3)
SOCKS_LOCAL = Way("socks, address", "socks", "https", 3)
SOCKS4A = Way("socks4a", "socks", "https", 3)


class Client:
    """`fetch` returns one Attempt for each of `count` requests; `trust` is the environment of an Authority."""

    name = ""
    ways = ()
    # One session for each request: then the daemon's account of sessions and drops can be checked exactly.
    one_session_each = True
    flaky_count = 20
    count = 5

    def prepare(self, directory):
        pass

    def path(self, size):
        return f"/{size}"

    def fetch(self, way, proxy, host, path, count, trust):
        raise NotImplementedError


class Curl(Client):
    name = "curl"
    ways = (CONNECT, ABSOLUTE, SOCKS, SOCKS_LOCAL, SOCKS4A)
    options = {"socks": "--socks5-hostname", "socks, address": "--socks5", "socks4a": "--socks4a"}

    def fetch(self, way, proxy, host, path, count, trust):
        return [self._fetch(way, proxy, f"{way.scheme}://{host}{path}", trust) for _ in range(count)]

    def _fetch(self, way, proxy, url, trust):
        environment = clean_environment() | trust
        with tempfile.TemporaryDirectory(prefix="headwind-curl-") as place:
            file = pathlib.Path(place, "body")
            command = ["curl", "-q", "--silent", "--max-time", "30", "--write-out", "%{json}", "--output", file, url]
            if way.listener == "socks":
                command[2:2] = [self.options[way.name], proxy]
            else:
                environment |= {"http_proxy": f"http://{proxy}", "https_proxy": f"http://{proxy}"}
            told = json.loads(_output(command, environment)[0])
            body = file.read_bytes() if file.exists() else b""
        error = f"curl {told['exitcode']}: {told['errormsg']}" if told["exitcode"] else ""
        if not error and told["http_code"] != 200:
            error = f"HTTP status {told['http_code']}"
        return Attempt(told["time_total"], hashlib.sha256(body).hexdigest(), error)


class Program(Client):
    """A program of ours that prints one JSON object for each request."""

    command = ()
    variables = {}

    def fetch(self, way, proxy, host, path, count, trust):
        url = f"{way.scheme}://{host}{path}"
        command = [*self.command, way.listener, proxy, url, count]
        output, errors = _output(command, clean_environment() | trust | self.variables)
        attempts = [Attempt.told(json.loads(line)) for line in output.splitlines()]
        if len(attempts) != count:
            raise ChildFailed(f"{self.name}: {len(attempts)} requests instead of {count}: {errors[-1000:]}")
        return attempts


class PythonRequests(Program):
    name = "requests"
    ways = (CONNECT, ABSOLUTE, SOCKS)
    command = (sys.executable, PROGRAMS / "fetch.py")


class NodeFetch(Program):
    name = "node"
    ways = (CONNECT, CONNECT_PLAIN, SOCKS)  # undici's ProxyAgent opens a tunnel for plain HTTP too
    command = ("node", PROGRAMS / "fetch.mjs")
    variables = {"NODE_PATH": "/usr/share/nodejs"}  # where Debian's packages put modules


class Java(Program):
    name = "java"
    ways = (CONNECT, ABSOLUTE, SOCKS)

    def prepare(self, directory):
        classes = pathlib.Path(directory, "java")
        _output(["javac", "-d", classes, PROGRAMS / "Fetch.java"], clean_environment(), must_succeed=True)
        # HttpClient repeats a GET by itself up to five times when its connection fails, which hides most failures.
        once = "-Djdk.httpclient.redirects.retrylimit=1"
        self.command = ("java", once, "-XX:TieredStopAtLevel=1", "-cp", classes, "Fetch")


class Git(Client):
    name = "git"
    # The proxy's answer, TLS, and three requests: what the server can do, its refs, the pack.
    ways = (Way("connect", "http", "https", 5), Way("socks", "socks", "https", 5))
    one_session_each = False
    flaky_count = 12
    count = 3

    def path(self, size):
        return GIT_PATH

    def fetch(self, way, proxy, host, path, count, trust):
        return [self._clone(way, proxy, f"{way.scheme}://{host}{path}", trust) for _ in range(count)]

    def _clone(self, way, proxy, url, trust):
        scheme = "socks5h" if way.listener == "socks" else "http"
        environment = clean_environment() | trust | {"GIT_TERMINAL_PROMPT": "0", "GIT_CONFIG_GLOBAL": "/dev/null",
                                                     "GIT_CONFIG_SYSTEM": "/dev/null"}
        with tempfile.TemporaryDirectory(prefix="headwind-git-") as place:
            work = pathlib.Path(place, "project")
            begin = time.monotonic()
            errors, status = _run(["git", "-c", f"http.proxy={scheme}://{proxy}", "clone", "--quiet", url, work],
                                  environment)[1:]
            seconds = time.monotonic() - begin
            if status:
                return Attempt(seconds, "", errors.strip() or f"status {status} and no word")
            _output(["git", "-C", work, "fsck", "--full", "--strict"], environment, must_succeed=True)
            head = _output(["git", "-C", work, "rev-parse", "HEAD"], environment, must_succeed=True)[0].strip()
            clean = _output(["git", "-C", work, "status", "--porcelain"], environment, must_succeed=True)[0]
        return Attempt(seconds, head if not clean else "work tree differs from the commit")


ALL = (Curl(), PythonRequests(), NodeFetch(), Java(), Git())


def _run(command, environment):
    """(standard output, standard error, status)"""
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, errors="replace", env=environment, timeout=LIMIT_SECONDS)
    return done.stdout, done.stderr, done.returncode


def _output(command, environment, must_succeed=False):
    output, errors, status = _run(command, environment)
    if must_succeed and status:
        raise ChildFailed(f"{command[0]}: status {status}: {errors[-1000:]}")
    return output, errors
