"""headwind serve and its control API, as a client sees them."""

import http.client
import json
import select
import subprocess
import time

from .process import Child, clean_environment

READY_SECONDS = 10


class Daemon:
    """One `headwind serve` with the proxies given as {name: (listen, upstream)}; leaving the block ends it."""

    def __init__(self, binary, directory, proxies, arguments=(), prefix=(), environment=None, control="127.0.0.1:0"):
        """`prefix` starts it through another program; `environment` comes on top of a clean one."""
        command = [*prefix, binary, "serve", "--control", control, "--seed", "1"]
        for name, (listen, upstream) in proxies.items():
            command += ["--proxy", f"{name}={listen},{upstream}"]
        self.log = directory / f"headwind-{time.monotonic_ns()}.log"
        begin = time.monotonic()
        self.child = Child([*command, *arguments], self.log, subprocess.PIPE,
                           {**clean_environment(), **(environment or {})})
        try:
            self.ready = self._read_ready_line()
        except BaseException:
            self.child.stop()
            raise
        self.start_seconds = time.monotonic() - begin
        self.control = self.ready["control"]

    def _read_ready_line(self):
        readable, _, _ = select.select([self.child.process.stdout], [], [], READY_SECONDS)
        line = self.child.process.stdout.readline() if readable else b""
        try:
            ready = json.loads(line)
            if ready["event"] == "ready":
                return ready
        except (ValueError, KeyError, TypeError):
            pass
        if not line and readable:
            self.child.fail(f"ended with status {self.child.process.wait(READY_SECONDS)} before it was ready")
        self.child.fail(f"no ready line within {READY_SECONDS} s, but {line!r}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.stop()

    @property
    def pid(self):
        return self.child.pid

    def address(self, proxy):
        """(host, port) where the proxy really listens; an IPv6 host without its brackets."""
        host, _, port = self.ready["proxies"][proxy].rpartition(":")
        return host.strip("[]"), int(port)

    def call(self, method, path, body=None):
        """The decoded answer of the control API; an answer that is no success raises."""
        host, _, port = self.control.rpartition(":")
        connection = http.client.HTTPConnection(host.strip("[]"), int(port), timeout=10)
        try:
            text = None if body is None else json.dumps(body)
            connection.request(method, path, text, {} if body is None else {"Content-Type": "application/json"})
            answer = connection.getresponse()
            content = answer.read()
        finally:
            connection.close()
        if answer.status >= 300:
            raise RuntimeError(f"{method} {path}: {answer.status} {content.decode(errors='replace')}")
        return json.loads(content) if content else None

    def profiles(self):
        """The catalogue, by name."""
        return {profile["name"]: profile for profile in self.call("GET", "/profiles")["profiles"]}

    def use(self, proxy, profile):
        self.call("PUT", f"/proxies/{proxy}/profile/{profile}")

    def set_toxic(self, proxy, kind, attributes):
        """Replaces all toxics of the proxy by this one; None leaves none."""
        for toxic in self.call("GET", f"/proxies/{proxy}/toxics"):
            self.call("DELETE", f"/proxies/{proxy}/toxics/{toxic['name']}")
        if kind:
            self.call("POST", f"/proxies/{proxy}/toxics", {"type": kind, "attributes": attributes})
