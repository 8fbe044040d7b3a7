"""WebSocket: the times of pings on one open connection follow the profile."""

import contextlib
import socket
import ssl
import time
from dataclasses import dataclass

from websockets.client import ClientProtocol
from websockets.sync.client import ClientConnection, connect
from websockets.uri import parse_uri

from .. import report
from .origin import NAME

PROFILES = ("none", "3g", "edge", "none")
PINGS = 7
PATIENCE_SECONDS = 30


@dataclass
class Series:
    """`medians` in the order of PROFILES; `count` sessions were open when all was done."""

    way: str
    medians: list[float]
    complaints: list[str]


def measure(bench, way):
    with bench.proxy("none") as proxy, WAYS[way](proxy, bench.trust) as connection:
        series = Series(way, [], [])
        for name in PROFILES:
            proxy.switch(name)
            median = report.median([ping(connection) for _ in range(PINGS)])
            series.medians.append(median)
            judge(series, name, median, bench.path(name))
        opened, _ = proxy.account()
        if opened != 1:
            series.complaints.append(f"WebSocket, {way}: {opened} sessions instead of one")
    return series


def ping(connection):
    """Seconds until a ping and a message are both back."""
    begin = time.monotonic()
    if not connection.ping().wait(PATIENCE_SECONDS):
        raise TimeoutError("no pong")
    seconds = time.monotonic() - begin
    connection.send("are you there?")
    if connection.recv(PATIENCE_SECONDS) != "are you there?":
        raise RuntimeError("the echo is not what was sent")
    return seconds


def judge(series, name, median, path):
    latency, jitter = path.get("latency_ms", 0) / 1000, path.get("jitter_ms", 0) / 1000
    least, most = latency - jitter, 2 * (latency + jitter) + 0.1
    if not least <= median <= most:
        bounds = f"{report.time_text(least)} to {report.time_text(most)}"
        series.complaints.append(f"WebSocket, {series.way}: ping times under {name} have the median "
                                 f"{report.time_text(median)}, {bounds} expected")


@contextlib.contextmanager
def by_connect(scheme, proxy, trust):
    context = ssl.create_default_context(cafile=trust["SSL_CERT_FILE"]) if scheme == "wss" else None
    with connect(f"{scheme}://{NAME}/echo", proxy=f"http://{proxy.listener('http')}", ssl=context, compression=None,
                 open_timeout=PATIENCE_SECONDS, ping_interval=None) as connection:
        yield connection


class AbsoluteProtocol(ClientProtocol):
    """Asks in absolute form, as a browser asks a proxy that is set for plain HTTP and not for tunnels."""

    def connect(self):
        request = super().connect()
        request.path = f"http://{NAME}{request.path}"
        return request


@contextlib.contextmanager
def by_absolute_form(proxy, _trust):
    host, _, port = proxy.listener("http").rpartition(":")
    with socket.create_connection((host, int(port)), PATIENCE_SECONDS) as link:
        link.settimeout(None)
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection = ClientConnection(link, AbsoluteProtocol(parse_uri(f"ws://{NAME}/echo")), ping_interval=None)
        connection.handshake(timeout=PATIENCE_SECONDS)
        with connection:
            yield connection


WAYS = {
    "wss, CONNECT": lambda proxy, trust: by_connect("wss", proxy, trust),
    "ws, CONNECT": lambda proxy, trust: by_connect("ws", proxy, trust),
    "ws, absolute form": by_absolute_form,
}


def text(series):
    header = ["WebSocket", *(f"ping under {name}" for name in PROFILES)]
    return report.table(header, [[one.way, *map(report.time_text, one.medians)] for one in series])
