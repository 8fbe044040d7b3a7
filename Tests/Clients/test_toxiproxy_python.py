"""toxiproxy-python: every public call, as its README uses it."""

import json

import requests
from toxiproxy import Proxy, Toxiproxy
from toxiproxy.api import APIConsumer
from toxiproxy.exceptions import InvalidToxic, NotFound, ProxyExists

from support import (Daemon, DaemonTestCase, ServingTestCase, connect, echo, eventually, exchange, free_address,
                     is_echoing, receive_all)


class LibraryTestCase(DaemonTestCase):
    def setUp(self):
        self.toxiproxy = Toxiproxy()
        self.toxiproxy.update_api_consumer(self.daemon.host, self.daemon.port)
        self.addCleanup(self.toxiproxy.destroy_all)
        self.upstream = self.serve(echo)

    def create(self, name="p", **more):
        return self.toxiproxy.create(upstream=self.upstream, name=name, **more)


class ServerTests(LibraryTestCase):
    def test_version(self):
        self.assertTrue(self.toxiproxy.running())
        version = json.loads(self.toxiproxy.version())["version"]
        self.assertGreaterEqual([int(part) for part in version.split(".")], [2, 6, 0])

    def test_reset_enables_proxies_and_removes_toxics(self):
        slow, off = self.create("slow"), self.create("off")
        slow.add_toxic(type="latency", attributes={"latency": 10_000})
        off.disable()
        self.assertTrue(self.toxiproxy.reset())
        self.assertEqual(slow.toxics(), {})
        self.assertTrue(self.toxiproxy.get_proxy("off").enabled)
        self.assertTrue(is_echoing(slow.listen) and is_echoing(off.listen))

    def test_consumer_takes_parameters_and_plain_data(self):
        body = json.dumps({"name": "p", "upstream": self.upstream})
        self.assertEqual(APIConsumer.post("/proxies", data=body).status_code, 201)
        self.assertEqual(APIConsumer.get("/proxies", params={"unknown": "1"}).json().keys(), {"p"})
        self.assertEqual(APIConsumer.delete("/proxies/p").status_code, 204)


class ProxyTests(LibraryTestCase):
    def test_create_chooses_a_port(self):
        proxy = self.create()
        self.assertIsInstance(proxy, Proxy)
        self.assertEqual((proxy.name, proxy.upstream, proxy.enabled), ("p", self.upstream, True))
        self.assertRegex(proxy.listen, r"^127\.0\.0\.1:[1-9]\d*$")
        self.assertTrue(is_echoing(proxy.listen))

    def test_create_listens_where_it_is_told(self):
        address = free_address()
        self.assertEqual(self.create(listen=address).listen, address)
        self.assertRegex(self.create("name", listen="localhost:0").listen, r"^127\.0\.0\.1:[1-9]\d*$")
        for proxy in self.toxiproxy.proxies().values():
            self.assertTrue(is_echoing(proxy.listen))

    def test_create_disabled(self):
        proxy = self.create(listen=free_address(), enabled=False)
        self.assertFalse(proxy.enabled)
        self.assertFalse(is_echoing(proxy.listen))
        proxy.enable()
        self.assertTrue(is_echoing(proxy.listen))

    def test_proxies_are_found_by_name(self):
        names = ["p", "with space", "größe", "q"]
        for name in names:
            self.create(name)
        self.assertEqual(set(self.toxiproxy.proxies()), set(names))
        for name in names:
            self.assertEqual(self.toxiproxy.get_proxy(name).name, name)
            self.assertEqual(self.toxiproxy.get_proxy(name).toxics(), {})
        self.assertIsNone(self.toxiproxy.get_proxy("nobody"))

    def test_destroy_frees_name_and_port(self):
        proxy = self.create()
        with connect(proxy.listen) as client:
            exchange(client)
            self.assertTrue(self.toxiproxy.destroy(proxy))
            self.assertIn(receive_all(client), [(b"", "end"), (b"", "reset")])
        self.assertFalse(is_echoing(proxy.listen))
        self.assertTrue(is_echoing(self.create(listen=proxy.listen).listen))

    def test_destroy_all(self):
        for name in "abc":
            self.create(name)
        self.toxiproxy.destroy_all()
        self.assertEqual(self.toxiproxy.proxies(), {})

    def test_disable_and_enable_keep_port_and_toxics(self):
        proxy = self.create()
        proxy.add_toxic(type="latency", attributes={"latency": 1})
        with connect(proxy.listen) as client:
            exchange(client)
            proxy.disable()
            self.assertIn(receive_all(client), [(b"", "end"), (b"", "reset")])
        self.assertFalse(proxy.enabled or self.toxiproxy.get_proxy("p").enabled)
        with self.assertRaises(ConnectionRefusedError):
            connect(proxy.listen)
        proxy.enable()
        self.assertEqual(self.toxiproxy.get_proxy("p").listen, proxy.listen)
        self.assertTrue(proxy.enabled and is_echoing(proxy.listen))
        self.assertEqual(set(proxy.toxics()), {"latency_downstream"})

    def test_down_is_over_after_the_block(self):
        proxy = self.create()
        with self.assertRaises(ZeroDivisionError), proxy.down() as same:
            self.assertIs(same, proxy)
            self.assertFalse(is_echoing(proxy.listen))
            1 / 0
        self.assertTrue(is_echoing(proxy.listen))

    def test_update_swaps_the_upstream(self):
        proxy = self.create()
        other = self.serve(lambda connection: connection.sendall(b"other"))
        update = APIConsumer.post("/proxies/p", json={"upstream": other})
        self.assertEqual((update.status_code, update.json()["listen"]), (200, proxy.listen))
        with connect(proxy.listen) as client:
            self.assertEqual(receive_all(client), (b"other", "end"))


