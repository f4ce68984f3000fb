"""Records of a run on uncertainty sorted for tables and pictures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import TYPE_CHECKING

from janus_bench.grids import NOTHING
from janus_bench.uncertainty.experiments import TRUTH, Detection, Disturbance, Growth
from janus_bench.uncertainty.methods import DROPOUT

if TYPE_CHECKING:
    from janus_bench.results import Result


@dataclass(frozen=True, slots=True, eq=False)
class UncertaintySummary:
    """Records of a run by method."""

    methods: Sequence[str]
    absent: Sequence[str]
    detections: Sequence[Detection]
    growths: Sequence[Growth]
    disturbances: Sequence[Disturbance]

    @classmethod
    def of(cls, result: Result) -> UncertaintySummary:
        """Sort the records of a result."""
        return cls(
            methods=result.options["methods"],
            absent=[record["method"] for record in result.records if record["record"] == "absent"],
            detections=[Detection(**fields) for fields in result.fields("detection")],
            growths=[Growth(**fields) for fields in result.fields("growth")],
            disturbances=[Disturbance(**fields) for fields in result.fields("disturbance")],
        )

    def detected(self, method: str) -> list[Detection]:
        """What a method said of noisy clouds, seed by seed."""
        return [found for found in self.detections if found.method == method]

    def curve(self, table: str, method: str) -> dict[int, float]:
        """Mean epistemic uncertainty over the seeds, by training size."""
        sizes: dict[int, list[float]] = {}
        for found in self.growths:
            if (found.table, found.method) == (table, method):
                sizes.setdefault(found.n_train, []).append(found.epistemic)
        return {n: fmean(sizes[n]) for n in sorted(sizes)}

    def rows(self, cells: Callable[[str], list[str] | None], width: int, *, truth: bool = False) -> list[list[str]]:
        """A row per method; one without cells says why."""
        found = []
        for name in [*([TRUTH] if truth else []), *self.methods]:
            shown = cells(name)
            why = "not installed" if name in self.absent else "failed"
            found.append([name, *(shown if shown is not None else [why, *[NOTHING] * (width - 1)])])
        return found


def speed_to_dropout(summary: UncertaintySummary, method: str) -> float | None:
    """How many times as fast as MC dropout a method answers: the middle of the seeds."""
    theirs = {found.seed: found.middle for found in summary.detected(DROPOUT)}
    pairs = [(theirs.get(found.seed), found.middle) for found in summary.detected(method)]
    ratios = [slow / fast for slow, fast in pairs if slow and fast]
    return median(ratios) if ratios else None
