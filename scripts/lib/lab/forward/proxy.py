"""The forward proxy under test."""

from ..daemon import Daemon


class ForwardProxy(Daemon):
    """`headwind serve` with both forward listeners on free ports, under `profile`."""

    def __init__(self, binary, directory, profile):
        forward = ["--http-proxy", "127.0.0.1:0", "--socks", "127.0.0.1:0", "--profile", profile]
        super().__init__(binary, directory, {}, forward)

    def listener(self, kind):
        """"HOST:PORT" of the listener for `http` or `socks`."""
        return self.ready["http_proxy" if kind == "http" else "socks"]

    def switch(self, profile):
        self.call("PUT", f"/profile/{profile}")

    def account(self):
        """(sessions opened, {session: exchange in which it was dropped first}) so far."""
        events = self.call("GET", "/events")["events"]
        opened = sum(event["type"] == "session_opened" for event in events)
        dropped = {}
        for event in events:
            if event["type"] == "dropped":
                dropped.setdefault(event["session"], event.get("exchange", 1))
        return opened, dropped
