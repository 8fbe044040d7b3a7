"""echo_server.py PORT: a WebSocket server that sends back what comes."""

import sys

from websockets.sync.server import serve


def echo(connection):
    for message in connection:
        connection.send(message)


with serve(echo, "127.0.0.1", int(sys.argv[1])) as server:
    server.serve_forever()