class PopulateTests(LibraryTestCase):
    """The library's own populate: it compares `upstream` and `listen` as text and makes anew what differs."""

    def test_makes_what_is_missing(self):
        wanted = [{"name": name, "upstream": self.upstream, "listen": free_address()} for name in "ab"]
        made = self.toxiproxy.populate(wanted)
        self.assertEqual([proxy.name for proxy in made], ["a", "b"])
        self.assertTrue(all(is_echoing(proxy.listen) for proxy in made))

    def test_again_changes_nothing(self):
        wanted = [{"name": "p", "upstream": self.upstream, "listen": free_address()}]
        [proxy] = self.toxiproxy.populate(wanted)
        proxy.add_toxic(type="latency", attributes={"latency": 1})
        with connect(proxy.listen) as client:
            exchange(client)
            self.assertEqual(self.toxiproxy.populate(wanted), [])
            exchange(client)
        self.assertEqual(len(proxy.toxics()), 1)

    def test_other_text_makes_it_anew(self):
        _, _, port = free_address().rpartition(":")
        wanted = {"name": "p", "upstream": self.upstream, "listen": f"localhost:{port}"}
        for entry in [wanted, wanted, {**wanted, "listen": f"127.0.0.1:{port}", "upstream": self.serve(echo)}]:
            [proxy] = self.toxiproxy.populate([entry])
            self.assertEqual((proxy.listen, proxy.upstream), (f"127.0.0.1:{port}", entry["upstream"]))
            self.assertTrue(is_echoing(proxy.listen))


class ToxicListTests(LibraryTestCase):
    def test_defaults(self):
        proxy = self.create()
        proxy.add_toxic(type="latency")
        toxic = proxy.get_toxic("latency_downstream")
        self.assertEqual((toxic.name, toxic.type, toxic.stream, toxic.toxicity),
                         ("latency_downstream", "latency", "downstream", 1.0))
        self.assertEqual(toxic.attributes, {"latency": 0, "jitter": 0})

    def test_everything_given(self):
        proxy = self.create()
        proxy.add_toxic(name="my toxic", type="bandwidth", stream="upstream", toxicity=0.25, attributes={"rate": 7})
        toxic = proxy.toxics()["my toxic"]
        self.assertEqual((toxic.type, toxic.stream, toxic.toxicity, toxic.attributes),
                         ("bandwidth", "upstream", 0.25, {"rate": 7}))
        self.assertIsNone(proxy.get_toxic("another"))

    def test_many_then_none(self):
        proxy = self.create()
        for number in range(20):
            proxy.add_toxic(name=f"t{number}", type="latency", stream=("upstream", "downstream")[number % 2])
        self.assertEqual(len(proxy.toxics()), 20)
        for name in proxy.toxics():
            self.assertTrue(proxy.destroy_toxic(name))
        self.assertEqual(proxy.toxics(), {})

    def test_update(self):
        proxy = self.create()
        proxy.add_toxic(name="t", type="latency", attributes={"latency": 1, "jitter": 2})
        update = APIConsumer.post("/proxies/p/toxics/t", json={"attributes": {"jitter": 3}, "toxicity": 0.5})
        self.assertEqual(update.json()["attributes"], {"latency": 1, "jitter": 3})
        self.assertEqual(proxy.get_toxic("t").toxicity, 0.5)


