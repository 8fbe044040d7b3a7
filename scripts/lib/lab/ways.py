"""Ways for a connection to a server: straight, or through a forward proxy by CONNECT or SOCKS5."""

import socket


class Refused(Exception):
    """The proxy doesn't connect; its own words."""


def hello(way, target):
    """What a client says first; it may say what is for the server right behind that."""
    host, port = target
    if way == "connect":
        return f"CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode()
    if way == "socks":
        # Version 5 with one method, "no authentication"; then CONNECT to a name, which may be an address as text.
        name = host.encode()
        return b"\x05\x01\x00" + b"\x05\x01\x00\x03" + bytes([len(name)]) + name + port.to_bytes(2, "big")
    return b""


def behind_answer(way, said):
    """What comes behind the proxy's answer, which `said` begins with; None while that isn't whole."""
    if way == "connect":
        head, end, rest = said.partition(b"\r\n\r\n")
        if not end:
            return None
        if head.split(b" ", 2)[1] != b"200":
            raise Refused(said.decode(errors="replace"))
        return rest
    if way == "socks":
        if len(said) < 4:
            return None
        if said[1] != 0 or said[3] != 0:
            raise Refused(f"SOCKS: {said.hex(' ')}")
        length = 2 + 4 + (16 if said[5:6] == b"\x04" else 4) + 2
        return said[length:] if len(said) >= max(6, length) else None
    return said


def connect(way, address, target):
    """A connection to `target` that goes that way over `address`."""
    connection = socket.create_connection(address, timeout=10)
    try:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.sendall(hello(way, target))
        said = b""
        while way != "tcp" and behind_answer(way, said) is None:
            piece = connection.recv(4096)
            if not piece:
                raise Refused("closed without an answer")
            said += piece
    except BaseException:
        connection.close()
        raise
    return connection
