"""docs/fidelity.md: what was measured, as tables."""

from .. import machine, report
from . import figures

PAGE = machine.TOP / "docs" / "fidelity.md"
PICTURE = machine.TOP / "docs" / "fidelity.svg"


def value_text(metric, value):
    """Times in their unit; fairness is a number."""
    return f"{value:.3f}" if metric == "jain" else report.time_text(value / 1000)


def ratio_text(ratio):
    return f"{ratio:.3f}" if ratio < 10 else f"{ratio:.0f}"


def summary(contestants):
    """One row a bar for the first contestant, the others beside it, and what else tells how near they are."""
    first, *others = contestants
    rows = [[bar.words, bar.limit, f"{bar.shown}{'' if bar.is_met else ' MISSED'}"] for bar in first.bars]
    rows += [[words, "–", shown] for words, shown in _further(first)]
    for other in others:
        for row, shown in zip(rows, [bar.shown for bar in other.bars] + [shown for _, shown in _further(other)]):
            row.append(shown)
    return report.table(["", "bar", *(contestant.name for contestant in contestants)], rows)


def _further(contestant):
    """(words, what is shown) of what has no bar."""
    rows = contestant.figures
    yield "95th percentiles within 10 %", _tails_near(rows)
    yield "distributions that can't be told from the truth", _like_truth(rows)
    for bar in contestant.bars_without if len(figures.without_handshake(rows)) < len(rows) else ():
        yield f"{bar.words}, without `{figures.HANDSHAKE_SHOWS_IN[0]}`", bar.shown


def _tails_near(rows):
    return f"{100 * figures.share(rows, lambda row: figures.is_within(row.p95_ratio, 0.1)):.0f} %"


def _like_truth(rows):
    return f"{100 * figures.share(rows, lambda row: row.distance <= row.noise):.0f} %"


def off(contestant):
    """The first contestant's figures whose median is further off than 5 %, worst first."""
    rows = [row for row in contestant.figures if not figures.is_within(row.median_ratio, 0.05)]
    rows.sort(key=lambda row: max(row.median_ratio, 1 / max(row.median_ratio, 1e-4)), reverse=True)
    if not rows:
        return "None."
    header = ["link", "workload", "figure", "truth", contestant.name, "ratio", "KS~", "KS.05"]
    return report.table(header, [
        [row.link, row.workload, row.metric, value_text(row.metric, row.truth_median),
         value_text(row.metric, row.median), ratio_text(row.median_ratio), f"{row.distance:.2f}", f"{row.noise:.2f}"]
        for row in rows])


def cells(contestants, links):
    """A table for each link."""
    parts = []
    for link in dict.fromkeys(row.link for row in contestants[0].figures):
        note = links[link].get("note")
        parts.append(f"### {link}" + (f"\n\n{note[0].upper()}{note[1:]}." if note else ""))
        parts.append(_cells_of_link(contestants, link))
    return "\n\n".join(parts)


def _cells_of_link(contestants, link):
    first, *others = contestants
    beside = [{row.key: row for row in other.figures} for other in others]
    ratios = ["ratio", *(f"{other.name}, ratio" for other in others)]
    header = ["workload", "figure", "n", "truth", first.name, *ratios, "truth p95", f"{first.name} p95", *ratios]
    rows = []
    for row in first.figures:
        if row.link != link:
            continue
        found = [other.get(row.key) for other in beside]
        rows.append([row.workload, row.metric, row.samples,
                     value_text(row.metric, row.truth_median), value_text(row.metric, row.median),
                     ratio_text(row.median_ratio), *(ratio_text(one.median_ratio) if one else "–" for one in found),
                     value_text(row.metric, row.truth_p95), value_text(row.metric, row.p95),
                     ratio_text(row.p95_ratio), *(ratio_text(one.p95_ratio) if one else "–" for one in found)])
    return report.table(header, rows)


def write(blocks):
    """Puts each block between its marks in the page; the prose around them is the authors'."""
    for name, text in blocks.items():
        report.replace_block(PAGE, text, name)
