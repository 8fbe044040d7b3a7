"""A picture of headwind beside the others: a panel for each figure, a bar for each contestant, its range on it."""

import html
from dataclasses import dataclass

from ..report import rate_text
from . import field, latency, memory, requests, rounds, throughput

COLUMNS, WIDTH, MARGIN, GAP, TOP = 2, 960, 20, 36, 84
NAMES, VALUES = 170, 76  # widths left and right of the bars
ROW, HEAD, PADDING = 19, 34, 18
# Light, and dark for viewers that ask for it; either on a ground of its own, so that it can be read on any page.
LIGHT = {".ground": "#ffffff", ".ink": "#1f2328", ".soft": "#59636e", ".own": "#0072b2", ".other": "#9fb0bf",
         ".more": "#d5dde4", ".none": "#e3c98f", ".range": "#1f2328", ".base": "#c8d0d8"}
DARK = {".ground": "#0d1117", ".ink": "#e6edf3", ".soft": "#9198a1", ".own": "#58a6ff", ".other": "#57687a",
        ".more": "#34404c", ".none": "#7d6a3c", ".range": "#e6edf3", ".base": "#3d444d"}
LEGEND = (("own", "headwind"), ("other", "one thread, as headwind (toxiproxy as it comes)"),
          ("more", "as many threads as cores"), ("none", "no proxy"))


@dataclass(frozen=True)
class Panel:
    title: str
    show: object
    bars: list  # (name, lowest, median, highest)


def panels(results):
    """Of what was measured."""
    plain = (
        ("throughput", throughput.label(1, throughput.DOWN), "value", "One connection, server to client", rate_text),
        ("throughput", throughput.label(1, throughput.UP), "value", "One connection, client to server", rate_text),
        ("throughput", throughput.label(8, throughput.DOWN), "value", "Eight connections, server to client", rate_text),
        ("throughput", throughput.label(8, throughput.UP), "value", "Eight connections, client to server", rate_text),
        ("throughput", throughput.label(1, throughput.DOWN), "cpu_seconds_per_gigabyte",
         "Processor time for a gigabyte (less is better)", lambda value: f"{value:.2f} s"),
        ("requests", requests.label(64), "value", "Small requests a second, 64 connections", _count),
        ("connections", requests.CLOSING, "value", "New connections a second", _count),
    )
    found = [_panel(results.get(item), what, key, title, show) for item, what, key, title, show in plain]
    if results.get("latency"):
        added = {"cells": results["latency"]["added"]}
        found += [_panel(added, name, "value", f"Added round trip, {name} (less is better)", latency.microseconds)
                  for name in latency.SHARES]
    found.append(_panel(results.get("memory"), memory.IDLE, "value", "Memory of an idle session (less is better)",
                        memory.size))
    return [panel for panel in found if panel]


def _count(value):
    return f"{value:,.0f}"


def _panel(data, what, key, title, show):
    cells = data["cells"] if data else []
    found = {who: rounds.values(cells, what, who, key) for who in rounds.names(cells)}
    bars = [(who, min(values), rounds.median(values), max(values)) for who, values in found.items() if values]
    return Panel(title, show, bars) if bars else None


def draw(results):
    """SVG."""
    parts, y = [], TOP
    row = panels(results)
    width = (WIDTH - 2 * MARGIN - GAP * (COLUMNS - 1)) / COLUMNS
    for begin in range(0, len(row), COLUMNS):
        side_by_side = row[begin:begin + COLUMNS]
        for column, panel in enumerate(side_by_side):
            parts += _drawn(panel, MARGIN + column * (width + GAP), y, width)
        y += HEAD + ROW * max(len(panel.bars) for panel in side_by_side) + PADDING
    title = "Headwind and other proxies"
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}" width="{WIDTH}" height="{y}" '
        'font-family="Helvetica, Arial, sans-serif" role="img">',
        f"<title>{title}</title>",
        f"<style>{_rules(LIGHT)} @media (prefers-color-scheme: dark) {{ {_rules(DARK)} }}</style>",
        f'<rect class="ground" width="{WIDTH}" height="{y}" rx="6"/>',
        _text(MARGIN, 30, f"{title}: medians, and the range of all rounds", 17, weight="bold"),
        *_legend(), *parts, "</svg>"]) + "\n"


def _rules(colours):
    return " ".join(f"{name} {{ {'stroke' if name in ('.range', '.base') else 'fill'}: {colour} }}"
                    for name, colour in colours.items())


def _legend():
    x = MARGIN
    for style, words in LEGEND:
        yield f'<rect class="{style}" x="{x}" y="47" width="14" height="12"/>'
        yield _text(x + 20, 57.5, words, style="soft")
        x += 20 + round(6.2 * len(words)) + 22


def _drawn(panel, left, top, width):
    yield _text(left, top + 16, panel.title, 14, weight="bold")
    begin, room = left + NAMES, width - NAMES - VALUES
    most = max(high for *_, high in panel.bars) or 1
    for index, (name, low, middle, high) in enumerate(panel.bars):
        y = top + HEAD + ROW * index
        at = [begin + room * max(0, value) / most for value in (low, middle, high)]
        bold = "bold" if name.startswith(field.HEADWIND) else "normal"
        yield _text(begin - 8, y + 8, _short(name), 12, "end", bold)
        yield (f'<rect class="{_style(name)}" x="{begin:.1f}" y="{y - 3:.1f}" width="{max(1, at[1] - begin):.1f}" '
               f'height="{ROW - 6}"/>')
        yield _line("range", at[0], y + 3.5, at[2], y + 3.5)
        yield _text(left + width, y + 8, panel.show(middle), 12, "end", bold)
    end = top + HEAD + ROW * len(panel.bars)
    yield _line("base", begin, top + HEAD - 6, begin, end - 4)


def _line(style, x1, y1, x2, y2):
    return f'<line class="{style}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke-width="1.5"/>'


def _short(name):
    return name.replace("its default threads", "all threads")


def _style(name):
    if name == field.NO_PROXY:
        return "none"
    if name.startswith(field.HEADWIND):
        return "own"
    return "other" if field.is_fair(name) else "more"


def _text(x, y, words, size=12, anchor="start", weight="normal", style="ink"):
    return (f'<text class="{style}" x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" '
            f'font-weight="{weight}">{html.escape(words)}</text>')
