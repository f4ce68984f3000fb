"""Equal treatment within rows: how often a rule such as ``offered >= requested`` holds in real and generated rows."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np

from janus_synth.arrays import Bools
from janus_synth.errors import BiasError
from janus_synth.fairness.bound_bias import group_rule
from janus_synth.janus import Janus
from janus_synth.janus.arguments import Seed, check_integer, make_seed
from janus_synth.rules import Rule, as_rule, holds
from janus_synth.table import plain_frame

MAX_DRAWS_PER_ROW = 1_000
"""Rows that rejection draws per requested row before it gives up."""


@dataclass(frozen=True, slots=True)
class Treatment:
    """How rows of one origin are treated.

    ``satisfied`` is the share of rows that satisfy the rule among those where it is not null, ``gap`` that share among
    the privileged minus that among the others, ``tries`` the number of rows drawn per row kept.
    """

    origin: str
    n: int
    satisfied: float
    gap: float
    tries: float
    seconds: float


@dataclass(frozen=True, slots=True)
class EqualTreatment:
    """Treatment of real rows, unconditional rows, rows sampled given the rule, and rows filtered by rejection."""

    rule: str
    protected: str
    rows: tuple[Treatment, ...]

    def to_frame(self, kind: str = "pandas") -> Any:
        """A frame with a row per origin."""
        names = ("origin", "n", "satisfied", "gap", "tries", "seconds")
        columns = {name: np.array([getattr(row, name) for row in self.rows]) for name in names}
        return plain_frame({**columns, "origin": columns["origin"].astype(object)}, kind)

    def __str__(self) -> str:
        lines = [f"{self.rule}: share of rows that satisfy it, and the gap by {self.protected}"]
        for row in self.rows:
            tries = "" if np.isnan(row.tries) else f", {row.tries:.2f} rows drawn per row, {row.seconds:.2f} s"
            lines.append(f"  {row.origin}: {row.satisfied:.1%}, gap {row.gap:+.1%}{tries}")
        return "\n".join(lines)


def equal_treatment(
    model: Janus,
    frame: Any,
    rule: str | Rule,
    protected: str,
    privileged: Any,
    *,
    n: int = 10_000,
    random_state: Seed = 0,
) -> EqualTreatment:
    """Compare how often a rule holds, and its gap between groups, in real and in generated rows.

    Generated rows are unconditional, sampled given the rule, or unconditional rows filtered by rejection.

    Parameters
    ----------
    model : Janus
        A fitted model.
    frame : DataFrame
        Real rows to compare with.
    rule : str or Rule
        Equal treatment within a row, such as ``"offered_salary >= requested_salary"``.
    protected, privileged
        As for `Bias`.
    n : int
        Number of rows to generate.
    random_state : int or Generator, optional
        The same seed gives the same rows.

    Returns
    -------
    EqualTreatment
        ``rows`` has an entry for each origin.

    Examples
    --------
    >>> from janus_synth import Janus, datasets
    >>> rows = datasets.hiring(1_000, random_state=0)
    >>> model = Janus(random_state=0).fit(rows)
    >>> found = equal_treatment(model, rows, "offered_salary >= requested_salary", "sex", "male", n=1_000)
    >>> found.rows[2].satisfied, found.rows[2].gap
    (1.0, 0.0)
    """
    n, wanted, seed = check_integer("n", n, low=1), as_rule(rule), make_seed(random_state)
    group = group_rule(model.model_, protected, privileged)
    model.sample(1, where=wanted, random_state=seed)  # plan before the clock starts

    def judged(origin: str, rows: Any, tries: float, seconds: float) -> Treatment:
        return _judge_rows(origin, rows, wanted, group, tries, seconds)

    free, of_free = _measure_time(lambda: model.sample(n, random_state=seed))
    kept, of_kept = _measure_time(lambda: model.sample(n, where=wanted, random_state=seed))
    (rejected, drawn), of_rejected = _measure_time(lambda: _by_rejection(model, wanted, n, seed))
    return EqualTreatment(
        str(wanted),
        protected,
        (
            judged("real rows", frame, float("nan"), float("nan")),
            judged("JANUS, free", free, 1.0, of_free),
            judged("JANUS, rule kept", kept, 1.0, of_kept),
            judged("JANUS and rejection", rejected, drawn / n, of_rejected),
        ),
    )


def _measure_time(work: Callable[[], Any]) -> tuple[Any, float]:
    start = time.perf_counter()
    return work(), time.perf_counter() - start


def _by_rejection(model: Janus, rule: Rule, n: int, seed: int) -> tuple[Any, int]:
    """Draw rows until enough satisfy the rule; also return how many were drawn."""
    pieces, n_kept, drawn = [], 0, 0
    while n_kept < n:
        if drawn > MAX_DRAWS_PER_ROW * n:
            raise BiasError(f"rejection drew {drawn:,} rows for '{rule}' and accepted {n_kept:,}; it gave up.")
        seed += 1
        piece = nw.from_native(model.sample(n, random_state=seed), eager_only=True)
        mask = holds(rule, piece.to_native())
        pieces.append(piece.filter(mask.tolist()))
        n_kept, drawn = n_kept + int(mask.sum()), drawn + n
    return nw.concat(pieces).head(n).to_native(), drawn


def _judge_rows(origin: str, frame: Any, rule: Rule, group: Rule, tries: float, seconds: float) -> Treatment:
    kept, broken = holds(rule, frame), holds(~rule, frame)
    says = kept | broken
    first, others = holds(group, frame) & says, holds(~group, frame) & says
    return Treatment(origin, len(kept), _share(kept, says), _share(kept, first) - _share(kept, others), tries, seconds)


def _share(of: Bools, among: Bools) -> float:
    return float(of[among].mean()) if among.any() else float("nan")
