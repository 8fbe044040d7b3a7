"""What runs now and how long all will still take, on standard error."""

import sys
import time

from .. import machine

# Where nobody watches a line change, one is written that often.
LOG_EVERY_SECONDS = 15


class Pace:
    def __init__(self, expected):
        """`expected`: seconds by item, in their order."""
        self.expected = dict(expected)
        self.item, self.begin, self.written = None, time.monotonic(), 0.0

    def start(self, item):
        self.item, self.begin = item, time.monotonic()
        self.written = 0.0
        self.step("starts", 0)

    def step(self, what, share):
        """`what` begins now, when that share (0...1) of the item is done."""
        text = f"{self.item}: {what}; {_words(self._left(share))} left"
        if sys.stderr.isatty():
            machine.progress(text)
        elif time.monotonic() - self.written >= LOG_EVERY_SECONDS or not self.written:
            self.written = time.monotonic()
            machine.say(text)

    def done(self):
        machine.progress("")

    def _left(self, share):
        """From the guess at first, then from what the item has taken so far."""
        items = list(self.expected)
        later = sum(self.expected[item] for item in items[items.index(self.item) + 1:])
        took = time.monotonic() - self.begin
        here = took / share * (1 - share) if share > 0.1 else self.expected[self.item] * (1 - share)
        return here + later


def _words(seconds):
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"
