"""What came of one request of a client, whichever client it was."""

import re
from dataclasses import dataclass

# What clients say, by kind. The first that matches counts: a certificate error inside of a longer story is one.
KINDS = (
    ("certificate", r"certificate|CERT_|PKIX|SSLCertVerification|altname|unable to get local issuer"
                    r"|subject name|No name matching|No subject alternative|curl 60"),
    ("time", r"timed out|timeout|TimeoutError|TIMEOUT|curl 28"),
    ("reset", r"reset|ECONNRESET|Broken pipe|BrokenPipe|EPIPE|aborted|not connected|SSL_ERROR_SYSCALL"),
    ("end", r"Empty reply|RemoteDisconnected|other side closed|UND_ERR_SOCKET|EOF|end of file|hung up|closed|terminated"
            r"|header parser received no bytes|unexpected disconnect|early|Unexpected end"),
    ("status", r"HTTP status|returned error|response 5\d\d|Server returned HTTP|Tunnel connection failed"
               r"|tunneling socket"),
)
CLEAN = ("reset", "end", "status")


@dataclass(frozen=True)
class Attempt:
    """`digest` is the sha256 of the body, or whatever tells that the content is right."""

    seconds: float
    digest: str = ""
    error: str = ""

    @property
    def ok(self):
        return not self.error

    @property
    def kind(self):
        """"" of one that went well."""
        if not self.error:
            return ""
        return next((kind for kind, pattern in KINDS if re.search(pattern, self.error, re.IGNORECASE)), "unknown")

    @classmethod
    def told(cls, words):
        """From the JSON object that our programs print."""
        error = words.get("error", "")
        if not error and words["status"] != 200:
            error = f"HTTP status {words['status']}"
        return cls(words["seconds"], words.get("sha256", ""), error)
