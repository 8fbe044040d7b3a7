"""Numbers as people read them, Markdown tables, JSON files and the blocks of pages that scripts write."""

import json
import statistics
import sys


def time_text(seconds):
    if seconds is None:
        return "–"
    milliseconds = seconds * 1000
    if milliseconds < 10:
        return f"{milliseconds:.2f} ms"
    return f"{milliseconds:.0f} ms" if milliseconds < 10_000 else f"{seconds:.2f} s"


def size_text(count):
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= factor:
            return f"{count / factor:.4g} {unit}"
    return f"{count:.0f} B"


def rate_text(bytes_per_second):
    return size_text(bytes_per_second) + "/s"


def table(header, rows):
    """A Markdown table whose source can be read as well: columns padded."""
    cells = [list(map(str, row)) for row in [header, *rows]]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    lines = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |" for row in cells]
    lines.insert(1, "| " + " | ".join("-" * width for width in widths) + " |")
    return "\n".join(lines)


def median(values):
    return statistics.median(values) if values else None


def percentile(values, share):
    """The smallest value that at least `share` (0...1) of the values do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, min(len(ordered) - 1, -int(-share * len(ordered) // 1) - 1))]


def verdict(held):
    return "held" if held else "MISSED"


def write_json(path, report):
    with open(path, "w") as file:
        json.dump(report, file, indent=2)
        file.write("\n")


def block(text, name):
    """What stands between the marks of that name; empty without them."""
    begin, end = marks(name)
    return text.partition(begin)[2].partition(end)[0]


def replace_block(page, text, name):
    """Puts `text` between the marks of that name in the file."""
    begin_mark, end_mark = marks(name)
    content = page.read_text() if page.exists() else ""
    before, begin, rest = content.partition(begin_mark)
    _, end, after = rest.partition(end_mark)
    if not begin or not end:
        sys.exit(f"{page.name} has no block between {begin_mark} and {end_mark}")
    page.write_text(f"{before}{begin}\n{text.strip()}\n{end}{after}")


def marks(name):
    return f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
