"""Upstreams that refuse, that nobody knows, and that never answer; and then they are there after all."""

import contextlib
import socket
import time
from concurrent.futures import ThreadPoolExecutor

from ..machine import free_ports
from ..peers import BlackHole
from .herd import Herd
from .trial import Outcome

CLIENTS = 50
CONNECT_SECONDS = 1


def no_upstream(trial):
    """Clients come at once to each of three upstreams that aren't there, beside one that is."""
    outcome = Outcome("no upstream")
    [closed] = free_ports(1)
    with Herd(4_096) as herd, BlackHole() as hole:
        proxies = {"refuses": f"127.0.0.1:{closed}", "unknown": "nobody.invalid:80", "black hole": hole.address,
                   "there": f"127.0.0.1:{herd.port}"}
        proxies = {name: ("127.0.0.1:0", upstream) for name, upstream in proxies.items()}
        with trial.service(proxies, "--connect-timeout", f"{CONNECT_SECONDS}s") as daemon:
            before = daemon.settled()
            herd.connect(daemon.address("there"), 100)
            missing = [name for name in proxies if name != "there"]
            waits, said = _visit_all(daemon, herd, missing)
            daemon.wait(lambda: {one["proxy"] for one in daemon.sessions()} <= {"there"}, 5)
            left = sum(one["proxy"] != "there" for one in daemon.sessions())
            back = _come_back(daemon, hole, closed)
            herd.close()
            daemon.note_calls(outcome)
            daemon.note_return(outcome, before)
            daemon.end(outcome)
    everybody = [wait for ends in waits.values() for wait in ends]
    ended = sum(wait is not None for wait in everybody)
    longest = {name: max((wait for wait in ends if wait is not None), default=0) for name, ends in waits.items()}
    outcome.done = (f"{CLIENTS} clients at once for each of: a closed port, a name that doesn't exist, a server that never "
                    f"answers; `--connect-timeout {CONNECT_SECONDS}s`; 100 clients of an upstream that is there")
    outcome.held = "let go after " + ", ".join(f"{seconds:.2f} s ({name})" for name, seconds in longest.items())
    outcome.survived = f"{said.right} exchanges beside them; {back} of 2 upstreams served once they were there"
    outcome.equal("clients that were let go", ended, len(everybody))
    outcome.time_at_most("longest wait of a client", max(longest.values()), CONNECT_SECONDS + 1 * trial.slowness)
    outcome.equal("sessions left of those clients", left, 0)
    outcome.equal("upstreams that served once they were there", back, 2)
    outcome.lost = {"exchanges with the upstream that is there": 100 - said.right}
    return outcome


def _visit_all(daemon, herd, names):
    """{name: how long each client waited for its end, None where it never came}, and what the herd got meanwhile."""
    with ThreadPoolExecutor(CLIENTS * len(names)) as pool:
        visits = {name: [pool.submit(_wait_for_the_end, daemon.address(name)) for _ in range(CLIENTS)] for name in names}
        said = herd.exchange(20_000, 20 * daemon.trial.slowness)
        for _ in range(20):
            daemon.timed("GET", "/proxies")
            time.sleep(0.02)
        waits = {name: [visit.result() for visit in ends] for name, ends in visits.items()}
    return waits, said


def _wait_for_the_end(address):
    begin = time.monotonic()
    with contextlib.suppress(TimeoutError):
        try:
            with socket.create_connection(address, timeout=30) as client:
                while client.recv(100):
                    pass
        except ConnectionError:
            pass
        return time.monotonic() - begin
    return None


def _come_back(daemon, hole, port):
    """How many of the two upstreams serve a new client once they are there."""
    hole.open()
    served = 0
    with socket.create_server(("127.0.0.1", port)) as late:
        for name, listener in (("black hole", hole.socket), ("refuses", late)):
            listener.settimeout(10)
            with socket.create_connection(daemon.address(name), timeout=10) as client:
                server, _ = listener.accept()
                with server:
                    server.sendall(b"there")
                    served += client.recv(5, socket.MSG_WAITALL) == b"there"
    return served
