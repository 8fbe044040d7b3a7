"""20 MB through a path that loses 3 % of its packets, under TLS: not a byte is lost, changed or out of order."""

import hashlib
import http.client
import json
import os
import pathlib
import shutil
import ssl
import subprocess
import tempfile
import unittest

from support import DaemonTestCase, connect

DOWN_BYTES = 20_000_000
UP_BYTES = 2_000_000
DIGEST_BYTES = 32
# A short round trip, so that it takes seconds: CUBIC cuts its window hundreds of times.
PATH = {
    "latency_ms": 1,
    "downstream_bytes_per_second": 100_000_000, "upstream_bytes_per_second": 100_000_000,
    "downstream_loss": 0.03, "upstream_loss": 0.03,
}


def make_certificate(directory):
    """(certificate, key) of "localhost", as files."""
    certificate, key = directory / "certificate.pem", directory / "key.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate,
                    "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
                   check=True, capture_output=True, timeout=60)
    return certificate, key


def digest(connection, count):
    """The hash of the next `count` bytes."""
    state = hashlib.sha256()
    while count and (content := connection.recv(min(count, 1 << 16))):
        state.update(content)
        count -= len(content)
    if count:
        raise AssertionError(f"the connection ended {count} bytes too early")
    return state.digest()


@unittest.skipUnless(shutil.which("openssl"), "needs openssl, to make a certificate")
class LossTests(DaemonTestCase):
    def call(self, method, path, body=None):
        connection = http.client.HTTPConnection(self.daemon.host, self.daemon.port, timeout=15)
        self.addCleanup(connection.close)
        connection.request(method, path, None if body is None else json.dumps(body))
        answer = connection.getresponse()
        content = answer.read()
        self.assertLess(answer.status, 300, content)
        return content.decode()

    def proxy(self, handler):
        """The address of a new proxy under a path with loss."""
        self.call("PUT", "/profiles/lossy", {"path": PATH})
        proxy = {"name": "p", "listen": "127.0.0.1:0", "upstream": self.serve(handler)}
        listen = json.loads(self.call("POST", "/proxies", proxy))["listen"]
        self.addCleanup(self.call, "DELETE", "/proxies/p")
        self.call("PUT", "/profile/lossy")
        return listen

    def lost_packets(self, direction):
        name = f'headwind_path_lost_packets_total{{direction="{direction}",profile="lossy"}} '
        return int(self.call("GET", "/metrics").split(name)[1].split()[0])

    def test_tls_and_a_hash(self):
        directory = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        certificate, key = make_certificate(directory)
        content = os.urandom(DOWN_BYTES)

        def serve(connection):
            context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            context.load_cert_chain(certificate, key)
            with context.wrap_socket(connection, server_side=True) as secure:
                secure.sendall(content)
                secure.sendall(digest(secure, UP_BYTES))

        listen = self.proxy(serve)
        context = ssl.create_default_context(cafile=certificate)
        with connect(listen) as plain, context.wrap_socket(plain, server_hostname="localhost") as client:
            self.assertEqual(digest(client, DOWN_BYTES), hashlib.sha256(content).digest())
            client.sendall(content[:UP_BYTES])
            answer = b""
            while len(answer) < DIGEST_BYTES and (more := client.recv(DIGEST_BYTES)):
                answer += more
            self.assertEqual(answer, hashlib.sha256(content[:UP_BYTES]).digest())
        # 3 % of some 14,000 and 1,400 packets.
        self.assertGreater(self.lost_packets("downstream"), 200)
        self.assertGreater(self.lost_packets("upstream"), 20)
