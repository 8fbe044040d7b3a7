"""A picture of all ratios: a dot a figure, a row a link, medians beside 95th percentiles, on a logarithmic axis."""

import html
import math

WIDTH, LEFT, RIGHT, GAP, TOP = 960, 112, 20, 30, 92
LANE, PADDING = 13, 10
COLOURS = ("#0072b2", "#d55e00", "#7f7f7f")
INK, FAINT, BAND, INNER_BAND = "#222222", "#dddddd", "#eef3ee", "#d5e6d5"
TICKS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
PANELS = (("Medians", "median_ratio"), ("95th percentiles", "p95_ratio"))


class Axis:
    """Logarithmic, from one tick to another one."""

    def __init__(self, low, high, left, width):
        self.low = max(tick for tick in TICKS if tick <= max(low, TICKS[0]))
        self.high = min(tick for tick in TICKS if tick >= min(high, TICKS[-1]))
        self.left, self.width = left, width

    def at(self, ratio):
        ratio = min(max(ratio, self.low), self.high)
        return self.left + self.width * math.log(ratio / self.low) / math.log(self.high / self.low)

    @property
    def ticks(self):
        return [tick for tick in TICKS if self.low <= tick <= self.high]


def text(x, y, words, size=12, anchor="start", weight="normal", fill=INK):
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" font-weight="{weight}" '
            f'fill="{fill}">{html.escape(words)}</text>')


def rectangle(x, y, width, height, fill):
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{fill}"/>'


def line(x1, y1, x2, y2, stroke, width=1):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{stroke}" stroke-width="{width}"/>'


def draw(contestants, title):
    """SVG. `contestants` have a name and figures; the first one is in front."""
    links = list(dict.fromkeys(row.link for row in contestants[0].figures))
    row_height = LANE * len(contestants) + PADDING
    bottom = TOP + row_height * len(links)
    height = bottom + 62
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        'font-family="Helvetica, Arial, sans-serif" role="img">',
        f"<title>{html.escape(title)}</title>",
        rectangle(0, 0, WIDTH, height, "#ffffff"),
        text(LEFT, 26, title, 17, weight="bold"),
        *_legend(contestants),
        *(text(LEFT - 10, TOP + row_height * (index + 0.5) + 4, link, 12, "end") for index, link in enumerate(links)),
    ]
    width = (WIDTH - LEFT - RIGHT - GAP) / len(PANELS)
    ratios = [getattr(row, key) for one in contestants for row in one.figures for _, key in PANELS]
    for number, (words, key) in enumerate(PANELS):
        axis = Axis(min(ratios), max(ratios), LEFT + number * (width + GAP), width)
        parts += _panel(axis, words, links, row_height, bottom)
        parts += _dots(axis, contestants, links, row_height, key)
    parts.append(text(LEFT + (WIDTH - LEFT - RIGHT) / 2, bottom + 46,
                      "measured through the proxy / measured over real TCP (1 = equal; logarithmic)", 12, "middle"))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _legend(contestants):
    x = LEFT
    for colour, contestant in zip(COLOURS, contestants):
        yield f'<circle cx="{x + 5}" cy="46" r="4" fill="{colour}"/>'
        yield text(x + 15, 50, contestant.name)
        x += 30 + 7 * len(contestant.name)
    for colour, words in ((INNER_BAND, "within 5 %"), (BAND, "within 20 %")):
        yield rectangle(x, 40, 14, 12, colour)
        yield text(x + 20, 50, words)
        x += 105


def _panel(axis, words, links, row_height, bottom):
    yield text(axis.left + axis.width / 2, TOP - 12, words, 13, "middle", "bold")
    for share, colour in ((0.2, BAND), (0.05, INNER_BAND)):
        low, high = axis.at(1 - share), axis.at(1 + share)
        yield rectangle(low, TOP, high - low, bottom - TOP, colour)
    for tick in axis.ticks:
        x = axis.at(tick)
        yield line(x, TOP, x, bottom, INK if tick == 1 else FAINT)
        yield text(x, bottom + 17, f"{tick:g}", 11, "middle")
    for index in range(len(links) + 1):
        y = TOP + index * row_height
        yield line(axis.left, y, axis.left + axis.width, y, FAINT)


def _dots(axis, contestants, links, row_height, key):
    for lane, (colour, contestant) in enumerate(zip(COLOURS, contestants)):
        yield f'<g fill="{colour}" fill-opacity="0.55">'
        for row in contestant.figures:
            y = TOP + links.index(row.link) * row_height + PADDING / 2 + LANE * (lane + 0.5)
            yield (f'<circle cx="{axis.at(getattr(row, key)):.1f}" cy="{y:.1f}" r="3.5">'
                   f"<title>{html.escape(row.name)}: {getattr(row, key):.3g}</title></circle>")
        yield "</g>"
