"""scripts/soak: random toxics come, change and go on a running daemon; each call is timed."""

import http.client
import json
import random
import time
from dataclasses import dataclass, field

from .machine import waited_seconds

MAX_TOXICS = 5
MAX_LEASES = 8
# Profiles by which no stream ends, and all; what rules may say besides.
KEEPING, CUTTING = ("lte", "none"), ("lte", "3g", "none", "flaky", "offline", "100-loss")
TIMEOUT_SECONDS = 10


def lossless(dice):
    """A toxic that may slow a stream down but keeps every byte."""
    return dice.choice([
        lambda: ("latency", {"latency": dice.randint(0, 60), "jitter": dice.randint(0, 40)}),
        lambda: ("bandwidth", {"rate": dice.randint(500, 200_000)}),
        lambda: ("slow_close", {"delay": dice.randint(0, 100)}),
        lambda: ("slicer", {"average_size": dice.randint(200, 50_000), "size_variation": dice.randint(0, 200),
                            "delay": dice.randint(0, 300)}),
        lambda: ("limit_data", {"bytes": 1 << 50}),
        lambda: ("noop", {}),
        lambda: ("stall", {"for_ms": dice.randint(1, 300)}),
        lambda: ("drop", {"probability": 0}),
        lambda: ("reset_peer", {"timeout": 3_600_000}),
    ])()


def lossy(dice):
    """A toxic that may cut a stream off."""
    return dice.choice([
        lambda: ("timeout", {"timeout": dice.randint(0, 300)}),
        lambda: ("reset_peer", {"timeout": dice.randint(0, 300)}),
        lambda: ("limit_data", {"bytes": dice.randint(0, 3_000_000)}),
        lambda: ("drop", {"probability": dice.random(), "per": dice.choice(["connection", "exchange"]),
                          "how": dice.choice(["reset", "close"])}),
        lambda: lossless(dice),
    ])()


@dataclass
class Call:
    what: str
    status: int
    seconds: float
    waited_seconds: float  # of these the daemon was ready to run and had no processor


@dataclass
class Churn:
    """Changes the toxics of proxies by chance, and remembers what each call took."""

    control: str
    pid: int
    seed: int
    calls: list = field(default_factory=list)
    complaints: list = field(default_factory=list)

    def __post_init__(self):
        self.dice = random.Random(self.seed)
        self.toxics = {}
        self.leases = []
        self.counter = 0
        host, _, port = self.control.rpartition(":")
        self.connection = http.client.HTTPConnection(host.strip("[]"), int(port), timeout=TIMEOUT_SECONDS)

    def call(self, method, path, body=None, expected=(200, 201, 204)):
        begin, waited = time.monotonic(), waited_seconds(self.pid)
        self.connection.request(method, path, None if body is None else json.dumps(body))
        answer = self.connection.getresponse()
        content = answer.read()
        seconds = time.monotonic() - begin
        self.calls.append(Call(f"{method} {_kind(path)}", answer.status, seconds, waited_seconds(self.pid) - waited))
        if answer.status not in expected:
            self.complaints.append(f"{method} {path} {body}: {answer.status} {content[:200]!r}")
        return content

    def act(self, proxy, make):
        """One random change of the toxics of a proxy."""
        names = self.toxics.setdefault(proxy, {})
        actions = ["add"] * (len(names) < MAX_TOXICS) + ["update", "remove"] * bool(names)
        action = self.dice.choice(actions)
        if action == "add":
            self.counter += 1
            self.add(proxy, f"toxic{self.counter}", make)
        elif action == "update":
            name = self.dice.choice(list(names))
            self.update(proxy, name, make)
        else:
            name = self.dice.choice(list(names))
            del names[name]
            self.call("DELETE", f"/proxies/{proxy}/toxics/{name}")

    def add(self, proxy, name, make):
        kind, attributes = make(self.dice)
        body = {"name": name, "type": kind, "attributes": attributes, "toxicity": self.dice.choice([1, 1, 0.5]),
                "stream": self.dice.choice(["upstream", "downstream"])}
        if self.dice.random() < 0.2:
            body["after_bytes"] = self.dice.randint(0, 1_000_000)
        if self.dice.random() < 0.2:
            body["after_ms"] = self.dice.randint(0, 500)
        self.call("POST", f"/proxies/{proxy}/toxics", body)
        self.toxics[proxy][name] = kind

    def update(self, proxy, name, make):
        """The same kind with other numbers, where chance finds it."""
        for _ in range(40):
            kind, attributes = make(self.dice)
            if kind == self.toxics[proxy][name]:
                return self.call("PATCH", f"/proxies/{proxy}/toxics/{name}",
                                 {"attributes": attributes, "toxicity": self.dice.choice([1, 0.5, 0])})

    def change_rules(self, steady_host, cut_host):
        """Other rules for both hosts, in any order; some change nothing for what is open."""
        rules = [{"host": steady_host, "use": self.dice.choice((*KEEPING, "direct"))},
                 {"host": cut_host, "use": self.dice.choice((*CUTTING, "direct", "deny"))},
                 {"host": "*.example.com", "use": "deny"}]
        self.dice.shuffle(rules)
        self.call("PUT", "/rules", {"rules": rules[:self.dice.randint(0, 3)]})

    def change_leases(self, proxies, profiles):
        """Takes a lease of some of the proxies, renews one or lets one go; each may have ended by itself."""
        if len(self.leases) < MAX_LEASES and self.dice.random() < 0.5:
            names = self.dice.sample(proxies, self.dice.randint(1, len(proxies)))
            terms = {"profile": self.dice.choice(profiles), "proxies": names, "for": f"{self.dice.randint(1, 3000)}ms",
                     "by": "soak"}
            self.leases.append(json.loads(self.call("POST", "/leases", terms))["id"])
        elif self.leases:
            lease = self.leases.pop(self.dice.randrange(len(self.leases)))
            if self.dice.random() < 0.5:
                self.call("DELETE", f"/leases/{lease}", expected=(204, 404))
            else:
                self.call("POST", f"/leases/{lease}/renew", expected=(200, 404))

    def clear_all(self, proxies):
        """Leaves nothing that slows anything down."""
        for proxy in proxies:
            for name in self.toxics.pop(proxy, {}):
                self.call("DELETE", f"/proxies/{proxy}/toxics/{name}")
            self.call("DELETE", f"/proxies/{proxy}/profile")
        self.call("DELETE", "/rules")
        for lease in json.loads(self.call("GET", "/leases"))["leases"]:
            self.call("DELETE", f"/leases/{lease['id']}", expected=(204, 404))


def _kind(path):
    parts = path.strip("/").split("/")
    if len(parts) == 4:
        parts[3] = "{toxic}"
    if len(parts) > 1:
        parts[1] = "{lease}" if parts[0] == "leases" else "{proxy}"
    return "/" + "/".join(parts)
