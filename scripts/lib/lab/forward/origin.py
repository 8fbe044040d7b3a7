"""The server that clients visit: nginx with files, a git repository and a WebSocket echo, under real names."""

import contextlib
import hashlib
import os
import pathlib
import random
import socket
import subprocess
import sys

from .. import machine
from ..process import Child, clean_environment
from .names import mapped

# Words of our own only: nothing on the machine may mean another server by them.
NAME = "files.headwind.test"
OTHER_NAME = "other.headwind.test"  # leads here as well, but the certificate is not for it
SMALL, LARGE = 1_000, 100_000
PROGRAMS = pathlib.Path(__file__).with_name("programs")

NGINX = """daemon off;
master_process off;
pid nginx.pid;
error_log error.log;
events {{ worker_connections 1024; }}
http {{
  access_log access.log;
  client_body_temp_path temp; proxy_temp_path temp; fastcgi_temp_path temp; uwsgi_temp_path temp; scgi_temp_path temp;
  client_max_body_size 100m;
  default_type application/octet-stream;
  map $http_upgrade $connection_word {{ default upgrade; '' ''; }}
  server {{
    listen {address}:80;
    listen {address}:443 ssl;
    server_name {names};
    ssl_certificate {certificate};
    ssl_certificate_key {key};
    ssl_protocols TLSv1.2 TLSv1.3;
    root files;
    location = / {{ return 200 "hello\\n"; }}
    location /git/ {{ proxy_pass http://127.0.0.1:{git_port}; proxy_set_header Host $host; }}
    location /echo {{
      proxy_pass http://127.0.0.1:{echo_port};
      proxy_http_version 1.1;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $connection_word;
    }}
  }}
}}
"""


class Origin:
    """Its files are random and of known sha256: `digests` by path. `commit` is the head of /git/project.git."""

    def __init__(self, directory, authority, extra_names=()):
        self.directory = pathlib.Path(directory, "origin")
        (self.directory / "temp").mkdir(parents=True)
        self.names = [NAME, *extra_names]
        self.address = _own_address()
        self.digests = self._write_files()
        self.commit = _make_repository(self.directory / "git" / "project.git", self.directory / "seedling")
        self._authority = authority
        self._stack = contextlib.ExitStack()

    def __enter__(self):
        with contextlib.ExitStack() as stack:
            git_port, echo_port = machine.free_ports(2)
            self._serve(stack, git_port, [sys.executable, PROGRAMS / "git_server.py", git_port, self.directory / "git"])
            self._serve(stack, echo_port, [sys.executable, PROGRAMS / "echo_server.py", echo_port])
            self._start_nginx(stack, git_port, echo_port)
            stack.enter_context(mapped(self.address, [*self.names, OTHER_NAME]))
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_):
        self._stack.close()

    def _serve(self, stack, port, command):
        name = pathlib.Path(command[1]).stem
        child = stack.enter_context(Child(command, self.directory / f"{name}.log", environment=clean_environment()))
        child.wait_for_port(port)

    def _start_nginx(self, stack, git_port, echo_port):
        certificate, key = self._authority.issue(self.names)
        (self.directory / "nginx.conf").write_text(NGINX.format(
            address=self.address, names=" ".join([*self.names, OTHER_NAME]), certificate=certificate, key=key,
            git_port=git_port, echo_port=echo_port))
        root = self.directory
        command = ["nginx", "-p", root, "-c", root / "nginx.conf", "-e", root / "error.log"]
        nginx = stack.enter_context(Child(command, self.directory / "nginx.log"))
        nginx.wait_for_port(443, address=self.address)

    def _write_files(self):
        root = self.directory / "files"
        root.mkdir()
        digests = {}
        for size in (SMALL, LARGE):
            content = os.urandom(size)
            (root / str(size)).write_bytes(content)
            digests[f"/{size}"] = hashlib.sha256(content).hexdigest()
        return digests


def _own_address():
    """A loopback address whose ports 80 and 443 are free: no other server of this machine is in the way."""
    dice = random.Random(os.getpid())
    for _ in range(20):
        address = f"127.{dice.randrange(64, 250)}.{dice.randrange(250)}.{dice.randrange(1, 250)}"
        with contextlib.ExitStack() as stack:
            try:
                for port in (80, 443):
                    stack.enter_context(socket.create_server((address, port)))
                return address
            except PermissionError:
                sys.exit("ports 80 and 443 of a loopback address are needed, and so are /etc/hosts: run this as root")
            except OSError:
                continue
    raise RuntimeError("no loopback address has its ports 80 and 443 free")


def _make_repository(bare, work):
    """A small repository with a few commits; returns its head."""
    environment = dict(clean_environment(), GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_SYSTEM="/dev/null",
                       GIT_AUTHOR_NAME="Test", GIT_AUTHOR_EMAIL="test@headwind.test", GIT_COMMITTER_NAME="Test",
                       GIT_COMMITTER_EMAIL="test@headwind.test")

    def git(*words):
        return subprocess.run(["git", *map(str, words)], check=True, env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=30).stdout.strip()

    git("init", "--quiet", "--initial-branch=main", work)
    for number in range(5):
        (work / f"part-{number}").write_bytes(os.urandom(4_000))
        git("-C", work, "add", "--all")
        git("-C", work, "commit", "--quiet", "--message", f"Part {number}")
    bare.parent.mkdir(parents=True)
    git("clone", "--quiet", "--bare", work, bare)
    return git("-C", bare, "rev-parse", "main")
