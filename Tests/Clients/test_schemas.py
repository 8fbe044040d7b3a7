"""What the commands print with --json is as docs/schemas says: no key less, no key more."""

import copy
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

import jsonschema

from support import HEADWIND, TOP, DaemonTestCase, connect, echo, eventually, exchange

SCHEMAS = TOP / "docs/schemas"
TOXICS = [
    {"type": "latency", "attributes": {"latency": 5, "jitter": 1}, "toxicity": 0.5},
    {"type": "bandwidth", "attributes": {"rate": 100000}, "after_ms": 1},
    {"type": "slow_close", "attributes": {"delay": 1}},
    {"type": "timeout", "attributes": {"timeout": 100000}, "toxicity": 0},
    {"type": "reset_peer", "attributes": {"timeout": 100000}, "stream": "upstream", "toxicity": 0},
    {"type": "slicer", "attributes": {"average_size": 1000, "size_variation": 10, "delay": 1}, "every": 2},
    {"type": "limit_data", "attributes": {"bytes": 1000000}, "after_bytes": 5},
    {"type": "noop", "first_connections": 3},
    {"type": "drop", "attributes": {"probability": 0.5, "per": "exchange", "how": "close"}},
    {"type": "stall", "attributes": {"for_ms": 1}},
]

checker = jsonschema.FormatChecker(formats=())


@checker.checks("date-time")
def is_time(value):
    return not isinstance(value, str) or re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", value) is not None


def validator(name):
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8"))
    return jsonschema.Draft202012Validator(schema, format_checker=checker)


def objects(value, path=()):
    """The paths of all objects in a value."""
    if isinstance(value, dict):
        yield path
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, member in members:
        yield from objects(member, path + (key,))


def at(value, path):
    for key in path:
        value = value[key]
    return value


def optional_keys(schema):
    """The keys that some object in a schema may be without."""
    if isinstance(schema, dict):
        properties = schema.get("properties")
        if schema.get("type") in ("object", ["object", "null"]) and isinstance(properties, dict):
            yield from properties.keys() - set(schema.get("required", ()))
    for part in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from optional_keys(part)


def is_by_name(path):
    """Whether the keys there are names of proxies."""
    return path[-1:] == ("proxies",)


class SchemaFiles(unittest.TestCase):
    def test_they_are_what_the_daemon_says(self):
        environment = dict(os.environ, HEADWIND=HEADWIND)
        found = subprocess.run([sys.executable, TOP / "scripts/schemas", "--check"], env=environment, text=True,
                               capture_output=True, timeout=60)
        self.assertEqual((found.returncode, found.stderr), (0, ""))

    def test_they_are_schemas_and_the_page_names_them(self):
        page = (TOP / "docs/json.md").read_text(encoding="utf-8")
        for path in sorted(SCHEMAS.iterdir()):
            jsonschema.Draft202012Validator.check_schema(json.loads(path.read_text(encoding="utf-8")))
            self.assertIn(f"(schemas/{path.name})", page)
        for name in re.findall(r"\(schemas/(.*?)\)", page):
            self.assertTrue((SCHEMAS / name).exists(), name)


