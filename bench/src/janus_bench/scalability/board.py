"""Records to points by part, method and size, and to means over them, beside what the paper tells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Self

from janus_bench.means import mean_of
from janus_bench.scalability.run import Failure
from janus_bench.scalability.trial import Point

if TYPE_CHECKING:
    from janus_bench.results import Result

PAPER = "in the paper"


class Told(NamedTuple):
    """What the paper tells of a size: seconds of fit and sample, their spread, and a score."""

    seconds: float
    spread: float
    score: float


PAPER_SIZES = {5: Told(10.1, 3.4, 0.920), 10: Told(21.1, 5.2, 0.836), 30: Told(70.4, 39.6, 0.958)}
PAPER_EXPONENT = 1.08


@dataclass(frozen=True, slots=True)
class Board:
    """Points by part, method and size."""

    points: Sequence[Point]
    failures: Sequence[Failure]

    @classmethod
    def of(cls, result: Result) -> Self:
        """Sort the records of a result."""
        points = [Point(**fields) for fields in result.fields("point")]
        return cls(points, [Failure(**fields) for fields in result.fields("failure")])

    def part(self, *parts: str) -> Board:
        """The points of some parts."""
        return Board([point for point in self.points if point.part in parts], ())

    def methods(self) -> list[str]:
        """In the order of the run."""
        return list(dict.fromkeys(point.method for point in self.points))

    def at(self, method: str, *, n_columns: int | None = None, n_rows: int | None = None) -> list[Point]:
        """Points of a method, at a size if one is given."""
        return [
            point
            for point in self.points
            if point.method == method and n_columns in (None, point.n_columns) and n_rows in (None, point.n_rows)
        ]


def cpu_ratio(points: Sequence[Point], rivals: Sequence[Point]) -> float | None:
    """Mean over seeds of the CPU seconds of a method over the rival's on the same rows."""
    theirs = {rival.seed: rival.cpu for rival in rivals}
    pairs = [(point.cpu, theirs.get(point.seed)) for point in points]
    return mean_of(ours / other for ours, other in pairs if ours is not None and other)
