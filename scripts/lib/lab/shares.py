"""scripts/measure: which share of requests fails under a profile that drops exchanges."""

import http.client
import math

from . import report
from .daemon import Daemon
from .fetching import fetch
from .machine import progress

SIZE = 1000


def measure(profile, binary, directory, server, requests):
    """Failures of `requests` single requests by curl and as many on kept connections."""
    with Daemon(binary, directory, {"web": ("127.0.0.1:0", f"127.0.0.1:{server.port}")}) as daemon:
        daemon.use("web", profile["name"])
        address = daemon.address("web")
        progress(f"{profile['name']}: single requests")
        single = [not fetch(address, [SIZE], directory, 10)[0].ok for _ in range(requests)]
        progress(f"{profile['name']}: requests on kept connections")
        kept = _kept(address, server.digests, requests)
        progress("")
    probability = next(toxic["attributes"]["probability"] for toxic in profile["toxics"] if toxic["type"] == "drop")
    # Four standard deviations: wrong once in 16,000 runs of something right.
    spread = 4 * math.sqrt(probability * (1 - probability) / requests)
    return [{"connection": mode, "requests": requests, "failed": sum(failed), "probability": probability,
             "held": abs(sum(failed) / requests - probability) <= spread}
            for mode, failed in (("new for each request", single), ("kept", kept))]


def _kept(address, digests, requests):
    """Whether each request failed. Not with curl: that silently repeats a request whose kept connection is reset."""
    connection, failed = None, []
    for _ in range(requests):
        connection = connection or http.client.HTTPConnection(*address, timeout=10)
        try:
            connection.request("GET", f"/{SIZE}")
            failed.append(len(connection.getresponse().read()) != SIZE)
        except (OSError, http.client.HTTPException):
            failed.append(True)
            connection.close()
            connection = None
    if connection:
        connection.close()
    return failed


def text(name, results):
    rows = [[name, one["connection"], one["requests"], one["failed"], f"{one['failed'] / one['requests']:.0%}",
             f"{one['probability']:.0%}", report.verdict(one["held"])] for one in results]
    return report.table(["profile", "connections", "requests", "failed", "share", "configured", "within chance"], rows)
