"""docs/recipes.md as a list of sections with the blocks in them, and what is to be done with each."""

import re
from dataclasses import dataclass, field

MARK = re.compile(r"<!-- (run|prints|file|github|gitlab|compose|kubernetes)(?:: (\S+))? -->")
FENCE = re.compile(r"```(\w*)")
NOT_RUN = "Not run here"


@dataclass
class Block:
    """`kind` as the mark before it says; "shown" for one that is not run, and says so above it."""

    kind: str
    argument: str
    language: str
    line: int
    text: str


@dataclass
class Section:
    title: str
    blocks: list[Block] = field(default_factory=list)


def read(path):
    """(sections, complaints about the page itself)"""
    sections, complaints = [], []
    mark, is_excused, fence = None, False, None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if fence:
            if line == "```":
                sections[-1].blocks.append(fence)
                fence = None
            else:
                fence.text += line + "\n"
        elif opening := FENCE.fullmatch(line):
            if not mark and not is_excused:
                complaints.append(f"line {number}: a block that is not run, and nothing says why")
            kind, argument = mark.groups() if mark else ("shown", None)
            fence, mark = Block(kind, argument or "", opening.group(1), number, ""), None
        elif line.startswith("## "):
            sections.append(Section(line[3:]))
            is_excused = False
        elif found := MARK.fullmatch(line):
            mark = found
        elif line.startswith("<!--"):
            complaints.append(f"line {number}: {line} is no mark that is known")
        is_excused = is_excused or NOT_RUN in line
    return sections, complaints


def missing_line(expected, printed):
    """The first line of `expected` that `printed` does not have in this order; 0.5 stands for any such number."""
    lines = iter(printed.splitlines())
    for wanted in expected.splitlines():
        pattern = re.compile(re.sub(r"\d+\\\.\d+", r"\\d+\\.\\d+", re.escape(wanted)))
        if not any(pattern.fullmatch(line) for line in lines):
            return wanted
    return None
