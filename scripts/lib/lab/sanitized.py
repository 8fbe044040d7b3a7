"""Release builds under a sanitizer, each in a place of its own so that the ordinary one stays."""

import os
import subprocess
import sys

from . import machine

NAMES = {"address": "AddressSanitizer", "thread": "ThreadSanitizer"}
BUILD_SECONDS = 2_400
# AddressSanitizer's search for leaks takes Swift's side tables for lost. ThreadSanitizer's reports make the exit status 66; what
# isn't so is suppressed by a file with the reasons.
OPTIONS = {"address": ("ASAN_OPTIONS", "detect_leaks=0:quarantine_size_mb=64"),
           "thread": ("TSAN_OPTIONS", f"halt_on_error=0:suppressions={machine.LIB / 'thread.supp'}")}
# It keeps freed memory back, so that resident memory says little: what counts is how much was allocated and not freed at the
# end, which it tells there, on standard error, however long that takes.
COUNTING = ":atexit=1:print_stats=1"


def binary(kind, counts_memory=False):
    """Builds it where sources have changed, and sets what the sanitizer is told by way of the environment."""
    place = machine.TOP / ".build" / kind
    machine.say(f"building with {NAMES[kind]} (the first time takes some minutes)")
    command = ["swift", "build", "--package-path", machine.TOP, "--scratch-path", place, "-c", "release",
               f"--sanitize={kind}", "--product", "headwind"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=BUILD_SECONDS)
    if done.returncode:
        sys.exit(f"the build failed:\n{done.stdout[-4000:]}")
    name, value = OPTIONS[kind]
    os.environ.setdefault(name, value + COUNTING if counts_memory and kind == "address" else value)
    return place / "release" / "headwind"
