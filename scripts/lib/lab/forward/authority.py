"""A certificate authority for tests, made with openssl, and how each client is told to trust it."""

import os
import pathlib
import subprocess

VARIABLES = ("CURL_CA_BUNDLE", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "GIT_SSL_CAINFO")
PASSWORD = "changeit"  # what Java expects of a trust store; there is nothing secret in one


class Authority:
    """Its certificate is `bundle`; `store` is the same for Java, made when it is asked for."""

    def __init__(self, directory, name):
        self.directory = pathlib.Path(directory, name)
        self.directory.mkdir()
        self.bundle = self.directory / "authority.pem"
        self._openssl("req", "-x509", *_key(self.directory / "authority.key"), "-out", self.bundle, "-days", "7",
                      "-subj", f"/CN=Headwind {name}", "-addext", "basicConstraints=critical,CA:TRUE",
                      "-addext", "keyUsage=critical,keyCertSign,cRLSign")

    def issue(self, names):
        """(certificate, key) for the host names."""
        certificate, key, request, extensions = (
            self.directory / f"server.{end}" for end in ("pem", "key", "csr", "ext"))
        self._openssl("req", *_key(key), "-out", request, "-subj", f"/CN={names[0]}")
        extensions.write_text("basicConstraints=critical,CA:FALSE\nextendedKeyUsage=serverAuth\nsubjectAltName="
                              + ",".join(f"DNS:{name}" for name in names) + "\n")
        self._openssl("x509", "-req", "-in", request, "-CA", self.bundle, "-CAkey", self.directory / "authority.key",
                      "-CAcreateserial", "-days", "7", "-extfile", extensions, "-out", certificate)
        return certificate, key

    @property
    def store(self):
        path = self.directory / "authority.p12"
        if not path.exists():
            _quietly(["keytool", "-importcert", "-noprompt", "-alias", "test", "-file", self.bundle, "-keystore", path,
                      "-storetype", "PKCS12", "-storepass", PASSWORD])
        return path

    def environment(self):
        """What makes each client trust this authority and go on checking certificates and names."""
        told = {name: str(self.bundle) for name in VARIABLES}
        told["JAVA_TOOL_OPTIONS"] = (f"-Djavax.net.ssl.trustStore={self.store} "
                                     f"-Djavax.net.ssl.trustStorePassword={PASSWORD}")
        return told

    def _openssl(self, *words):
        _quietly(["openssl", *words])


def _key(path):
    return ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", path)


def _quietly(command):
    environment = {name: value for name, value in os.environ.items() if name != "JAVA_TOOL_OPTIONS"}
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, env=environment, timeout=60)
    if done.returncode:
        raise RuntimeError(f"{command[0]} {command[1]}: {done.stdout.strip()}")
