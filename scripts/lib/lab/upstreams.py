"""nginx as an HTTP server of random files, and the proxies that headwind is compared with."""

import hashlib
import os
import pathlib
import shutil

from .machine import free_ports, has_ipv6
from .process import Child

# No master process: one process id, no change of user, nothing outside its directory.
NGINX_COMMON = """daemon off;
master_process off;
pid nginx.pid;
error_log error.log;
events {{ worker_connections 8192; }}
"""

NGINX_HTTP = NGINX_COMMON + """http {{
  access_log off;
  client_body_temp_path temp; proxy_temp_path temp; fastcgi_temp_path temp; uwsgi_temp_path temp; scgi_temp_path temp;
  default_type application/octet-stream;
  sendfile on; tcp_nodelay on;
  keepalive_timeout 600s; keepalive_requests 1000000; send_timeout 600s;
  server {{ {listen} root files; }}
}}
"""

NGINX_STREAM = "{load}" + NGINX_COMMON + """stream {{
  server {{ listen 127.0.0.1:{port} reuseport; proxy_pass 127.0.0.1:{upstream}; tcp_nodelay on; }}
}}
"""

HAPROXY = """global
  maxconn 8192
  {threads}
defaults
  mode tcp
  timeout connect 5s
  timeout client 600s
  timeout server 600s
listen bench
  bind 127.0.0.1:{port}
  server one 127.0.0.1:{upstream}
"""

STREAM_MODULES = ("/usr/lib/nginx/modules/ngx_stream_module.so", "/usr/lib64/nginx/modules/ngx_stream_module.so")


class FileServer:
    """nginx with one file of random bytes a size, under /SIZE, on IPv4 and IPv6."""

    def __init__(self, directory, sizes):
        root = nginx_directory(directory, "http")
        (root / "files").mkdir()
        self.digests = {}
        for size in sizes:
            content = os.urandom(size)
            self.digests[size] = hashlib.sha256(content).hexdigest()
            (root / "files" / str(size)).write_bytes(content)
        [self.port] = free_ports(1)
        listen = f"listen 127.0.0.1:{self.port};" + (f" listen [::1]:{self.port};" if has_ipv6() else "")
        (root / "nginx.conf").write_text(NGINX_HTTP.format(listen=listen))
        self.child = start_nginx(root)

    def __enter__(self):
        self.child.wait_for_port(self.port)
        return self

    def __exit__(self, *_):
        self.child.stop()


class Peer:
    """A proxy to compare with: `name`, the `port` that it listens on and its `pid`."""

    def __init__(self, name, port, child, start_seconds=10):
        self.name, self.port, self.child, self.pid = name, port, child, child.pid
        try:
            child.wait_for_port(port, start_seconds)
        except BaseException:
            child.stop()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.stop()


def haproxy(directory, upstream, threads=None):
    """HAProxy in TCP mode with its default tuning (so many threads as there are cores, unless said), or None when it is
    not installed."""
    if not shutil.which("haproxy"):
        return None
    [port] = free_ports(1)
    config = directory / "haproxy.cfg"
    config.write_text(HAPROXY.format(port=port, upstream=upstream, threads=f"nbthread {threads}" if threads else ""))
    return Peer("haproxy", port, Child(["haproxy", "-db", "-q", "-f", config], directory / "haproxy.log"))


def _stream_module():
    return next((path for path in STREAM_MODULES if pathlib.Path(path).exists()), None)


def has_nginx_stream():
    built_in = shutil.which("brew")  # Homebrew's nginx has the module inside
    return bool(shutil.which("nginx") and (_stream_module() or built_in))


def nginx_stream(directory, upstream):
    """nginx with its stream module, or None when either is not installed."""
    if not has_nginx_stream():
        return None
    module = _stream_module()
    [port] = free_ports(1)
    root = nginx_directory(directory, "stream")
    load = f"load_module {module};\n" if module else ""
    (root / "nginx.conf").write_text(NGINX_STREAM.format(load=load, port=port, upstream=upstream))
    return Peer("nginx stream", port, start_nginx(root))


def nginx_directory(directory, name):
    root = directory / f"nginx-{name}"
    (root / "temp").mkdir(parents=True)
    return root


def start_nginx(root):
    return Child(["nginx", "-p", root, "-c", root / "nginx.conf", "-e", root / "error.log"], root / "output.log")
