"""Toxics that end toxiproxy's process, and every other proxy with it."""

from ..peers import Serving, connect, echo, exchange
from .case import Group, Seen

group = Group("crashing", "Toxics that crash the server")

DEATH_SECONDS = 15  # a stack grows to 1 GB first


def add_and_echo(contestant, body, is_accepted, repeat=1):
    """Adds the toxic, then echoes 2,000 bytes, several times."""
    with contestant.start() as server, Serving(echo) as upstream:
        address = server.proxy(upstream.address)
        answer = server.call("POST", "/proxies/p/toxics", body)
        came = 0
        for _ in range(repeat):
            with connect(address) as client:
                came = len(exchange(client, bytes(2000)).data)
                if came != 2000:
                    break
        fate = server.death(DEATH_SECONDS if came != 2000 else 0.01)
    added = str(answer.status) if answer.status == 200 else f"{answer.status} “{answer.error}”"
    words = f"{added}, then the process {fate}" if fate else f"{added}; 2,000 bytes sent, {came:,} came back"
    return Seen(words, not fate and came == 2000 and (answer.status == 200) == is_accepted)


@group.case("crash-slicer", 'A `slicer` without attributes')
def crash_slicer(contestant):
    return add_and_echo(contestant, {"type": "slicer"}, is_accepted=True)


@group.case("crash-slicer-variation", "A `slicer` with `size_variation` 100 above `average_size` 10")
def crash_slicer_variation(contestant):
    attributes = {"average_size": 10, "size_variation": 100}
    return add_and_echo(contestant, {"type": "slicer", "attributes": attributes}, is_accepted=True, repeat=20)


@group.case("crash-rate", "A `bandwidth` with `rate` -1")
def crash_rate(contestant):
    return add_and_echo(contestant, {"type": "bandwidth", "attributes": {"rate": -1}}, is_accepted=False)


@group.case("crash-jitter", "A `latency` with `jitter` 9·10¹⁸")
def crash_jitter(contestant):
    attributes = {"latency": 1, "jitter": 9 * 10**18}
    return add_and_echo(contestant, {"type": "latency", "attributes": attributes}, is_accepted=False)
