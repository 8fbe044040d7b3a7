"""What the tests of the Python clients share: the daemon, servers behind it, and sockets that never wait for ever."""

import contextlib
import json
import os
import pathlib
import select
import socket
import subprocess
import tempfile
import threading
import time
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
HEADWIND = os.environ.get("HEADWIND") or str(TOP / ".build/debug/headwind")
PATIENCE_SECONDS = 15


class Daemon:
    """A headwind of its own; `stop` ends it and tells when it had ended before, or did not end well."""

    def __init__(self, control="127.0.0.1:0"):
        self.log = tempfile.TemporaryFile("w+")
        self._start([HEADWIND, "serve", "--control", control], subprocess.PIPE)
        try:
            self.host, _, port = self._ready_line()["control"].rpartition(":")
        except BaseException:
            self.kill()
            raise
        self.port = int(port)

    def _start(self, command, output):
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=self.log)

    def _ready_line(self):
        readable, _, _ = select.select([self.process.stdout], [], [], PATIENCE_SECONDS)
        line = self.process.stdout.readline() if readable else b""
        if not line:
            raise AssertionError(f"{HEADWIND} did not get ready: {self.log_text()}")
        return json.loads(line)

    @property
    def url(self):
        return f"http://{self.host}:{self.port}"

    def log_text(self):
        self.log.seek(0)
        return self.log.read()[-4000:]

    def stop(self):
        ended = self.process.poll()
        self.process.terminate()
        try:
            status = self.process.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            status = "none, it had to be killed"
        text = self.log_text()
        self.kill()
        if ended is not None or status != 0:
            raise AssertionError(f"the daemon {'had ended' if ended is not None else 'ended'} with {status}: {text}")

    def kill(self):
        self.process.kill()
        self.process.wait()
        if self.process.stdout:
            self.process.stdout.close()
        self.log.close()


class ServingTestCase(unittest.TestCase):
    def serve(self, handler):
        """"HOST:PORT" of a server that gives each connection to `handler`."""
        server = Server(handler)
        self.addCleanup(server.close)
        return server.address


class DaemonTestCase(ServingTestCase):
    """One daemon for the tests of a class."""

    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon()
        cls.addClassCleanup(cls.daemon.stop)


class Server:
    """Listens on a free port of 127.0.0.1 and serves each connection on a thread of its own, closing it afterwards."""

    def __init__(self, handler):
        self.handler = handler
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.address = "%s:%d" % self.listener.getsockname()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with contextlib.suppress(OSError):  # closed: the end of the test
            while True:
                connection, _ = self.listener.accept()
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        # A handler ends when its peer does, by an error as well as not: that is no finding.
        with contextlib.suppress(OSError), connection:
            connection.settimeout(PATIENCE_SECONDS)
            self.handler(connection)

    def close(self):
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)  # wakes accept, which close alone does not
        self.listener.close()


def echo(connection):
    while data := connection.recv(65536):
        connection.sendall(data)


def sending(data):
    """A handler that sends `data` and closes."""
    return lambda connection: connection.sendall(data)


def answering(data):
    """A handler that answers whatever comes with `data`."""

    def handler(connection):
        while connection.recv(65536):
            connection.sendall(data)

    return handler


def connect(address):
    """A connection to "HOST:PORT"."""
    host, _, port = address.rpartition(":")
    connection = socket.create_connection((host.strip("[]"), int(port)), PATIENCE_SECONDS)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def receive(connection, count):
    """Exactly `count` bytes."""
    data = b""
    while len(data) < count:
        more = connection.recv(count - len(data))
        if not more:
            raise AssertionError(f"the end after {len(data)} of {count} bytes")
        data += more
    return data


def receive_all(connection):
    """All bytes, and how they ended: "end" or "reset"."""
    data = b""
    try:
        while more := connection.recv(65536):
            data += more
    except ConnectionResetError:
        return data, "reset"
    return data, "end"


def is_silent(connection, seconds):
    """True when neither bytes nor an end come within the time."""
    return not select.select([connection], [], [], seconds)[0]


def exchange(connection, data=b"are you there?"):
    """Seconds until `data` is back from an echo; fails when something else comes."""
    begin = time.monotonic()
    connection.sendall(data)
    answer = receive(connection, len(data))
    if answer != data:
        raise AssertionError(f"echo of {data[:80]}: {answer[:80]}")
    return time.monotonic() - begin


def is_echoing(address):
    """True when a new connection to "HOST:PORT" carries bytes there and back."""
    try:
        with connect(address) as connection:
            exchange(connection)
    except OSError:
        return False
    return True


def free_address():
    """"HOST:PORT" that nobody listens on at the moment."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return "%s:%d" % listener.getsockname()


def eventually(condition):
    end = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.005)
    return True
