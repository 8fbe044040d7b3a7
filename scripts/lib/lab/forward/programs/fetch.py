"""fetch.py WAY PROXY URL COUNT: Python's requests, which takes its proxy from the environment as in any program.

Prints one JSON object a line for each of COUNT requests, every one on a connection of its own.
"""

import hashlib
import json
import os
import sys
import time

import requests

way, proxy, url, count = sys.argv[1:]
scheme = "socks5h" if way == "socks" else "http"
os.environ["HTTP_PROXY"] = os.environ["HTTPS_PROXY"] = f"{scheme}://{proxy}"


def fetch():
    begin = time.monotonic()
    try:
        with requests.Session() as session:
            answer = session.get(url, timeout=30)
        told = {"status": answer.status_code, "sha256": hashlib.sha256(answer.content).hexdigest()}
    except (requests.RequestException, OSError) as problem:
        told = {"error": f"{type(problem).__name__}: {problem}"}
    return told | {"seconds": time.monotonic() - begin}


for _ in range(int(count)):
    print(json.dumps(fetch()), flush=True)
