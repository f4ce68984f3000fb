"""Records of a run sorted for tables and pictures, and figures as text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING, Any

from janus_bench.fairness.records import Alarm, Failure, Pay, Stage, Trial
from janus_bench.grids import NOTHING, decimals, mean_of

if TYPE_CHECKING:
    from janus_bench.results import Result


@dataclass(frozen=True, slots=True, eq=False)
class FairnessSummary:
    """Records of a run by kind."""

    table: str
    options: dict[str, Any]
    trials: Sequence[Trial]
    stages: Sequence[Stage]
    alarms: Sequence[Alarm]
    pays: Sequence[Pay]
    failures: Sequence[Failure]

    @classmethod
    def of(cls, result: Result) -> FairnessSummary:
        """Sort the records of a result."""
        return cls(
            table=result.options["table"],
            options=dict(result.options),
            trials=[Trial(**fields) for fields in result.fields("trial")],
            stages=[Stage(**fields) for fields in result.fields("stage")],
            alarms=[Alarm(**fields) for fields in result.fields("alarm")],
            pays=[Pay(**fields) for fields in result.fields("pay")],
            failures=[Failure(**fields) for fields in result.fields("failure")],
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

    def staged(self, setting: str, stage: int) -> list[Stage]:
        """A stage of the pipeline under a setting, seed by seed."""
        return [found for found in self.stages if (found.setting, found.stage) == (setting, stage)]


@dataclass(frozen=True, slots=True)
class Audits:
    """Audits that differ by their seed alone; figures are means over them."""

    trials: Sequence[Trial]

    def __bool__(self) -> bool:
        return bool(self.trials)

    def mean(self, of: Callable[[Trial], float | None]) -> float:
        """Mean of a figure; NaN without any."""
        return mean([of(trial) for trial in self.trials])

    def gap(self, name: str, kind: str = "gap", end: str = "value") -> float:
        """Mean of an estimate, or of an end of its interval; ``main`` and ``decided`` stand for the audit's own."""
        return self.mean(lambda trial: _named(trial, name).get(kind, {}).get(end))

    def half(self, name: str) -> float:
        """Half of the mean interval of a gap."""
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
        """Of how many audits something is true."""
        return sum(map(holds, self.trials))

    def count_text(self, holds: Callable[[Trial], bool]) -> str:
        """The same as text: yes or no of one, a count of several."""
        n, k = len(self.trials), self.count(holds)
        return NOTHING if not n else ("yes" if k else "no") if n == 1 else f"{k} of {n}"

    def mostly(self, holds: Callable[[Trial], bool]) -> bool:
        """Whether it is true of more than half."""
        return self.count(holds) > len(self.trials) / 2


def is_found(name: str) -> Callable[[Trial], bool]:
    """Whether the planted bias shows in a gap."""
    return lambda trial: bool(_named(trial, name).get("found"))


def _named(trial: Trial, name: str) -> Any:
    own = {"main": trial.main, "decided": trial.decided}
    return trial.gaps.get(own.get(name, name), {})


def mean(values: Sequence[float | None]) -> float:
    """Mean of what is known; NaN if nothing is."""
    found = mean_of(values)
    return nan if found is None else found


def percent(value: float, digits: int = 1) -> str:
    """A share in percent; a dash where there is none.

    Examples
    --------
    >>> percent(0.1234), percent(float("nan"))
    ('12.3 %', '–')
    """
    return NOTHING if value != value else f"{decimals(100 * value, digits)} %"


def times(value: float) -> str:
    """A ratio.

    Examples
    --------
    >>> times(1.512), times(15.3)
    ('1.51 ×', '15 ×')
    """
    return NOTHING if value != value else f"{decimals(value, 0 if value >= 10 else 2)} ×"
