"""Every toxic, set with toxiproxy-python, with data going through it."""

import time

from toxiproxy.api import APIConsumer

from support import (answering, connect, echo, exchange, is_silent, receive, receive_all, sending)
from test_toxiproxy_python import LibraryTestCase

# Bounds from above are far: they are to tell seconds from none, on a machine that is busy with other things.
AT_ONCE_SECONDS = 2


class ToxicTests(LibraryTestCase):
    def proxy(self, handler=echo):
        return self.toxiproxy.create(upstream=self.serve(handler), name="p")

    def connect(self, proxy):
        client = connect(proxy.listen)
        self.addCleanup(client.close)
        return client

    def assertAfter(self, seconds, begin):
        elapsed = time.monotonic() - begin
        self.assertGreaterEqual(elapsed, seconds)
        self.assertLess(elapsed, seconds + AT_ONCE_SECONDS)

    def assertClosed(self, client, data=b""):
        received, ending = receive_all(client)
        self.assertEqual(received, data)
        self.assertIn(ending, ["end", "reset"])

    # latency

    def test_latency_delays_each_stream_it_is_on(self):
        proxy = self.proxy()
        client = self.connect(proxy)
        for stream, total in [("upstream", 0.2), ("downstream", 0.4)]:
            proxy.add_toxic(type="latency", stream=stream, attributes={"latency": 200})
            begin = time.monotonic()
            exchange(client)
            self.assertAfter(total, begin)
        for name in proxy.toxics():
            proxy.destroy_toxic(name)
        self.assertLess(exchange(client), AT_ONCE_SECONDS)

    def test_jitter_varies(self):
        proxy = self.proxy()
        proxy.add_toxic(type="latency", attributes={"latency": 50, "jitter": 40})
        client = self.connect(proxy)
        times = [exchange(client) for _ in range(12)]
        self.assertGreaterEqual(min(times), 0.010)
        self.assertGreater(max(times) - min(times), 0.005, times)

    def test_an_update_acts_on_an_open_connection(self):
        proxy = self.proxy()
        proxy.add_toxic(name="t", type="latency", attributes={"latency": 60_000})
        client = self.connect(proxy)
        client.sendall(b"held")
        self.assertTrue(is_silent(client, 0.1))
        APIConsumer.post("/proxies/p/toxics/t", json={"attributes": {"latency": 100}})
        self.assertEqual(receive(client, 4), b"held")

    def test_toxicity_zero_touches_nobody(self):
        proxy = self.proxy()
        proxy.add_toxic(type="latency", toxicity=0, attributes={"latency": 60_000})
        self.assertLess(exchange(self.connect(proxy)), AT_ONCE_SECONDS)

    def test_noop_does_nothing(self):
        proxy = self.proxy()
        proxy.add_toxic(type="noop")
        self.assertEqual(proxy.get_toxic("noop_downstream").attributes, {})
        self.assertLess(exchange(self.connect(proxy)), AT_ONCE_SECONDS)

    # bandwidth

    def test_bandwidth_limits(self):
        data = bytes(range(250)) * 400
        proxy = self.proxy(answering(data))
        proxy.add_toxic(type="bandwidth", attributes={"rate": 200})
        client = self.connect(proxy)
        begin = time.monotonic()
        client.sendall(b"?")
        self.assertEqual(receive(client, len(data)), data)
        self.assertAfter(0.45, begin)  # 100 kB at 200 kB/s, the last piece of which is not waited for

    def test_bandwidth_limits_what_is_sent(self):
        proxy = self.proxy()
        proxy.add_toxic(type="bandwidth", stream="upstream", attributes={"rate": 200})
        begin = time.monotonic()
        exchange(self.connect(proxy), b"x" * 100_000)
        self.assertAfter(0.45, begin)

    def test_a_cut_heals(self):
        proxy = self.proxy()
        client = self.connect(proxy)
        exchange(client)
        for stream in ["upstream", "downstream"]:
            proxy.add_toxic(name=f"cut_{stream}", type="bandwidth", stream=stream, attributes={"rate": 0})
        client.sendall(b"later")
        self.assertTrue(is_silent(client, 0.3))
        for name in proxy.toxics():
            proxy.destroy_toxic(name)
        self.assertEqual(receive(client, 5), b"later")

    # slow_close

    def test_slow_close_holds_the_end_back(self):
        proxy = self.proxy(sending(b"bye"))
        proxy.add_toxic(type="slow_close", attributes={"delay": 300})
        begin = time.monotonic()
        client = self.connect(proxy)
        self.assertEqual(receive(client, 3), b"bye")
        self.assertEqual(receive_all(client), (b"", "end"))
        self.assertAfter(0.3, begin)

    def test_slow_close_of_the_upstream(self):
        proxy = self.proxy(lambda connection: connection.sendall(b"%d" % len(receive_all(connection)[0])))
        proxy.add_toxic(type="slow_close", stream="upstream", attributes={"delay": 300})
        client = self.connect(proxy)
        begin = time.monotonic()
        client.sendall(b"12345")
        client.shutdown(1)
        self.assertEqual(receive_all(client), (b"5", "end"))
        self.assertAfter(0.3, begin)

    # timeout

    def test_timeout_closes(self):
        proxy = self.proxy()
        proxy.add_toxic(type="timeout", attributes={"timeout": 300})
        begin = time.monotonic()
        client = self.connect(proxy)
        client.sendall(b"lost")
        self.assertClosed(client)
        self.assertAfter(0.3, begin)

    def test_timeout_zero_waits_until_it_is_removed(self):
        proxy = self.proxy()
        proxy.add_toxic(type="timeout", attributes={"timeout": 0})
        client = self.connect(proxy)
        client.sendall(b"lost")
        self.assertTrue(is_silent(client, 0.3))
        proxy.destroy_toxic("timeout_downstream")
        self.assertClosed(client)
        self.assertLess(exchange(self.connect(proxy)), AT_ONCE_SECONDS)

    # reset_peer

    def test_reset_peer_resets_an_exchange(self):
        for stream in ["upstream", "downstream"]:
            with self.subTest(stream):
                proxy = self.proxy()
                proxy.add_toxic(type="reset_peer", stream=stream, attributes={"timeout": 200})
                begin = time.monotonic()
                client = self.connect(proxy)
                client.sendall(b"lost")
                self.assertEqual(receive_all(client), (b"", "reset"))
                self.assertAfter(0.2, begin)
                proxy.destroy()

    def test_reset_peer_resets_an_idle_connection(self):
        proxy = self.proxy()
        client = self.connect(proxy)
        exchange(client)
        proxy.add_toxic(type="reset_peer", attributes={"timeout": 0})
        self.assertEqual(receive_all(client), (b"", "reset"))

    # slicer

    def test_slicer_cuts_and_delays(self):
        data = bytes(range(250)) * 20
        proxy = self.proxy(answering(data))
        proxy.add_toxic(type="slicer", attributes={"average_size": 500, "size_variation": 100, "delay": 20_000})
        client = self.connect(proxy)
        begin = time.monotonic()
        client.sendall(b"?")
        pieces = []
        while sum(map(len, pieces)) < len(data):
            pieces.append(client.recv(65536))
        self.assertEqual(b"".join(pieces), data)
        self.assertAfter(0.15, begin)  # at least nine pieces, 20 ms apart
        self.assertGreaterEqual(len(pieces), 5)

    def test_slicer_without_attributes_does_not_slice(self):
        proxy = self.proxy()
        proxy.add_toxic(type="slicer")
        self.assertLess(exchange(self.connect(proxy), b"x" * 2000), AT_ONCE_SECONDS)

    # limit_data

    def test_limit_data_cuts(self):
        proxy = self.proxy(sending(b"x" * 10_000))
        proxy.add_toxic(type="limit_data", attributes={"bytes": 100})
        self.assertClosed(self.connect(proxy), b"x" * 100)

    def test_limit_data_counts_what_is_sent(self):
        proxy = self.proxy()
        proxy.add_toxic(type="limit_data", stream="upstream", attributes={"bytes": 100})
        client = self.connect(proxy)
        exchange(client, b"x" * 99)
        self.assertTrue(is_silent(client, 0.2))
        client.sendall(b"x")
        received, _ = receive_all(client)
        self.assertLessEqual(len(received), 1)

    # all of them

    def test_every_type_echoes_all_its_attributes(self):
        proxy = self.proxy()
        for kind, attributes in {
            "latency": {"latency": 1, "jitter": 2},
            "bandwidth": {"rate": 3},
            "slow_close": {"delay": 4},
            "timeout": {"timeout": 5},
            "reset_peer": {"timeout": 6},
            "slicer": {"average_size": 7, "size_variation": 1, "delay": 8},
            "limit_data": {"bytes": 9},
        }.items():
            with self.subTest(kind):
                proxy.add_toxic(type=kind, stream="upstream", attributes=attributes)
                self.assertEqual(proxy.get_toxic(f"{kind}_upstream").attributes, attributes)
                proxy.destroy_toxic(f"{kind}_upstream")
                proxy.add_toxic(type=kind)
                self.assertEqual(proxy.get_toxic(f"{kind}_downstream").attributes, dict.fromkeys(attributes, 0))
