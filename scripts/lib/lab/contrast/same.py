"""What has to be the same: the arithmetic of the toxics, statuses, texts and key sets."""

import re
import time

from ..peers import Listener, Serving, connect, echo, exchange, watch
from .case import Group, Seen

group = Group("same", "What is the same")


def timed_reply(contestant, toxics, size, checkpoints):
    """Sends `size` bytes to the client at once; when so many of them were there."""
    with contestant.start() as server, Listener() as upstream:
        address = server.proxy(upstream.address)
        for kind, attributes, more in toxics:
            server.toxic(kind, attributes, **more)
        with connect(address) as client, upstream.accept() as far:
            begin = time.monotonic()
            far.sendall(bytes(size))
            times, seen = [], 0
            for count in checkpoints:
                seen += len(watch(client, until=count - seen).data)
                times.append(time.monotonic() - begin)
            return times


def times_seen(times, due):
    words = ", ".join(f"{value * 1000:.0f} ms" for value in times)
    return Seen(words, all(want - 0.005 < got < want + 1 for got, want in zip(times, due)))


@group.case("same-latency", "A byte under `latency` 100 and, added to it, `latency` 50")
def same_latency(contestant):
    toxics = [("latency", {"latency": 100}, {}), ("latency", {"latency": 50}, {"name": "u"})]
    return times_seen(timed_reply(contestant, toxics, 1, [1]), [0.15])


@group.case("same-bandwidth", "1,500 bytes under `bandwidth` 10: the first 1,000, the rest")
def same_bandwidth(contestant):
    return times_seen(timed_reply(contestant, [("bandwidth", {"rate": 10}, {})], 1500, [1000, 1500]), [0.1, 0.15])


@group.case("same-rate-0", "`bandwidth` 0 in both streams, removed: what happens to 5 bytes sent meanwhile")
def same_rate_zero(contestant):
    with contestant.start() as server, Serving(echo) as upstream:
        with connect(server.proxy(upstream.address)) as client:
            exchange(client)
            for stream in ("upstream", "downstream"):
                server.toxic("bandwidth", {"rate": 0}, name=stream, stream=stream)
            client.sendall(b"hello")
            held = len(watch(client, 0.3, until=5).data)
            for stream in ("upstream", "downstream"):
                server.expect("DELETE", f"/proxies/p/toxics/{stream}")
            got = len(watch(client, until=5).data)
            return Seen(f"{held} come before, {got} after", (held, got) == (0, 5))


@group.case("same-slicer", "50 bytes through `slicer` with `average_size` 10: sizes of the pieces")
def same_slicer(contestant):
    with contestant.start() as server, Listener() as upstream:
        address = server.proxy(upstream.address)
        server.toxic("slicer", {"average_size": 10, "size_variation": 0, "delay": 100_000})
        with connect(address) as client, upstream.accept() as far:
            far.sendall(bytes(50))
            sizes = []
            while sum(sizes) < 50 and (piece := client.recv(65536)):
                sizes.append(len(piece))
            counts = ", ".join(f"{sizes.count(size)} of {size}" for size in sorted(set(sizes)))
            return Seen(counts, sum(sizes) == 50 and max(sizes) <= 10)


@group.case("same-limit-data", "150 bytes through `limit_data` 100")
def same_limit_data(contestant):
    with contestant.start() as server, Listener() as upstream:
        address = server.proxy(upstream.address)
        server.toxic("limit_data", {"bytes": 100})
        with connect(address) as client, upstream.accept() as far:
            far.sendall(bytes(150))
            got = watch(client)
            return Seen(got.words, got.words == "100 bytes, then FIN")


@group.case("same-slow-close", "The server closes under `slow_close` 300")
def same_slow_close(contestant):
    return closes_after(contestant, "slow_close", {"delay": 300}, lambda far: far.close())


@group.case("same-timeout", "A silent connection under `timeout` 300")
def same_timeout(contestant):
    return closes_after(contestant, "timeout", {"timeout": 300}, lambda far: None)


def closes_after(contestant, kind, attributes, act):
    with contestant.start() as server, Listener() as upstream:
        address = server.proxy(upstream.address)
        server.toxic(kind, attributes)
        begin = time.monotonic()
        with connect(address) as client, upstream.accept() as far:
            act(far)
            end, took = watch(client).end, time.monotonic() - begin
            return Seen(f"{end} after {took * 1000:.0f} ms", end == "FIN" and 0.29 < took < 1.3)


