"""toxiproxy-cli's commands and headwind's, word for word."""

import shlex
import subprocess
import sys
from dataclasses import dataclass
from typing import Callable

from ..process import ChildFailed
from ..rivals import toxiproxy_tool
from .case import Group, Seen, skipped

group = Group("commands", "The command line")

UPSTREAM = "127.0.0.1:1"


@dataclass(frozen=True)
class Pair:
    """What is typed, and what is so afterwards."""

    toxiproxy: str
    headwind: str
    holds: Callable  # of the answer to GET /proxies, and what was printed


def toxic(proxies):
    [one] = proxies["web"]["toxics"]
    return one["attributes"]["latency"], round(one["toxicity"], 3)


PAIRS = [
    Pair(f"toxiproxy-cli create -l 127.0.0.1:0 -u {UPSTREAM} web",
         f"headwind proxies create web -l 127.0.0.1:0 -u {UPSTREAM}",
         lambda proxies, _: proxies["web"]["upstream"] == UPSTREAM),
    Pair("toxiproxy-cli list", "headwind proxies", lambda _, printed: "web" in printed),
    Pair("toxiproxy-cli toxic add -t latency -n slow -a latency=100 --toxicity 0.5 web",
         "headwind toxics add web latency latency=100 --name slow --toxicity 0.5",
         lambda proxies, _: toxic(proxies) == (100, 0.5)),
    Pair("toxiproxy-cli inspect web", "headwind proxies show web", lambda _, printed: "slow" in printed),
    Pair("toxiproxy-cli toxic update -n slow -a latency=200 --toxicity 1 web",
         "headwind toxics update web slow latency=200 --toxicity 1",
         lambda proxies, _: toxic(proxies) == (200, 1)),
    Pair("toxiproxy-cli toxic remove -n slow web", "headwind toxics remove web slow",
         lambda proxies, _: not proxies["web"]["toxics"]),
    Pair("toxiproxy-cli toggle web", "headwind proxies toggle web", lambda proxies, _: not proxies["web"]["enabled"]),
    Pair("toxiproxy-cli delete web", "headwind proxies delete web", lambda proxies, _: not proxies),
]


def typed(contestant, server, words, tool=None):
    """Runs a command line against the server, with its own program or another one: (status, what it printed)."""
    command = (tool or contestant.tool)(server, shlex.split(words)[1:])
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=5)
    if contestant.is_traced:
        print(f"  {contestant.name}$ {words}\n    status {done.returncode}: {done.stdout.strip()}", file=sys.stderr)
    return done.returncode, done.stdout


def needs_tool(run):
    """A case for a contestant that may have no command line here."""

    def checked(contestant):
        return run(contestant) if contestant.has_tool else skipped("no toxiproxy-cli here")

    return checked


def whole_table(contestant, whose, tool=None):
    """All commands of one side, each checked by what is so afterwards."""
    with contestant.start() as server:
        for pair in PAIRS:
            words = getattr(pair, whose)
            status, printed = typed(contestant, server, words, tool)
            if status or not pair.holds(server.expect("GET", "/proxies"), printed):
                return Seen(f"`{words}`: status {status}, {printed.strip()}", False)
    return Seen(f"all {len(PAIRS)} do what they should", True)


@group.case("commands-table", "Each command of the table above, one after the other")
@needs_tool
def commands_table(contestant):
    return whole_table(contestant, contestant.name)


@group.case("commands-theirs", "`toxiproxy-cli` itself: each of its commands of the table")
def commands_theirs(contestant):
    if not (tool := toxiproxy_tool()):
        return skipped("no toxiproxy-cli here")
    return whole_table(contestant, "toxiproxy", lambda server, words: [tool, "--host", server.url, *words])


def with_toxic(contestant, theirs, ours):
    """Runs the command that suits the contestant on a toxic of toxicity 0.5: the status, and the toxic afterwards."""
    with contestant.start() as server:
        server.proxy(UPSTREAM, name="web")
        server.expect("POST", "/proxies/web/toxics", {
            "name": "slow", "type": "latency", "attributes": {"latency": 100}, "toxicity": 0.5})
        status, _ = typed(contestant, server, theirs if contestant.name == "toxiproxy" else ours)
        return status, toxic(server.expect("GET", "/proxies"))


@group.case("commands-toxicity", "The `latency` of a toxic with `toxicity` 0.5 is updated to 200")
@needs_tool
def commands_toxicity(contestant):
    status, (latency, toxicity) = with_toxic(
        contestant,
        "toxiproxy-cli toxic update -n slow -a latency=200 web",
        "headwind toxics update web slow latency=200")
    if status or latency != 200:
        raise ChildFailed(f"update: status {status}, latency {latency}")
    return Seen(f"toxicity is {toxicity:g}", toxicity == 0.5)


@group.case("commands-order", "Options behind the name")
@needs_tool
def commands_order(contestant):
    with contestant.start() as server:
        status, printed = typed(contestant, server, {
            "toxiproxy": f"toxiproxy-cli create web -l 127.0.0.1:0 -u {UPSTREAM}",
            "headwind": f"headwind proxies create web -l 127.0.0.1:0 -u {UPSTREAM}"}[contestant.name])
        made = "web" in server.expect("GET", "/proxies")
        said = (printed.strip().splitlines() or [""])[-1].strip()
        return Seen("taken" if made else f"exit status {status}: “{said}”", made and status == 0)


@group.case("commands-typo", "An option that doesn't exist")
@needs_tool
def commands_typo(contestant):
    status, _ = with_toxic(contestant, "toxiproxy-cli list --frobnicate", "headwind proxies --frobnicate")
    return Seen(f"exit status {status}", status != 0)


@group.case("commands-attribute", "A misspelled attribute, `latncy=200`")
@needs_tool
def commands_attribute(contestant):
    status, (latency, _) = with_toxic(
        contestant,
        "toxiproxy-cli toxic update -n slow -a latncy=200 web",
        "headwind toxics update web slow latncy=200")
    return Seen(f"exit status {status}, latency is {latency}", status != 0)
