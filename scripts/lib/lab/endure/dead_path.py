"""A network that stands still, and clients that leave meanwhile: nobody behind it can know."""

from ..peers import connect, reset
from .herd import Herd
from .trial import Outcome

CLIENTS = 200
ALIVE = {"latency_ms": 60, "downstream_bytes_per_second": 10_000_000, "upstream_bytes_per_second": 10_000_000}
DEAD = {**ALIVE, "downstream_bytes_per_second": 0, "upstream_bytes_per_second": 0}


def dead_path(trial):
    """Half of the clients close, half reset; some sessions are ended by hand; then the network lives again."""
    outcome = Outcome("dead network")
    by_hand = CLIENTS // 10
    with Herd(4_096) as herd, trial.service({"web": ("127.0.0.1:0", f"127.0.0.1:{herd.port}")}) as daemon:
        for name, path in (("alive", ALIVE), ("dead", DEAD)):
            daemon.call("PUT", f"/profiles/{name}", {"name": name, "path": path})
        before = daemon.settled()
        daemon.call("PUT", "/profile/alive")
        clients = [connect(daemon.address("web")) for _ in range(CLIENTS)]
        for client in clients:
            client.settimeout(20)
            client.sendall(b"hello")
        answered = sum(client.recv(5) == b"hello" for client in clients)
        daemon.timed("PUT", "/profile/dead")
        for number, client in enumerate(clients):
            reset(client) if number % 2 else client.close()
        kept = daemon.wait_for_sessions(CLIENTS, 1)
        servers = herd.served()
        for session in daemon.sessions()[:by_hand]:
            daemon.timed("DELETE", f"/sessions/{session['id']}", what="DELETE /sessions/{id}")
        ended = daemon.wait_for_sessions(CLIENTS - by_hand, 5)
        daemon.timed("PUT", "/profile/alive")
        gone = daemon.wait(lambda: not daemon.sessions() and herd.served() == 0, 10)
        daemon.note_calls(outcome)
        daemon.note_return(outcome, before)
        daemon.end(outcome)
    outcome.done = (f"{CLIENTS} clients spoke, the profile's rates became 0, half of the clients closed and half reset; {by_hand} "
                    "sessions were ended by a call, then the network lived again")
    outcome.held = f"{servers} sessions, whose servers heard nothing, as behind any dead network"
    outcome.survived = f"{answered} exchanges; the ends reached all servers afterwards"
    outcome.equal("sessions whose ends waited", servers if kept else 0, CLIENTS)
    outcome.is_so("sessions could be ended by hand", ended)
    outcome.is_so("all ends arrived once the network lived", gone)
    outcome.lost = {"exchanges": CLIENTS - answered}
    return outcome