@group.case("same-reset-peer", "A new connection under `reset_peer` 0; the client sends a byte")
def same_reset_peer(contestant):
    with contestant.start() as server, Serving(echo) as upstream:
        address = server.proxy(upstream.address)
        server.toxic("reset_peer", {"timeout": 0})
        with connect(address) as client:
            client.sendall(b"x")
            end = watch(client, 1).end
            return Seen(f"{end}", end == "RST")


@group.case("same-errors", "Four mistakes: status and text of each")
def same_errors(contestant):
    with contestant.start() as server, Listener() as upstream:
        server.proxy(upstream.address)
        calls = [
            ("GET", "/proxies/x", None), ("POST", "/proxies", {"upstream": "x:1"}),
            ("POST", "/proxies", {"name": "p", "upstream": "x:1"}), ("POST", "/proxies/p/toxics", {"type": "nope"}),
        ]
        told = "; ".join(f"{answer.status} {answer.error}" for answer in (server.call(*call) for call in calls))
        return Seen(told, told == (
            "404 proxy not found; 400 missing required field: name; 409 proxy already exists; 400 invalid toxic type"))


@group.case("same-toxic", "The body of a toxic that was added without attributes")
def same_toxic(contestant):
    with contestant.start() as server, Listener() as upstream:
        server.proxy(upstream.address)
        body = server.call("POST", "/proxies/p/toxics", {"type": "latency"}).body.decode()
        return Seen(f"`{body}`", body == (
            '{"attributes":{"latency":0,"jitter":0},"name":"latency_downstream","type":"latency",'
            '"stream":"downstream","toxicity":1}'))


@group.case("same-version", "`GET /version`")
def same_version(contestant):
    with contestant.start() as server:
        answer = server.call("GET", "/version")
        return Seen(f"`{answer.body.decode().strip()}`", answer.json.get("version") == "2.12.0")


@group.case("same-keys", "The keys of a proxy")
def same_keys(contestant):
    with contestant.start() as server, Listener() as upstream:
        server.proxy(upstream.address)
        keys = list(server.expect("GET", "/proxies/p"))
        return Seen(", ".join(keys), {"name", "listen", "upstream", "enabled", "toxics"} <= set(keys))


@group.case("same-leniency", "A toxic in PascalCase, with null attributes, sent as a form")
def same_leniency(contestant):
    with contestant.start() as server, Listener() as upstream:
        server.proxy(upstream.address)
        body = {"Name": "t", "Type": "latency", "Stream": "UpStream", "Attributes": None}
        answer = server.call("POST", "/proxies/p/toxics", body, [("Content-Type", "application/x-www-form-urlencoded")])
        added = answer.json or {}
        return Seen(f"{answer.status}, a {added.get('type')} named {added.get('name')}, stream {added.get('stream')}",
                    answer.status == 200 and added.get("stream") == "UpStream")


@group.case("same-metrics", "Series under `/metrics` with `-proxy-metrics` after a connection, and their labels")
def same_metrics(contestant):
    with contestant.start("-proxy-metrics") as server, Serving(echo) as upstream:
        with connect(server.proxy(upstream.address)) as client:
            exchange(client)
        time.sleep(0.2)
        text = server.call("GET", "/metrics").body.decode()
        series = re.findall(r"^(toxiproxy_\w+){(.*)}", text, re.MULTILINE)
        shown = sorted({f"{name}{{{', '.join(label_names(labels))}}}" for name, labels in series})
        labels = "{direction, listener, proxy, upstream}"
        return Seen("; ".join(f"`{one}`" for one in shown), shown == [
            f"toxiproxy_proxy_received_bytes_total{labels}", f"toxiproxy_proxy_sent_bytes_total{labels}"])


def label_names(labels):
    return re.findall(r'(\w+)="', labels)


@group.case("same-version-flag", "`-version`")
def same_version_flag(contestant):
    return ended(contestant, "-version", "toxiproxy-server version 2.12.0", 0)


@group.case("same-unknown-flag", "An unknown flag")
def same_unknown_flag(contestant):
    return ended(contestant, "-frobnicate", "", 2)


def ended(contestant, flag, line, status):
    child, _ = contestant.launch(flag)
    with child:
        got = child.process.wait(3)
        said = child.log.read_text().strip()
    shown = f": `{said}`" if line else ""
    return Seen(f"exit status {got}{shown}", got == status and line in said)


@group.case("same-stop", "SIGTERM while a connection is open")
def same_stop(contestant):
    with contestant.start() as server, Serving(echo) as upstream:
        with connect(server.proxy(upstream.address)) as client:
            exchange(client)
            server.child.process.terminate()
            status = server.child.process.wait(3)
            return Seen(f"exit status {status}", status == 0)
