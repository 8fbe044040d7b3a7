"""The part of scripts/check-recipes that runs in its virtual environment."""

import argparse
import pathlib
import sys
import time

sys.dont_write_bytecode = True

from lab import machine  # noqa: E402
from lab.forward import page, verdict  # noqa: E402
from lab.forward.authority import Authority  # noqa: E402
from lab.forward.kitchen import Kitchen  # noqa: E402
from lab.forward.origin import Origin  # noqa: E402

LIMIT_SECONDS = 600
HOST = "api.example.com"


def options():
    parser = argparse.ArgumentParser(prog="check-recipes")
    parser.add_argument("binary", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--page", type=pathlib.Path, default=machine.TOP / "docs" / "recipes.md")
    parser.add_argument("titles", nargs="*", metavar="TITLE", help="of a section: only these; all when none is given")
    return parser.parse_args()


def check(chosen, directory):
    sections, complaints = page.read(chosen.page)
    titles = [section.title for section in sections]
    if unknown := [title for title in chosen.titles if title not in titles]:
        sys.exit(f"check-recipes: no such section: {', '.join(unknown)}; there are {', '.join(titles)}")
    trust = Authority(directory, "authority")
    with Origin(directory, trust, [HOST]):
        kitchen = Kitchen(chosen.binary, directory, trust.environment())
        for section in sections:
            if chosen.titles and section.title not in chosen.titles:
                # Others may need its files.
                kitchen.files |= {block.argument: block.text for block in section.blocks if block.kind == "file"}
                continue
            complaints += cook(kitchen, section)
    return complaints


def cook(kitchen, section):
    begin = time.monotonic()
    found = list(kitchen.cook(section))
    kinds = [block.kind for block in section.blocks]
    account = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
    print(f"{'WRONG' if found else 'ok':6}{section.title:32}{time.monotonic() - begin:5.1f} s  {account}", flush=True)
    return found


if __name__ == "__main__":
    chosen = options()
    sys.exit(verdict.of(lambda directory: check(chosen, directory), "check-recipes", LIMIT_SECONDS))
