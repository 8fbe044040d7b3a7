"""What a case is: a few steps against one server, and words for what was seen."""

from dataclasses import dataclass, field
from typing import Callable


@dataclass
class Seen:
    """What a case saw, in words, and whether that is what headwind has to do."""

    words: str
    is_right: bool
    is_skipped: bool = False


def skipped(why):
    """Of a case that this machine has not what it takes for."""
    return Seen(f"not tried: {why}", is_right=True, is_skipped=True)


@dataclass(frozen=True)
class Case:
    name: str
    title: str
    run: Callable  # of a `Contestant`, to `Seen`


@dataclass
class Group:
    """Cases that share a table. Their names are unique over all groups."""

    name: str
    summary: str
    cases: list = field(default_factory=list)

    def case(self, name, title):
        """Makes the function below a case."""

        def add(run):
            self.cases.append(Case(name, title, run))
            return run

        return add