class WhatIsPrinted(DaemonTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.validators = {}

    def run_headwind(self, *words, status=0):
        found = subprocess.run([HEADWIND, *words, "--json"], text=True, capture_output=True, timeout=30,
                               env=dict(os.environ, HEADWIND_URL=self.daemon.url))
        self.assertEqual(found.returncode, status, found.stderr)
        return found

    def headwind(self, *words, **more):
        return json.loads(self.run_headwind(*words, **more).stdout)

    def hold(self, name, value, is_by_name=is_by_name):
        """The value is as the schema says, and would not be with a key less or more."""
        found = self.validators.setdefault(name, validator(name))
        self.assertEqual([f"{error.json_path}: {error.message}" for error in found.iter_errors(value)][:3], [])
        optional = set(optional_keys(found.schema))
        needed = 0
        for path in objects(value):
            if is_by_name(path):
                continue
            surplus = copy.deepcopy(value)
            at(surplus, path)["surplus"] = 1
            self.assertFalse(found.is_valid(surplus), f"{name}: a key more at {path}")
            for key in at(value, path):
                less = copy.deepcopy(value)
                del at(less, path)[key]
                if key not in optional:
                    needed += 1
                    self.assertFalse(found.is_valid(less), f"{name}: without {key} at {path}")
        self.assertGreater(needed, 0, name)

    def make_proxy(self, name, upstream, toxics=()):
        self.hold("proxy", self.headwind("proxies", "create", name, "--upstream", upstream))
        for toxic in toxics:
            added = self.headwind("toxics", "add", name, *words_of(toxic))
            self.hold("toxic", added)
        return self.headwind("proxies", "show", name)["listen"]

    def test_all_of_it(self):
        address = self.make_proxy("web", self.serve(echo), TOXICS)
        self.make_proxy("idle", "127.0.0.1:1")
        nowhere = self.make_proxy("nowhere", "127.0.0.1:1")
        lives = []
        self.addCleanup(lambda: [live.close() for live in lives])
        for _ in range(24):
            try:
                lives.append(connect(address))
                exchange(lives[-1], b"hello")
            except (OSError, AssertionError):
                lives.pop().close()  # dropped
        with connect(nowhere):
            self.assertTrue(eventually(lambda: self.has_event("dial_failed")))
        self.assertTrue(self.has_event("dropped") and self.has_event("decision") and lives)
        self.hold("use", self.headwind("use", "3g", "--for", "1h"))
        self.hold("use", self.headwind("use", "edge", "--proxy", "idle"))
        self.hold("lease", self.headwind("leases", "take", "lte", "--proxy", "idle", "--reason", "a test"))
        self.hold("leases", self.headwind("leases"))
        self.watch()
        self.hold("proxies", self.headwind("proxies"), is_by_name=lambda path: path == ())
        for shown in (self.headwind("proxies", "show", "web"), self.headwind("proxies", "disable", "idle")):
            self.hold("proxy", shown)
        toxics = self.headwind("toxics", "web")
        self.assertEqual({toxic["type"] for toxic in toxics}, {toxic["type"] for toxic in TOXICS})
        self.hold("toxics", toxics)
        self.hold("profile", self.headwind("profiles", "show", "flaky"))
        for tool in ("dnctl", "tc", "devtools", "toxiproxy"):
            found = self.headwind("profiles", "export", "very-bad-network", "--format", tool)
            self.assertEqual([str(error) for error in validator("profile-export").iter_errors(found)], [])
        profiles = self.headwind("profiles")
        self.hold("profiles", {"profiles": profiles["profiles"][:3]})
        self.assertTrue(validator("profiles").is_valid(profiles))

    def test_selftest(self):
        # Whether it passes is this machine's business here.
        found = subprocess.run([HEADWIND, "selftest", "lte", "--quick", "--json"], text=True, capture_output=True,
                               timeout=120)
        self.assertIn(found.returncode, (0, 1), found.stderr)
        result = json.loads(found.stdout)
        self.assertEqual(found.returncode == 0, result["passed"])
        self.hold("selftest", result)

    def watch(self):
        self.assertTrue(eventually(lambda: any(
            session["decisions"] for session in self.headwind("sessions")["sessions"])))
        self.hold("sessions", self.headwind("sessions"))
        self.hold("status", self.headwind("status"))
        events = self.headwind("events")
        self.assertTrue(validator("events").is_valid(events))
        # One of each kind; the rest says nothing new.
        kinds = {tuple(sorted(event)) + (event["type"],): event for event in events["events"]}
        self.hold("events", dict(events, events=list(kinds.values())))
        for event in kinds.values():
            self.hold("event", event)
        self.hold("last-id", self.headwind("events", "--last-id"))
        self.hold("assert", self.headwind("assert", "--min-connections", "1", "--max-bytes", "1000000000"))
        refused = self.run_headwind("assert", "--proxy", "idle", "--min-drops", "1", status=1)
        self.hold("assert", json.loads(refused.stdout))
        self.hold("error", json.loads(refused.stderr))
        self.hold("error", json.loads(self.run_headwind("assert", status=64).stderr))

    def has_event(self, kind):
        return bool(self.headwind("events", "--type", kind)["events"])


def words_of(toxic):
    words = ["--type", toxic["type"], "--name", toxic["type"]]
    for key, value in toxic.get("attributes", {}).items():
        words += ["--attribute", f"{key}={value}"]
    for key in ("toxicity", "stream", "after_bytes", "after_ms", "first_connections", "every"):
        if key in toxic:
            words += [f"--{key.replace('_', '-')}", str(toxic[key])]
    return words
