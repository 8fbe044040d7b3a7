"""chaostoolkit-toxiproxy: each action and probe alone, then a whole experiment with `chaos run`."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from unittest import mock

import logzero
from chaostoxi import toxiproxyapi
from chaostoxi.proxy import actions as proxies, probes
from chaostoxi.toxic import actions as toxics

from support import (PATIENCE_SECONDS, DaemonTestCase, connect, echo, exchange, free_address, is_echoing,
                     is_silent, receive, receive_all)

HERE = pathlib.Path(__file__).resolve().parent

logzero.loglevel(logzero.CRITICAL)


def port_of(address):
    return int(address.rpartition(":")[2])


class ChaosTestCase(DaemonTestCase):
    def setUp(self):
        self.configuration = {"toxiproxy_url": self.daemon.url}
        # create_proxy puts the port into the environment as well.
        self.enterContext(mock.patch.dict(os.environ))

    def create(self, name="p", handler=echo, **more):
        """Makes a proxy and gives "HOST:PORT" to reach it at."""
        self.addCleanup(proxies.delete_proxy, name, self.configuration)
        upstream = {"upstream_host": "127.0.0.1", "upstream_port": port_of(self.serve(handler)), **more}
        self.assertTrue(proxies.create_proxy(name, configuration=self.configuration, **upstream))
        return f"127.0.0.1:{self.configuration[name + '_PORT']}"


class ProxyActionTests(ChaosTestCase):
    def test_create_listens_on_every_interface_by_default(self):
        address = self.create("web")
        self.assertEqual(os.environ["web_PORT"], str(port_of(address)))
        self.assertTrue(is_echoing(address))

    def test_create_with_everything_given(self):
        listen, upstream = free_address(), self.serve(echo)
        os.environ["SERVER_HOST"], os.environ["SERVER_PORT"] = "127.0.0.1", str(port_of(upstream))
        address = self.create(
            upstream_host="env:SERVER_HOST", upstream_port="env:SERVER_PORT", listen_host="127.0.0.1",
            listen_port=port_of(listen), enabled=False)
        self.assertEqual(address, listen)
        self.assertFalse(is_echoing(address))
        self.assertTrue(proxies.enable_proxy("p", self.configuration))
        self.assertTrue(is_echoing(address))
        self.assertEqual(probes.get_proxy_attribute("p", "upstream", self.configuration), upstream)

    def test_host_and_port_instead_of_an_address(self):
        self.configuration = {"toxiproxy_host": self.daemon.host, "toxiproxy_port": self.daemon.port}
        self.assertTrue(is_echoing(self.create()))

    def test_disable_and_enable(self):
        address = self.create()
        with connect(address) as client:
            exchange(client)
            self.assertTrue(proxies.disable_proxy("p", self.configuration))
            self.assertEqual(receive_all(client)[0], b"")
        self.assertFalse(is_echoing(address))
        self.assertIs(probes.get_proxy_attribute("p", "enabled", self.configuration), False)
        self.assertTrue(proxies.enable_proxy("p", self.configuration))
        self.assertTrue(is_echoing(address))

    def test_modify(self):
        self.create()
        listen, upstream = free_address(), self.serve(lambda connection: connection.sendall(b"other"))
        self.assertTrue(proxies.modify_proxy("p", listen, upstream, configuration=self.configuration))
        self.assertEqual(self.configuration["p_PORT"], str(port_of(listen)))
        with connect(listen) as client:
            self.assertEqual(receive_all(client), (b"other", "end"))

    def test_modify_nothing_changes_nothing(self):
        address = self.create()
        with connect(address) as client:
            exchange(client)
            self.assertTrue(proxies.modify_proxy("p", configuration=self.configuration))
            exchange(client)

    def test_delete(self):
        address = self.create()
        proxies.delete_proxy("p", self.configuration)
        self.assertFalse(is_echoing(address) or probes.proxy_exist("p", self.configuration))

    def test_reset(self):
        address = self.create()
        toxics.create_latency_toxic("p", "t", 60_000, configuration=self.configuration)
        proxies.disable_proxy("p", self.configuration)
        self.assertTrue(proxies.reset(self.configuration))
        self.assertTrue(is_echoing(address))
        self.assertEqual(probes.get_proxy_attribute("p", "toxics", self.configuration), [])

    def test_failures_are_told(self):
        self.create()
        with self.assertRaises(AssertionError):
            self.create()
        with self.assertRaises(AssertionError):
            proxies.modify_proxy("nobody", enabled=True, configuration=self.configuration)
        self.assertFalse(toxics.delete_toxic("p", "nothing", self.configuration))
        self.assertIsNone(toxiproxyapi.create_toxic("p", {"type": "nonsense"}, self.configuration))


class ProbeTests(ChaosTestCase):
    def test_probes(self):
        self.create()
        self.assertTrue(probes.proxy_exist("p", self.configuration))
        self.assertFalse(probes.proxy_exist("nobody", self.configuration))
        self.assertIs(probes.get_proxy_attribute("p", "enabled", self.configuration), True)
        self.assertIsNone(probes.get_proxy_attribute("nobody", "enabled", self.configuration))


class ToxicActionTests(ChaosTestCase):
    def assertAdds(self, expected, action, *arguments, **more):
        self.assertTrue(action("p", "t", *arguments, configuration=self.configuration, **more))
        [toxic] = probes.get_proxy_attribute("p", "toxics", self.configuration)
        self.assertEqual(toxic, {"name": "t", "stream": "downstream", "toxicity": 1, **expected})

    def remove(self):
        self.assertTrue(toxics.delete_toxic("p", "t", self.configuration))

    def test_any(self):
        """`attributes` is null when none are given."""
        self.create()
        self.assertAdds({"type": "latency", "attributes": {"latency": 0, "jitter": 0}}, toxics.create_toxic, "latency")
        self.remove()
        self.assertAdds({"type": "bandwidth", "attributes": {"rate": 9}, "stream": "upstream", "toxicity": 0.5},
                        toxics.create_toxic, "bandwidth", "upstream", 0.5, {"rate": 9})

    def test_latency(self):
        with connect(self.create()) as client:
            self.assertAdds({"type": "latency", "attributes": {"latency": 200, "jitter": 5}},
                            toxics.create_latency_toxic, 200, 5)
            self.assertGreaterEqual(exchange(client), 0.195)
            self.remove()
            exchange(client)

    def test_bandwidth(self):
        address = self.create()
        self.assertAdds({"type": "bandwidth", "attributes": {"rate": 200}},
                        toxics.create_bandwith_degradation_toxic, 200)
        with connect(address) as client:
            self.assertGreaterEqual(exchange(client, b"x" * 60_000), 0.25)

    def test_slow_close(self):
        address = self.create(handler=lambda connection: connection.sendall(b"bye"))
        self.assertAdds({"type": "slow_close", "attributes": {"delay": 200}},
                        toxics.create_slow_connection_close_toxic, 200)
        begin = time.monotonic()
        with connect(address) as client:
            self.assertEqual(receive_all(client), (b"bye", "end"))
        self.assertGreaterEqual(time.monotonic() - begin, 0.2)

    def test_timeout(self):
        address = self.create()
        self.assertAdds({"type": "timeout", "attributes": {"timeout": 200}}, toxics.create_timeout_toxic, 200)
        begin = time.monotonic()
        with connect(address) as client:
            client.sendall(b"lost")
            self.assertEqual(receive_all(client)[0], b"")
        self.assertGreaterEqual(time.monotonic() - begin, 0.2)

    def test_slicer(self):
        address = self.create()
        self.assertAdds({"type": "slicer", "attributes": {"average_size": 100, "size_variation": 10, "delay": 10_000}},
                        toxics.create_slicer_toxic, 100, 10, 10_000)
        with connect(address) as client:
            self.assertGreaterEqual(exchange(client, bytes(range(250)) * 8), 0.1)

    def test_limiter(self):
        address = self.create()
        self.assertAdds({"type": "limit_data", "attributes": {"bytes": 10}}, toxics.create_limiter_toxic, 10)
        with connect(address) as client:
            client.sendall(b"123456789")
            self.assertEqual(receive(client, 9), b"123456789")
            self.assertTrue(is_silent(client, 0.1))
            client.sendall(b"0more")
            self.assertEqual(receive_all(client)[0], b"0")


class ExperimentTests(ChaosTestCase):
    """`chaos run experiment.json` as a user starts it."""

    PAGE = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello"

    @staticmethod
    def serve_page(connection):
        request = b""
        while b"\r\n\r\n" not in request and (more := connection.recv(65536)):
            request += more
        connection.sendall(ExperimentTests.PAGE)

    def run_experiment(self, address, server):
        """The journal that `chaos run` writes."""
        environment = {
            **os.environ, "TOXIPROXY_URL": self.daemon.url, "SERVER_PORT": str(port_of(server)),
            "PAGE_URL": f"http://{address}/", "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1",
        }
        with tempfile.TemporaryDirectory() as directory:
            journal = pathlib.Path(directory) / "journal.json"
            command = [sys.executable, "-m", "chaostoolkit", "--no-version-check", "--no-log-file",
                       "--settings", f"{directory}/settings.yaml",
                       "run", "--rollback-strategy", "always", "--journal-path", str(journal),
                       str(HERE / "experiment.json")]
            done = subprocess.run(command, cwd=directory, env=environment, timeout=4 * PATIENCE_SECONDS,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertEqual(done.returncode, 0, done.stdout)
            return json.loads(journal.read_text())

    def test_a_whole_run(self):
        server = self.serve(self.serve_page)
        address = self.create("page", upstream_port=port_of(server))
        journal = self.run_experiment(address, server)
        self.assertEqual((journal["status"], journal["deviated"]), ("completed", False))
        activities = {entry["activity"]["name"]: entry for entry in journal["run"] + journal["rollbacks"]}
        for name, entry in activities.items():
            self.assertEqual(entry["status"], "succeeded", f"{name}: {entry.get('exception')}")
        for name in ["slow-page", "degraded-page"]:
            self.assertEqual((activities[name]["output"]["status"], activities[name]["output"]["body"]), (200, "hello"))
        self.assertEqual(activities["page-by-second-proxy"]["output"]["stdout"], "hello")
        self.assertGreaterEqual(activities["slow-page"]["duration"], 0.29)
        self.assertIs(activities["enabled-while-down"]["output"], False)
        self.assertFalse(probes.proxy_exist("second", self.configuration))
        self.assertEqual(probes.get_proxy_attribute("page", "toxics", self.configuration), [])
