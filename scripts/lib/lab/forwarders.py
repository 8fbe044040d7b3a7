"""Other forward proxies to compare with, in their ordinary tuning, without logs and caches."""

import shutil

from .machine import free_ports
from .process import Child
from .upstreams import NGINX_COMMON, Peer, nginx_directory, start_nginx

HAPROXY = """global
  maxconn 8192
defaults
  mode http
  timeout connect 5s
  timeout client 600s
  timeout server 600s
frontend in
  bind 127.0.0.1:{port}
  http-request set-dst url_ip
  http-request set-dst-port url_port
  default_backend out
backend out
  server where-the-url-says 0.0.0.0:0
"""

NGINX = NGINX_COMMON + """http {{
  access_log off;
  client_body_temp_path temp; proxy_temp_path temp; fastcgi_temp_path temp; uwsgi_temp_path temp; scgi_temp_path temp;
  tcp_nodelay on; keepalive_timeout 600s; keepalive_requests 1000000; proxy_max_temp_file_size 0;
  server {{
    listen 127.0.0.1:{port};
    location / {{ proxy_pass http://$http_host$request_uri; proxy_http_version 1.1; }}
  }}
}}
"""

TINYPROXY = """Port {port}
Listen 127.0.0.1
Timeout 600
MaxClients 4096
LogFile "{directory}/tinyproxy-own.log"
LogLevel Critical
"""

SQUID = """http_port 127.0.0.1:{port}
http_access allow localhost
http_access deny all
pid_filename none
access_log none
cache_log /dev/null
cache_store_log none
netdb_filename none
cache deny all
cache_mem 0 MB
shutdown_lifetime 0 seconds
visible_hostname localhost
coredump_dir /tmp
"""


def haproxy(directory):
    return _start("haproxy", directory, HAPROXY, lambda config: ["haproxy", "-db", "-q", "-f", config])


def tinyproxy(directory):
    return _start("tinyproxy", directory, TINYPROXY, lambda config: ["tinyproxy", "-d", "-c", config])


def squid(directory):
    return _start("squid", directory, SQUID, lambda config: ["squid", "-N", "-f", config])


def nginx(directory):
    if not shutil.which("nginx"):
        return None
    [port] = free_ports(1)
    root = nginx_directory(directory, "forward")
    (root / "nginx.conf").write_text(NGINX.format(port=port))
    return Peer("nginx", port, start_nginx(root))


def _start(name, directory, template, command):
    """None where it isn't installed."""
    if not shutil.which(name):
        return None
    [port] = free_ports(1)
    config = directory / f"{name}-forward.conf"
    config.write_text(template.format(port=port, directory=directory))
    return Peer(name, port, Child(command(config), directory / f"{name}-forward.log"))
