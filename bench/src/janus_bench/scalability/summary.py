"""Timings by part, method and size, their growth exponents, and the paper's figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from janus_bench.grids import mean_of
from janus_bench.scalability.run import Failure
from janus_bench.scalability.trial import Point

if TYPE_CHECKING:
    from janus_bench.results import Result


PAPER = "in the paper"


class PaperFigures(NamedTuple):
    """The paper's figures for a size: seconds of fit and sample, their spread, and a score."""

    seconds: float
    spread: float
    score: float


PAPER_SIZES = {
    5: PaperFigures(10.1, 3.4, 0.920),
    10: PaperFigures(21.1, 5.2, 0.836),
    30: PaperFigures(70.4, 39.6, 0.958),
}
PAPER_EXPONENT = 1.08


@dataclass(frozen=True, slots=True)
class ScalabilitySummary:
    """Points by part, method and size."""

    points: Sequence[Point]
    failures: Sequence[Failure]

    @classmethod
    def of(cls, result: Result) -> Self:
        """Sort the records of a result."""
        points = [Point(**fields) for fields in result.fields("point")]
        return cls(points, [Failure(**fields) for fields in result.fields("failure")])

    def part(self, *parts: str) -> ScalabilitySummary:
        """The points of some parts."""
        return ScalabilitySummary([point for point in self.points if point.part in parts], ())

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


def exponent(sizes: Sequence[float], times: Sequence[float]) -> float | None:
    """Slope of log time on log size, by least squares; None where fewer than two sizes were measured.

    Examples
    --------
    >>> round(exponent([5, 10, 30], [10.1, 21.1, 70.4]), 2)
    1.08
    """
    if len(set(sizes)) < 2:
        return None
    x, y = np.log(np.asarray(sizes, dtype=np.float64)), np.log(np.asarray(times, dtype=np.float64))
    x = x - x.mean()
    return float(x @ y / (x @ x))


def last_step(sizes: Sequence[float], times: Sequence[float]) -> float | None:
    """The same slope over the two largest sizes alone: where a curve bends, it is the better forecast.

    Examples
    --------
    >>> last_step([1, 10, 100], [1.0, 1.0, 100.0])
    2.0
    """
    largest = sorted(set(sizes))[-2:]
    chosen = [(size, time) for size, time in zip(sizes, times, strict=True) if size in largest]
    return exponent([size for size, _ in chosen], [time for _, time in chosen])
