"""The tests of a small client, as somebody's project may have them. They know nothing of proxies or profiles:
`headwind run` says by the environment where the traffic goes. FILES_URL and FILES_SHA256 name the server and what it
has to give."""

import hashlib
import os
import unittest

import requests
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

URL = os.environ["FILES_URL"]
# FILES_RETRIES=0 makes it a client that gives up at once.
RETRIES = int(os.environ.get("FILES_RETRIES", "10"))


class FilesTests(unittest.TestCase):
    def setUp(self):
        self.session = requests.Session()
        self.addCleanup(self.session.close)
        self.session.mount("https://", HTTPAdapter(max_retries=Retry(RETRIES, backoff_factor=0.01)))

    def get(self, path):
        return self.session.get(URL + path, timeout=60)

    def test_content_is_whole(self):
        digest = hashlib.sha256(self.get("/1000").content).hexdigest()
        self.assertEqual(digest, os.environ["FILES_SHA256"])

    def test_missing_file_is_told(self):
        self.assertEqual(self.get("/no-such-file").status_code, 404)

    def test_many_requests_in_a_row(self):
        for _ in range(8):
            self.assertEqual(self.get("/1000").status_code, 200)


if __name__ == "__main__":
    unittest.main()
