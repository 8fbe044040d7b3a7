"""What was seen as Markdown, and docs/toxiproxy.md, which shows it."""

import re

from ..machine import TOP
from ..report import block, replace_block, table
from . import (changing, commands, crashing, ending, hanging, own, populating, running, same, telling, timing)

GROUPS = [module.group for module in
          (hanging, crashing, ending, changing, populating, telling, timing, running, commands, own, same)]
PAGE = TOP / "docs" / "toxiproxy.md"
NOTICED = "## What a test suite may notice"


def of_group(cases, names, results):
    """A row for each case, a column for each contestant of `names`."""
    rows = [[f"`{case.name}`", case.title, *(results[case.name][name].words for name in names)] for case in cases]
    escaped = [[cell.replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows]
    return table(["case", "what happens", *names], escaped)


def of_commands():
    return table(["toxiproxy", "headwind"], [[f"`{pair.toxiproxy}`", f"`{pair.headwind}`"] for pair in commands.PAIRS])


def write_page(names, results, note):
    for group in GROUPS:
        replace_block(PAGE, of_group(group.cases, names, results), group.name)
    replace_block(PAGE, of_commands(), "pairs")
    replace_block(PAGE, note, "versions")


def page_complaints(results):
    """What the page says of headwind that isn't so, or leaves out."""
    text = PAGE.read_text()
    rows = {row[0].strip("`"): row[-1] for group in GROUPS for row in _rows(block(text, group.name))}
    wrong = [f"has no row for {name}" for name in results if name not in rows]
    wrong += [f"has a row for {name}, which is no case" for name in rows if name not in results]
    wrong += [f"says of {name}: {rows[name]}; seen: {seen['headwind'].words}" for name, seen in results.items()
              if name in rows and not _agree(rows[name], seen["headwind"])]
    wrong += [f"names {name}, which is neither a case nor a group" for name in sorted(_mentioned(text))
              if name not in results and name not in [group.name for group in GROUPS]]
    if block(text, "pairs").strip() != of_commands():
        wrong.append("has another table of commands")
    return [f"{PAGE.name} {what}" for what in wrong]


def _rows(text):
    """The cells of a Markdown table's rows, without its head."""
    for line in text.splitlines():
        cells = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if cells and cells[0].startswith("`"):
            yield cells


def _agree(words, seen):
    """Whether they say the same but for figures, which differ from run to run."""
    return seen.is_skipped or _masked(words) == _masked(seen.words)


def _masked(words):
    return re.sub(r"[0-9][0-9.,]*", "#", words)


def _mentioned(text):
    """Cases and groups that the page's prose names: in its commands, and in the table of what may be noticed."""
    noticed = text.partition(NOTICED)[2].partition("\n## ")[0]
    cells = " ".join(line.rstrip("| ").rpartition("|")[2] for line in noticed.splitlines())
    called = re.findall(r"scripts/compare-toxiproxy(?: --[a-z-]+)* ([a-z0-9][a-z0-9.-]*)", text)
    return set(called) | set(re.findall(r"`([^`]+)`", cells))
