"""headwind under the name toxiproxy-server, started as scripts start the reference: its flags, its config file."""

import json
import pathlib
import tempfile

from toxiproxy import Toxiproxy

from support import HEADWIND, Daemon, ServingTestCase, connect, echo, eventually, exchange, free_address, is_echoing


class ToxiproxyServer(Daemon):
    """Prints no ready line: who starts it asks until it answers."""

    def __init__(self, directory, config):
        self.host, _, port = free_address().rpartition(":")
        self.port = int(port)
        self.log = tempfile.TemporaryFile("w+")
        name = pathlib.Path(directory) / "toxiproxy-server"
        name.symlink_to(pathlib.Path(HEADWIND).resolve())
        file = pathlib.Path(directory) / "toxiproxy.json"
        file.write_text(json.dumps(config))
        # Its log goes to standard output.
        self._start([name, "-host=127.0.0.1", f"-port={self.port}", "-config", file], self.log)


class NameTests(ServingTestCase):
    def test_a_config_and_a_life_cycle(self):
        listen, upstream = free_address(), self.serve(echo)
        entry = {"name": "redis", "listen": listen, "upstream": upstream, "enabled": True}
        server = ToxiproxyServer(self.enterContext(tempfile.TemporaryDirectory()), [entry])
        self.addCleanup(server.stop)
        toxiproxy = Toxiproxy()
        toxiproxy.update_api_consumer(server.host, server.port)
        self.assertTrue(eventually(lambda: toxiproxy.running() or server.process.poll() is not None))
        self.assertTrue(toxiproxy.running(), server.log_text())

        proxy = toxiproxy.get_proxy("redis")
        self.assertEqual((proxy.listen, proxy.upstream, proxy.enabled), (listen, upstream, True))
        with connect(proxy.listen) as client:
            exchange(client)
            proxy.add_toxic(type="latency", attributes={"latency": 200})
            self.assertGreaterEqual(exchange(client), 0.2)
        with proxy.down():
            self.assertFalse(is_echoing(listen))
        self.assertTrue(toxiproxy.reset())
        self.assertTrue(is_echoing(listen))
        self.assertEqual(proxy.toxics(), {})