class ErrorTests(LibraryTestCase):
    """Each failure is the exception that callers catch, with the daemon's words in it."""

    def assertSays(self, raised, status, text):
        answer = json.loads(raised.exception.args[0])
        self.assertEqual((answer["status"], answer["error"]), (status, text))

    def test_taken_name(self):
        self.create()
        with self.assertRaises(ProxyExists):
            self.create()
        with self.assertRaises(ProxyExists) as raised:
            APIConsumer.post("/proxies", json={"name": "p", "upstream": self.upstream})
        self.assertSays(raised, 409, "proxy already exists")

    def test_unknown_proxy(self):
        proxy = self.create()
        proxy.destroy()
        for call in [proxy.destroy, proxy.enable, proxy.disable, proxy.toxics,
                     lambda: proxy.add_toxic(type="latency"), lambda: proxy.destroy_toxic("t")]:
            with self.assertRaises(NotFound) as raised:
                call()
            self.assertSays(raised, 404, "proxy not found")

    def test_unknown_toxic(self):
        proxy = self.create()
        with self.assertRaises(NotFound) as raised:
            proxy.destroy_toxic("t")
        self.assertSays(raised, 404, "toxic not found")

    def test_taken_toxic_name(self):
        proxy = self.create()
        proxy.add_toxic(type="latency")
        with self.assertRaises(ProxyExists) as raised:
            proxy.add_toxic(type="latency")
        self.assertSays(raised, 409, "toxic already exists")

    def test_bad_toxics(self):
        proxy = self.create()
        for text, wrong in [
            ("invalid toxic type", {"type": "nonsense"}),
            ("stream was invalid, can be either upstream or downstream", {"type": "latency", "stream": "sideways"}),
        ]:
            with self.assertRaises(InvalidToxic) as raised:
                proxy.add_toxic(**wrong)
            self.assertSays(raised, 400, text)
        with self.assertRaises(InvalidToxic) as raised:
            proxy.add_toxic(type="latency", attributes={"latency": "long"})
        self.assertRegex(json.loads(raised.exception.args[0])["error"], "^bad request body: .*latency")
        self.assertEqual(proxy.toxics(), {})

    def test_missing_upstream(self):
        with self.assertRaises(InvalidToxic) as raised:
            self.toxiproxy.create(upstream="", name="p")
        self.assertSays(raised, 400, "missing required field: upstream")
        self.assertEqual(self.toxiproxy.proxies(), {})


class RestartTests(ServingTestCase):
    def test_a_stopped_and_started_daemon_is_found_again(self):
        upstream = self.serve(echo)
        toxiproxy, daemon = Toxiproxy(), Daemon()
        toxiproxy.update_api_consumer(daemon.host, daemon.port)
        wanted = [{"name": "p", "upstream": upstream, "listen": free_address()}]
        toxiproxy.populate(wanted)
        daemon.stop()
        self.assertFalse(toxiproxy.running())
        self.assertIsNone(toxiproxy.version())
        with self.assertRaises(requests.ConnectionError):
            toxiproxy.proxies()
        self.assertFalse(is_echoing(wanted[0]["listen"]))

        daemon = Daemon(f"{daemon.host}:{daemon.port}")
        self.addCleanup(daemon.stop)
        self.assertTrue(eventually(toxiproxy.running))
        self.assertEqual(toxiproxy.proxies(), {})
        self.assertEqual(len(toxiproxy.populate(wanted)), 1)
        self.assertTrue(is_echoing(wanted[0]["listen"]))
