"""docs/reliability.md: what a run of scripts/endure came to, as tables."""

from .. import machine, report, sanitized
from .trial import DESCRIPTORS, EXIT_STATUS, REPORTS

PAGE = machine.TOP / "docs" / "reliability.md"
COMMON = (DESCRIPTORS, EXIT_STATUS, REPORTS)


def scenarios(outcomes):
    """A row a scenario: what was done, and what became of it."""
    return report.table(["scenario", "what was done", "held", "survived", "lost", "s", ""],
                        [_row(outcome) for outcome in outcomes])


def _row(outcome):
    said = outcome.problem.strip().splitlines()
    return [outcome.name, outcome.done or "–", outcome.held or "–", outcome.survived or (said[-1] if said else "–"),
            outcome.lost_text, f"{outcome.seconds:.0f}", "passed" if outcome.is_kept else "FAILED"]


def figures(outcomes):
    """A row a figure that was held against a bound. What every daemon is asked, and all kept, is a row for all of them."""
    checks = [(outcome.name, check) for outcome in outcomes for check in outcome.checks]
    common = [figure for figure in COMMON if all(check.is_kept for _, check in checks if check.figure == figure)]
    rows = [["all", figure, "as before" if figure == DESCRIPTORS else "0",
             f"in all {sum(check.figure == figure for _, check in checks)} daemons", report.verdict(True)]
            for figure in common if any(check.figure == figure for _, check in checks)]
    rows += [[name, check.figure, check.bound, check.measured, report.verdict(check.is_kept)]
             for name, check in checks if check.figure not in common]
    return report.table(["scenario", "figure", "bound", "measured", ""], rows)


def verdicts(outcomes):
    """The short form, for a sanitizer's run: times say nothing there."""
    return report.table(["scenario", "survived", "lost", "reports", "s", ""], [
        [outcome.name, outcome.survived or "–", outcome.lost_text, _reports(outcome), f"{outcome.seconds:.0f}",
         "passed" if outcome.is_kept else "FAILED"] for outcome in outcomes])


def _reports(outcome):
    found = [int(check.measured) for check in outcome.checks if check.figure == REPORTS]
    return sum(found) if found else "–"


def summary(outcomes, chosen, load):
    failed = [outcome.name for outcome in outcomes if not outcome.is_kept]
    sanitizer = f", with {sanitized.NAMES[chosen.sanitize]}" if chosen.sanitize else ""
    form = "short form" if chosen.short else "whole"
    return (f"{len(outcomes) - len(failed)} of {len(outcomes)} scenarios passed ({form}{sanitizer}), in "
            f"{sum(outcome.seconds for outcome in outcomes):.0f} s, on {machine.today()}. Load at the start {load}. "
            f"{machine.describe()} at the end." + (f" FAILED: {', '.join(failed)}." if failed else ""))


def write(outcomes, chosen, line):
    name = chosen.sanitize or "plain"
    tables = verdicts(outcomes) if chosen.sanitize else f"{scenarios(outcomes)}\n\n{figures(outcomes)}"
    report.replace_block(PAGE, f"{line}\n\n{tables}", f"endure-{name}")
