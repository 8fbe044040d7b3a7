"""Very many connections that each say something of their own and want it back, in processes of their own."""

import contextlib
import multiprocessing
import os
import resource
import select
import socket
import time
from dataclasses import dataclass

WORKERS = 2
# As for the crowd of scripts/bench: thousands of connections are not to use up the system's memory for TCP.
BUFFER_BYTES = 32 * 1024


@dataclass
class Count:
    """Of clients: answered with what they said, with something else, not in time; whose connection had gone."""

    right: int = 0
    wrong: int = 0
    missing: int = 0
    gone: int = 0

    def __add__(self, other):
        return Count(*(one + two for one, two in zip(vars(self).values(), vars(other).values())))


class Herd:
    """An echo server, and clients in two processes; leaving the block closes everything."""

    def __init__(self, descriptors):
        resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))
        listener = socket.create_server(("127.0.0.1", 0), backlog=4096)
        self.port = listener.getsockname()[1]
        self.processes, self.pipes = [], []
        self._fork(_serve, listener)
        self.server = self.pipes.pop()
        for _ in range(WORKERS):
            self._fork(_ride, None)
        listener.close()

    def _fork(self, run, argument):
        near, far = multiprocessing.Pipe()
        process = multiprocessing.Process(target=_alone, args=(run, argument, far), daemon=True)
        process.start()
        far.close()
        self.processes.append(process)
        self.pipes.append(near)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for pipe in [*self.pipes, self.server]:
            with contextlib.suppress(OSError):
                pipe.send(("stop",))
        for process in self.processes:
            process.join(5)
            if process.is_alive():
                process.kill()

    def connect(self, address, count):
        """How many connections were made."""
        share = -(-count // WORKERS)
        return sum(self._ask("connect", address, share, seconds=180))

    def exchange(self, size, seconds=60):
        """Each client says so many bytes of its own, and waits for them."""
        return sum(self._ask("exchange", size, seconds, seconds=seconds + 60), Count())

    def close(self, one_in=1):
        """Closes each so-manieth connection; how many are left."""
        return sum(self._ask("close", one_in, seconds=60))

    def served(self):
        """Connections that the server has now."""
        self.server.send(("count",))
        return self.server.recv()

    def _ask(self, *words, seconds):
        for pipe in self.pipes:
            pipe.send(words)
        answers = []
        for pipe in self.pipes:
            if not pipe.poll(seconds):
                raise RuntimeError(f"the herd doesn't answer to {words[0]!r}")
            answers.append(pipe.recv())
        return answers


def _alone(run, argument, pipe):
    # Behind the daemon: what is measured is that.
    os.setsid()
    os.nice(5)
    run(argument, pipe)


def _serve(listener, pipe):
    """Echoes; what a client doesn't take waits until it does."""
    listener.setblocking(False)
    epoll = select.epoll()
    epoll.register(listener, select.EPOLLIN)
    epoll.register(pipe, select.EPOLLIN)
    ends, waiting = {}, {}
    while True:
        for descriptor, _ in epoll.poll(1, 1024):
            if descriptor == listener.fileno():
                with contextlib.suppress(BlockingIOError):
                    while True:
                        end, _ = listener.accept()
                        end.setblocking(False)
                        ends[end.fileno()] = end
                        epoll.register(end, select.EPOLLIN)
            elif descriptor == pipe.fileno():
                if pipe.recv()[0] == "stop":
                    return
                pipe.send(len(ends))
            elif descriptor in ends and not _echo(epoll, ends[descriptor], waiting):
                epoll.unregister(descriptor)
                waiting.pop(descriptor, None)
                ends.pop(descriptor).close()


def _echo(epoll, end, waiting):
    """False when the connection is over."""
    with contextlib.suppress(BlockingIOError):
        try:
            rest = waiting.pop(end.fileno(), b"")
            if not rest:
                rest = end.recv(65_536)
                if not rest:
                    return False
            rest = rest[end.send(rest):]
        except BlockingIOError:
            pass
        except OSError:
            return False
        if rest:
            waiting[end.fileno()] = rest
        epoll.modify(end, select.EPOLLOUT if rest else select.EPOLLIN)
    return True


class _Rider:
    """One client: what it has said in this round and what has come back."""

    def __init__(self, connection, number):
        self.socket, self.number = connection, number
        self.wanted, self.got, self.sent = b"", 0, 0
        self.is_wrong = self.is_gone = False

    def begin(self, round_number, size):
        """What is still owed from earlier rounds comes first."""
        word = self.number.to_bytes(5, "big") + round_number.to_bytes(3, "big")
        self.wanted = self.wanted[self.got:] + (word * (size // 8 + 1))[:size]
        self.sent -= self.got
        self.got = 0
        self.move()

    @property
    def is_done(self):
        return self.is_gone or self.is_wrong or self.got == len(self.wanted)

    def move(self):
        try:
            with contextlib.suppress(BlockingIOError):
                while self.sent < len(self.wanted):
                    self.sent += self.socket.send(self.wanted[self.sent:self.sent + 65_536])
            with contextlib.suppress(BlockingIOError):
                while self.got < len(self.wanted):
                    piece = self.socket.recv(65_536)
                    if not piece:
                        self.is_gone = True
                        return
                    self.is_wrong = self.is_wrong or piece != self.wanted[self.got:self.got + len(piece)]
                    self.got += len(piece)
        except OSError:
            self.is_gone = True


def _ride(_, pipe):
    riders, round_number = [], 0
    epoll = select.epoll()
    while True:
        words = pipe.recv()
        if words[0] == "stop":
            return
        if words[0] == "connect":
            pipe.send(_connect(riders, epoll, *words[1:]))
        elif words[0] == "close":
            for rider in riders[::words[1]]:
                rider.socket.close()
            riders[:] = [rider for index, rider in enumerate(riders) if index % words[1]]
            pipe.send(len(riders))
        else:
            round_number += 1
            pipe.send(_exchange(riders, epoll, round_number, *words[1:]))


def _connect(riders, epoll, address, count):
    made = 0
    # An address of its own each process and some thousand connections: a pair of addresses has 28,000 ports.
    source = f"127.0.{os.getpid() % 200 + 1}.1"
    for number in range(count):
        connection = socket.socket()
        try:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER_BYTES)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.settimeout(30)
            connection.bind((source, 0))
            connection.connect(tuple(address))
        except OSError:
            connection.close()
            continue
        connection.setblocking(False)
        riders.append(_Rider(connection, os.getpid() << 16 | len(riders)))
        epoll.register(connection, select.EPOLLIN | select.EPOLLOUT | select.EPOLLET)
        made += 1
    return made


def _exchange(riders, epoll, round_number, size, seconds):
    by_descriptor = {rider.socket.fileno(): rider for rider in riders}
    for rider in riders:
        rider.begin(round_number, size)
    left = sum(not rider.is_done for rider in riders)
    end = time.monotonic() + seconds
    while left and time.monotonic() < end:
        for descriptor, _ in epoll.poll(0.2, 2048):
            rider = by_descriptor.get(descriptor)
            if rider is None or rider.is_done:
                continue
            rider.move()
            left -= rider.is_done
    gone = sum(rider.is_gone for rider in riders)
    wrong = sum(rider.is_wrong and not rider.is_gone for rider in riders)
    missing = sum(not rider.is_done for rider in riders)
    return Count(len(riders) - gone - wrong - missing, wrong, missing, gone)
