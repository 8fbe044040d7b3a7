"""Clients and servers that stall, say a byte a second, close one way, or reset."""

import contextlib
import socket
import threading
import time

from ..peers import PATIENCE_SECONDS, Serving, connect, echo, reset
from ..words import words
from .herd import Herd
from .trial import Outcome

EACH = 20
SPEECH_BYTES = 100_000
# What a link holds for a peer that doesn't read (Limits.unsentBytes), and one read more.
STALLED_BYTES = (1 << 20) + (256 << 10)


def tell(connection):
    """Endless numbered words."""
    position = 0
    while True:
        connection.sendall(words(position, 65_536))
        position += 65_536


def answer_at_the_end(connection):
    """Takes all there is, and answers only when the client has ended."""
    count = 0
    while piece := connection.recv(65_536):
        count += len(piece)
    connection.sendall(words(count, SPEECH_BYTES))


def speak_and_reset(connection):
    connection.recv(1)
    connection.sendall(words(0, 1_000))
    time.sleep(0.2)
    reset(connection)


def hard_peers(trial):
    """All kinds at once, beside clients that just go on."""
    outcome = Outcome("hard peers")
    seconds = trial.choose(6, 20)
    servers = {"tell": tell, "late": answer_at_the_end, "reset": speak_and_reset, "echo": echo}
    with contextlib.ExitStack() as stack:
        herd = stack.enter_context(Herd(4_096))
        serving = {name: stack.enter_context(Serving(handle)) for name, handle in servers.items()}
        proxies = {name: ("127.0.0.1:0", one.address) for name, one in serving.items()}
        proxies["herd"] = ("127.0.0.1:0", f"127.0.0.1:{herd.port}")
        daemon = stack.enter_context(trial.service(proxies))
        before = daemon.settled()
        stalled = [_deaf(daemon.address("tell")) for _ in range(EACH)]
        dripping = _Drips(daemon.address("echo"), seconds)
        herd.connect(daemon.address("herd"), 100)
        ended = sum(_closes_one_way(daemon.address("late"), trial) for _ in range(EACH))
        resets = sum(_sees_reset(daemon.address("reset"), trial) for _ in range(EACH))
        for _ in range(EACH):
            _resets(daemon.address("echo"))
        rounds, wrong, right = 0, 0, 0
        while dripping.are_running:
            said = herd.exchange(2_000, 20 * trial.slowness)
            rounds, right, wrong = rounds + 1, right + said.right, wrong + said.wrong + said.missing + said.gone
            daemon.timed("GET", "/sessions")
            time.sleep(0.2)
        most = max(one["buffered_bytes"] for one in daemon.sessions() if one["proxy"] == "tell")
        read_on = sum(_reads_on(client) for client in stalled)
        herd.close()
        daemon.note_calls(outcome)
        daemon.note_return(outcome, before)
        daemon.end(outcome)
    outcome.done = (f"{EACH} clients each that don't read for {seconds} s, that end their side and are answered then, that "
                    f"reset, whose server resets; {EACH} that say a byte a second; 100 ordinary ones beside them")
    outcome.held = f"{EACH} stalled streams with {most / 1e6:.2f} MB at most"
    outcome.survived = f"{right:,} ordinary exchanges in {rounds} rounds, {dripping.came} single bytes"
    outcome.size_at_most("held for a client that doesn't read", most, STALLED_BYTES)
    outcome.equal("ends that passed one way, with the answer behind them", ended, EACH)
    outcome.equal("resets of servers that clients saw as resets", resets, EACH)
    outcome.equal("stalled streams that went on where they were", read_on, EACH)
    outcome.lost = {"ordinary exchanges": wrong, "single bytes": dripping.sent - dripping.came}
    return outcome


def _deaf(address):
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16_384)
    client.settimeout(PATIENCE_SECONDS)
    client.connect(address)
    return client


def _reads_on(client):
    """Whether the next two megabytes are the right ones."""
    position = 0
    with contextlib.closing(client):
        client.settimeout(30)
        while position < 2_000_000:
            piece = client.recv(65_536)
            if not piece or piece != words(position, len(piece)):
                return False
            position += len(piece)
    return True


def _closes_one_way(address, trial):
    with contextlib.closing(connect(address)) as client:
        client.settimeout(PATIENCE_SECONDS * trial.slowness)
        client.sendall(words(0, SPEECH_BYTES))
        client.shutdown(socket.SHUT_WR)
        got = b""
        while piece := client.recv(65_536):
            got += piece
    return got == words(SPEECH_BYTES, SPEECH_BYTES)


def _sees_reset(address, trial):
    with contextlib.closing(connect(address)) as client:
        client.settimeout(PATIENCE_SECONDS * trial.slowness)
        client.sendall(b"x")
        try:
            while client.recv(65_536):
                pass
        except ConnectionResetError:
            return True
    return False


def _resets(address):
    client = connect(address)
    client.sendall(words(0, 10_000))
    reset(client)


class _Drips:
    """Clients that say a byte a second and want it back."""

    def __init__(self, address, seconds):
        self.sent = self.came = 0
        self.clients = [connect(address) for _ in range(EACH)]
        self.thread = threading.Thread(target=self._run, args=(seconds,), daemon=True)
        self.thread.start()

    @property
    def are_running(self):
        return self.thread.is_alive()

    def _run(self, seconds):
        for number in range(seconds):
            begin = time.monotonic()
            for client in self.clients:
                with contextlib.suppress(OSError):
                    self.sent += 1
                    client.sendall(bytes([number]))
            for client in self.clients:
                with contextlib.suppress(OSError):
                    self.came += client.recv(10) == bytes([number])
            time.sleep(max(0, begin + 1 - time.monotonic()))
        for client in self.clients:
            client.close()
