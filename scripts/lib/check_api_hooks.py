"""What schemathesis is to know of the API beyond its description; scripts/check-api has it loaded."""

import datetime
import re
import zlib

import requests
import schemathesis
from hypothesis import strategies

schemathesis.openapi.format("headwind-duration", strategies.sampled_from(["30s", "1.5m", "1h30m", "1ms", "24h"]))
schemathesis.openapi.format(
    "headwind-moment", strategies.sampled_from(["0", "1h30m", "@1764496800", "@0.5", "2020-02-29T23:59:59.5+01:00"]))
schemathesis.openapi.format(
    "headwind-event-types", strategies.sampled_from(["dropped", "session_opened,decision", "reset"]))

session = requests.Session()

# When each lease ends, as the last answer about it said.
lease_ends = {}

# Addresses on loopback, and a few that can't be listened on.
LISTEN = 3 * ("127.0.0.1:0", "localhost:0", "[::1]:0", "127.0.0.1:") + ("127.0.0.1", "192.0.2.1:0")

# Patterns of rules by host, and what is done to such hosts.
HOSTS = ("example.com", "*.example.com:443", "*", "10.0.0.0/8", "[::1]:80", "fd00::/8")
USES = ("direct", "deny", "none")

# Rules between values, which JSON Schema has no words for: names that are taken, profiles that there aren't, one number
# that bounds another. A request that breaks one is refused though its schema allows it.
RULES = re.compile(
    r"another toxic is named|allowed: (the name of a proxy|the names of proxies|a name that no other|each name once|.*the name it is kept under)"
    r"|allowed: a number from 0 to latency_ms|allowed: at most average_size|refused for all or for none"
    r'|"refuse" only with probability 1|how other than "refuse"|allowed: another name, as "none"'
    r"|would be an open proxy|which it was made with|clients of mode|for a new proxy mode|as many as there may be"
    r"|allowed: (at least the path's jitter_ms|at least .*, as shorter bursts|above 0 as long as p is|none beside)"
    r"|as without a rate nothing waits|as TCP, which .* needs, is modelled|shows delay and rate only"
    r"|as the times of a trace don't fall|as a round of a trace|allowed: downstream_ms, upstream_ms or both"
)


# What a format says and a validator that doesn't know it can't: bodies are varied at random.
DURATION = re.compile(r"([0-9]+([.][0-9]+)?(ms|s|m|h))+")


def chosen(values, text):
    """One of the values, the same for the same text."""
    return values[zlib.crc32(text.encode(errors="surrogatepass")) % len(values)]


@schemathesis.hook
def before_call(context, case, kwargs):
    """Keeps proxies on this machine, and under a profile that no call has removed."""
    if case.meta and case.meta.phase.name.value == "coverage" and "{proxy}" in case.path:
        restore(case.operation.base_url, "{toxic}" in case.path)
    if case.path == "/rules" and isinstance(case.body, dict):
        rules = case.body.get("rules", case.body)
        for rule in rules if isinstance(rules, list) else [rules]:
            name_what_there_is(rule)
    for proxy in case.body if isinstance(case.body, list) else [case.body]:
        if isinstance(proxy, dict) and isinstance(proxy.get("listen"), str):
            proxy["listen"] = chosen(LISTEN, proxy["listen"])
        if isinstance(proxy, dict) and isinstance(proxy.get("profile"), str):
            proxy["profile"] = "none"


def name_what_there_is(rule):
    """Gives a rule a host that can be read and a profile that there is, whatever texts it has."""
    for key, values in (("host", HOSTS), ("use", USES)) if isinstance(rule, dict) else ():
        if isinstance(rule.get(key), str) and rule[key]:
            rule[key] = chosen(values, rule[key])


def restore(url, with_toxic):
    """Makes anew what the examples of parameters name, so that bodies are looked at and not only names."""
    session.post(f"{url}/reset", timeout=5)
    session.post(f"{url}/proxies", json={"name": "web", "listen": "127.0.0.1:0", "upstream": "127.0.0.1:1"}, timeout=5)
    if with_toxic:
        session.post(f"{url}/proxies/web/toxics", json={"type": "latency"}, timeout=5)


@schemathesis.hook
def after_call(context, case, response):
    """Remembers until when a lease is to be had."""
    if case.path.startswith("/leases") and response.status_code in (200, 201):
        told = response.json()
        for lease in told.get("leases", [told]):
            lease_ends[lease["id"]] = datetime.datetime.fromisoformat(lease["expires_at"])


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Lets pass what is as it has to be."""
    if failure.code == "ST101":
        # The classic API's status for an address that can't be listened on.
        return not (response.status_code == 500 and error(response).startswith("listen tcp"))
    if failure.code == "ST202":
        return not (response.status_code == 400 and (RULES.search(error(response)) or has_no_duration(case.body)))
    if failure.code == "ST302":
        # A lease ends by itself, and may have been made, or renewed, for a millisecond.
        return not has_ended((case.path_parameters or {}).get("lease"))
    if failure.code == "ST301":
        # No resource, but the place of one: it says "none" when that is gone.
        return not case.path.endswith("/profile")
    if failure.code == "ST201":
        # An integer may be spelled so, in JSON Schema and here; schemathesis takes it for another type.
        return not has_whole_float(case.body)
    if failure.code == "ST204":
        # Any method is answered there.
        return case.path != "/metrics"
    return True


def has_no_duration(body):
    text = body.get("for") if isinstance(body, dict) else None
    return isinstance(text, str) and not DURATION.fullmatch(text)


def has_ended(lease):
    return lease in lease_ends and lease_ends[lease] <= datetime.datetime.now(datetime.UTC)


def has_whole_float(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return any(has_whole_float(element) for element in value)
    return isinstance(value, float) and value.is_integer()


def error(response):
    return response.json()["error"]
