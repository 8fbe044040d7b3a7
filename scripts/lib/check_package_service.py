"""What scripts/check-package asks of the units under a systemd that runs."""

import contextlib
import http.client
import json
import re
import socket
import threading
import time

from lab import machine

CONTROL = 8474
CONFIG = "/etc/headwind/headwind.json"
# What the kernel says of the process: no capability, none to be had, and the filter of system calls.
CONFINED = {"CapEff": "0000000000000000", "CapBnd": "0000000000000000", "NoNewPrivs": "1", "Seccomp": "2"}


def eventually(condition, what, seconds=15):
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, what
        time.sleep(0.1)
    return found


def listens(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


def call(path, method="GET"):
    connection = http.client.HTTPConnection("127.0.0.1", CONTROL, timeout=10)
    with contextlib.closing(connection):
        connection.request(method, path)
        answer = connection.getresponse()
        text = answer.read()
        assert answer.status == 200, f"{method} {path}: {answer.status} {text[:500]}"
        return json.loads(text)


@contextlib.contextmanager
def echo(port):
    """A server that says what it hears, on threads that end with their connections."""
    def serve(peer):
        with peer, contextlib.suppress(OSError):
            while heard := peer.recv(65536):
                peer.sendall(heard)

    def accept():
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()

    with socket.create_server(("127.0.0.1", port)) as listener:
        threading.Thread(target=accept, daemon=True).start()
        yield


def say_and_hear(session, words):
    session.sendall(words)
    heard = b""
    while len(heard) < len(words):
        piece = session.recv(65536)
        assert piece, f"the session ended after {heard!r}"
        heard += piece
    assert heard == words, f"{words!r} came back as {heard!r}"


def main_pid(container, *manager):
    return int(container.output(*manager, "systemctl", *(["--user"] if manager else []), "show", "--property=MainPID",
                                "--value", "headwind.service"))


def check_confined(container, pid):
    status = dict(line.split(":\t", 1) for line in container.path(f"/proc/{pid}/status").read_text().splitlines())
    wrong = {name: status[name] for name, value in CONFINED.items() if status[name] != value}
    assert not wrong, f"not as the unit says: {wrong}"
    user = int(status["Uid"].split()[0])
    assert 61184 <= user <= 65519, f"runs as user {user}, which is no dynamic one"
    return user


def check_reload(container):
    """A session lives through reloads, good and bad ones."""
    config = container.path(CONFIG)
    kept = config.read_text()
    web, more = ('{ name: "%s", listen: "127.0.0.1:%d", upstream: "127.0.0.1:9000" }' % proxy
                 for proxy in (("web", 8080), ("more", 8081)))
    config.write_text("{ proxies: [%s] }" % web)
    container.output("systemctl", "reload", "headwind.service")
    eventually(lambda: listens(8080), "a reload did not bring the proxy of the file")
    pid = main_pid(container)
    # systemd 253 and later know this type and return when the reload is done.
    kind = container.output("systemctl", "show", "--property=Type", "--value", "headwind.service")
    is_awaited = kind == "notify-reload"
    patience = 0 if is_awaited else 15
    with echo(9000), socket.create_connection(("127.0.0.1", 8080), timeout=10) as session:
        say_and_hear(session, b"before")
        config.write_text('{ profile: "lte", proxies: [%s, %s] }' % (web, more))
        container.output("systemctl", "reload", "headwind.service")
        eventually(lambda: call("/profile")["name"] == "lte", "a reload did not take over the profile", patience)
        eventually(lambda: "more" in call("/proxies"), "a reload did not take over a new proxy", patience)
        say_and_hear(session, b"after a reload")
        config.write_text('{ profile: "none-such" }')
        said, status = container.run("systemctl", "reload", "headwind.service")
        assert status, "the reload of a wrong file is told to have succeeded"
        assert call("/profile")["name"] == "lte", "the reload of a wrong file has changed something"
        say_and_hear(session, b"after a refused reload")
        state = container.output("systemctl", "is-active", "headwind.service", may_fail=True)
        assert state == "active" and main_pid(container) == pid, f"after reloads it is {state}, by another process"
    journal = container.output("journalctl", "--unit=headwind.service", "--no-pager")
    assert "none-such" in journal, f"the journal doesn't say why: {journal[-1000:]}"
    config.write_text(kept)
    container.output("systemctl", "reload", "headwind.service")
    waited = "which was waited for" if is_awaited else "which this systemd can't wait for"
    machine.say(f"reloaded, {waited}: a session lived through it, a wrong file was refused and named in the journal")


def signal(container, name):
    container.output("systemctl", "kill", f"--signal={name}", "--kill-who=main", "headwind.service")


def override(container, unit, settings):
    """What `systemctl edit` does, until it is None."""
    file = container.path(f"/run/systemd/system/{unit}.d/check.conf")
    if settings is None:
        file.unlink()
        file.parent.rmdir()
    else:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(settings + "\n")
    container.output("systemctl", "daemon-reload")


def check_restarts(container):
    """Killed, it comes again; and stopped in its tracks, by the watchdog, whose time is shortened for this."""
    pid = main_pid(container)
    signal(container, "KILL")
    eventually(lambda: main_pid(container) not in (0, pid) and listens(CONTROL), "not started again after kill -9")
    override(container, "headwind.service", "[Service]\nWatchdogSec=2")
    container.output("systemctl", "restart", "headwind.service")
    pid = main_pid(container)
    time.sleep(5)  # more than twice its time: nothing but the daemon's word keeps it alive
    assert main_pid(container) == pid, "the watchdog ended a daemon that was well"
    signal(container, "STOP")
    eventually(lambda: main_pid(container) not in (0, pid) and listens(CONTROL), "the watchdog did not start it again")
    override(container, "headwind.service", None)
    machine.say("restarted: after kill -9, and by the watchdog after kill -STOP")


def check_token(container):
    """A token that only root may read gets to the service as a credential, as the unit's comment has it."""
    secret = container.path("/etc/headwind/token")
    secret.write_text("sixteen-or-more-letters\n")
    secret.chmod(0o600)
    override(container, "headwind.service", """[Service]
        LoadCredential=token:/etc/headwind/token
        ExecStart=
        ExecStart=headwind serve --config /etc/headwind/headwind.json --token-file %d/token""")
    container.output("systemctl", "restart", "headwind.service")
    said, status = container.run("headwind", "status")
    assert status and "token" in said, f"without a token: status {status}, {said}"
    container.output("headwind", "status", "--token-file", "/etc/headwind/token")
    secret.unlink()
    override(container, "headwind.service", None)
    container.output("systemctl", "restart", "headwind.service")
    machine.say("token: read as a credential, asked for")


def check_service(container):
    container.output("systemctl", "start", "headwind.service", seconds=30)
    user = check_confined(container, main_pid(container))
    with container.network():
        call("/healthz")
        machine.say(f"started, ready when systemd said so, as user {user} without rights")
        check_reload(container)
        check_restarts(container)
        check_token(container)
        container.output("systemctl", "stop", "headwind.service")
        assert not listens(CONTROL), "stopped, and it listens"
    result = container.output("systemctl", "show", "--property=Result,ExecMainStatus", "headwind.service")
    assert set(result.splitlines()) == {"Result=success", "ExecMainStatus=0"}, f"stopped with {result}"
    journal = container.output("journalctl", "--unit=headwind.service", "--no-pager")
    refused = re.search(r"headwind\[.*(denied|not permitted)", journal)
    assert not refused, f"the sandbox is in its way: {journal[-2000:]}"
    machine.say("stopped in order")


def check_socket(container):
    """The first call starts the daemon, again after a stop; the same by a Unix socket, as the unit's comment has it."""
    ways = {"by TCP": (), "by a Unix socket": ("env", "HEADWIND_URL=unix:/run/headwind/control.sock")}
    for way, prefix in ways.items():
        container.output("systemctl", "start", "headwind.socket")
        for _ in range(2):
            state = container.output("systemctl", "is-active", "headwind.service", may_fail=True)
            assert state == "inactive", f"socket: without a call it is {state}"
            container.output(*prefix, "headwind", "status")
            assert container.output("systemctl", "is-active", "headwind.service") == "active"
            container.output("systemctl", "stop", "headwind.service")
        container.output("systemctl", "stop", "headwind.socket")
        machine.say(f"socket: a call {way} starts the service, again after a stop")
        unit = container.path("/lib/systemd/system/headwind.socket").read_text()
        comment = re.findall(r"^#   (.*)$", unit, re.MULTILINE)
        settings = "\n".join(line for line in comment if not line.startswith("systemctl"))
        override(container, "headwind.socket", settings.replace("developers", "tester"))
    override(container, "headwind.socket", None)
    with container.network():
        assert not listens(CONTROL), "the socket was stopped, and something listens"


def check_user_service(container):
    """A user's own service: without a configuration, and with one."""
    user = container.output("id", "--user", "tester")
    container.output("systemctl", "start", f"user@{user}.service")
    manager = ("setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "env", "HOME=/home/tester",
               f"XDG_RUNTIME_DIR=/run/user/{user}")

    def systemctl(*words):
        return container.output(*manager, "systemctl", "--user", *words)

    with container.network():
        systemctl("enable", "--now", "headwind.service")
        eventually(lambda: listens(CONTROL), "the user's service doesn't listen")
        assert call("/profile")["name"] == "none"
        config = container.path("/home/tester/.config/headwind/headwind.json")
        config.parent.mkdir(parents=True, exist_ok=True)
        config.write_text('{ profile: "3g" }')
        systemctl("restart", "headwind.service")
        assert call("/profile")["name"] == "3g", "the user's configuration was not read"
        config.write_text('{ profile: "edge" }')
        systemctl("reload", "headwind.service")
        eventually(lambda: call("/profile")["name"] == "edge", "the user's service was not reloaded")
        systemctl("disable", "--now", "headwind.service")
        assert not listens(CONTROL), "the user's service was stopped, and it listens"
    container.output("systemctl", "stop", f"user@{user}.service")
    machine.say("user's service: without a configuration, with one, reloaded, stopped")
