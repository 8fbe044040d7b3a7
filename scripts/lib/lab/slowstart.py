"""What a transfer over modelled TCP takes without loss: handshake, request, slow start, then the wire (RFC 5681)."""

import math

SEGMENT_BYTES, PACKET_BYTES = 1448, 1500
INITIAL_WINDOW = 10  # RFC 6928
WINDOW_MAX = 3_000_000 // SEGMENT_BYTES


def seconds(path, sent_bytes, received_bytes, is_new):
    """From the connect or, on an open connection whose window is as at first, from the request on."""
    round_trip = path.get("latency_ms", 0) / 1000
    up = path.get("upstream_bytes_per_second") or math.inf
    down = path.get("downstream_bytes_per_second") or math.inf
    total = round_trip * (2 if is_new else 1) + sent_bytes / up
    segments, window = math.ceil(received_bytes / SEGMENT_BYTES), INITIAL_WINDOW
    while segments > window:
        total += max(round_trip, window * PACKET_BYTES / down)
        segments -= window
        window = min(2 * window, WINDOW_MAX)
    return total + segments * PACKET_BYTES / down
