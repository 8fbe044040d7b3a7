"""Where recipes are cooked: directories, environment and tools as the page takes them for granted."""

import os
import pathlib
import plistlib
import shutil
import subprocess
import sys

from .. import machine
from ..process import clean_environment
from . import manifests, page, shell

NODE_MODULES = pathlib.Path("/usr/share/nodejs")


class Kitchen:
    def __init__(self, binary, directory, trust):
        self.binary, self.directory, self.trust = binary, pathlib.Path(directory), trust
        self.tools = self.directory / "tools"
        self.tools.mkdir()
        for name in ("headwind", "toxiproxy-server"):
            self.program(name).symlink_to(binary)
        # What a program of the page finds on its PATH as "python3" has requests.
        self.python = pathlib.Path(sys.executable).parent
        self.files = {}

    def program(self, name):
        return self.tools / name

    def bare_environment(self):
        """Without headwind on the PATH: recipes that install it get it by HEADWIND, which scripts/lib/build knows."""
        environment = clean_environment() | self.trust | {"HEADWIND": str(self.binary), "PYTHONDONTWRITEBYTECODE": "1"}
        environment["GIT_CONFIG_GLOBAL"] = "/dev/null"
        environment["NODE_PATH"] = str(NODE_MODULES)
        environment["GOCACHE"] = str(machine.TOP / ".build" / "go-cache")
        environment["PATH"] = os.pathsep.join([str(self.python), os.environ["PATH"]])
        return environment

    def environment(self):
        environment = self.bare_environment()
        del environment["HEADWIND"]
        environment["PATH"] = os.pathsep.join([str(self.tools), environment["PATH"]])
        return environment

    def cook(self, section):
        """What is wrong with the section. It has a directory of its own, with all files that the page made so far."""
        place = self.directory / f"recipe-{len(list(self.directory.glob('recipe-*')))}"
        (place / "node_modules").mkdir(parents=True)
        (place / "node_modules" / "undici").symlink_to(NODE_MODULES / "undici")  # npm install undici
        for name, text in self.files.items():
            self._write(place / name, text)
        printed = ""
        for block in section.blocks:
            where = f"{section.title}, line {block.line}"
            if block.kind == "run":
                done = shell.run(block.text, place, self.environment())
                printed = done.output
                found = done.complaints()
            elif block.kind == "prints":
                line = page.missing_line(block.text, printed)
                found = [] if line is None else [f"not printed: {line}\nbut:\n{printed[-1500:]}"]
            elif block.kind == "shown":
                found = self._misspelt(block, place)
            else:
                self._write(place / block.argument, block.text)
                self.files[block.argument] = block.text
                found = manifests.check(block, place, self) if block.kind != "file" else []
            yield from (f"{where}: {text}" for text in found)

    def _write(self, path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def _misspelt(self, block, place):
        """A block that isn't run can be read at least."""
        try:
            if block.language == "sh":
                self._quietly(["bash", "-n", "-c", block.text])
            elif block.language == "xml":
                plistlib.loads(block.text.encode())
            elif block.language == "swift" and shutil.which("swiftc"):
                self._write(place / "main.swift", block.text)
                self._quietly(["swiftc", "-parse", place / "main.swift"])
        except (subprocess.CalledProcessError, ValueError) as problem:
            yield f"is misspelt: {problem} {getattr(problem, 'stdout', '')}"

    def _quietly(self, command):
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       text=True, timeout=60)
