"""Group the records of a fairness result for tables and charts, and format figures as text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from janus_bench.fairness.records import Alarm, Pay, Stage, Trial
from janus_bench.grids import NOTHING, decimals, mean_of

if TYPE_CHECKING:
    from janus_bench.results import Result


@dataclass(frozen=True, slots=True, eq=False)
class FairnessSummary:
    """Records of a run, grouped by kind.

    ``stages`` has a column ``disadvantage``: the share of its favourable outcomes that the group lost.
    """

    table: str
    options: dict[str, Any]
    trials: Sequence[Trial]
    stages: pd.DataFrame
    alarms: pd.DataFrame
    pays: pd.DataFrame

    @classmethod
    def of(cls, result: Result) -> FairnessSummary:
        """Sort the records of a result."""
        trials = [dict(record) for record in result.records if record["record"] == "trial"]
        stages = result.frame(Stage)
        return cls(
            table=result.options["table"],
            options=dict(result.options),
            trials=[Trial(**{name: trial[name] for name in trial if name != "record"}) for trial in trials],
            stages=stages.assign(disadvantage=1 - stages["rate_biased"] / stages["rate_fair"]),
            alarms=result.frame(Alarm),
            pays=result.frame(Pay),
        )

    def cases(self, part: str) -> list[tuple[str, float]]:
        """Cases and magnitudes of a part, in the order of the run."""
        return list(dict.fromkeys((trial.case, trial.magnitude) for trial in self.trials if trial.part == part))

    def names(self, part: str) -> list[str]:
        """Algorithms of a part, in the order of the run."""
        return list(dict.fromkeys(trial.algorithm for trial in self.trials if trial.part == part))

    def seeds(self, part: str, case: str, magnitude: float, name: str) -> Audits:
        """The audits of one algorithm in one case, a seed each."""
        wanted = (part, case, magnitude, name)
        return Audits([t for t in self.trials if (t.part, t.case, t.magnitude, t.algorithm) == wanted])

    @property
    def stage_means(self) -> pd.DataFrame:
        """Means over seeds, a row per setting, stage and outcome."""
        return self.stages.groupby(["setting", "stage", "outcome"], sort=False).mean(numeric_only=True)

    @property
    def pay_means(self) -> pd.DataFrame:
        """Means over seeds, a row per rule and origin of rows."""
        return self.pays.groupby(["rule", "origin"], sort=False).mean(numeric_only=True)


@dataclass(frozen=True, slots=True)
class Audits:
    """Audits that differ by their seed alone; figures are means over them."""

    trials: Sequence[Trial]

    def __bool__(self) -> bool:
        return bool(self.trials)

    def mean(self, of: Callable[[Trial], float | None]) -> float:
        """Mean of a figure over the audits that have it; NaN if none has."""
        return mean_of(pd.Series([of(trial) for trial in self.trials], dtype=float))

    def gap(self, name: str, kind: str = "gap", end: str = "value") -> float:
        """Mean of an estimate, or of an end of its interval; ``main`` and ``decided`` mean the gaps the audit names."""
        return self.mean(lambda trial: _named(trial, name).get(kind, {}).get(end))

    def half(self, name: str) -> float:
        """Half the width of the mean interval of a gap."""
        return (self.gap(name, end="high") - self.gap(name, end="low")) / 2

    def figure(self, name: str, key: str) -> float:
        """Mean of a plain figure of a gap, such as ``planted``."""
        return self.mean(lambda trial: _named(trial, name).get(key))

    def span(self, name: str, kind: str = "gap") -> str:
        """An estimate with its interval, as text."""
        value, low, high = (self.gap(name, kind, end) for end in ("value", "low", "high"))
        if low != low:
            return decimals(value, sign=True)
        return f"{decimals(value, sign=True)} ({decimals(low, sign=True)} to {decimals(high, sign=True)})"

    def count(self, holds: Callable[[Trial], bool]) -> int:
        """Number of audits for which ``holds`` is true."""
        return sum(map(holds, self.trials))

    def count_text(self, holds: Callable[[Trial], bool]) -> str:
        """The same as text: yes or no for one audit, a count for several."""
        n, k = len(self.trials), self.count(holds)
        return NOTHING if not n else ("yes" if k else "no") if n == 1 else f"{k} of {n}"

    def mostly(self, holds: Callable[[Trial], bool]) -> bool:
        """Whether ``holds`` is true for more than half of the audits."""
        return self.count(holds) > len(self.trials) / 2


def is_found(name: str) -> Callable[[Trial], bool]:
    """Return a function that says whether an audit finds the planted bias in this gap."""
    return lambda trial: bool(_named(trial, name).get("found"))


def _named(trial: Trial, name: str) -> Any:
    own = {"main": trial.main, "decided": trial.decided}
    return trial.gaps.get(own.get(name, name), {})
