"""Equal treatment inside rows: how often ``offered >= requested`` holds in real rows, and in rows made to keep it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np

from janus_synth.arrays import Bools
from janus_synth.errors import BiasError
from janus_synth.fairness.mechanism import group_rule
from janus_synth.janus import Janus
from janus_synth.janus.arguments import Seed, seed_of, whole
from janus_synth.rules import Rule, as_rule, holds
from janus_synth.table import plain_frame

MOST_TRIES = 1_000
"""Rows drawn by rejection, per row asked for, before giving up."""


@dataclass(frozen=True, slots=True)
class Treatment:
    """How rows of one origin are treated.

    ``satisfied`` is the share of rows that keep the rule among those where it says anything, ``gap`` that share among
    the privileged less among the others, ``tries`` how many rows were drawn per row kept.
    """

    origin: str
    n: int
    satisfied: float
    gap: float
    tries: float
    seconds: float


@dataclass(frozen=True, slots=True)
class EqualTreatment:
    """Real rows, free rows, rows with the rule kept, and rows rejected until they keep it."""

    rule: str
    protected: str
    rows: tuple[Treatment, ...]

    def to_frame(self, kind: str = "pandas") -> Any:
        """A frame with a row per origin."""
        names = ("origin", "n", "satisfied", "gap", "tries", "seconds")
        columns = {name: np.array([getattr(row, name) for row in self.rows]) for name in names}
        return plain_frame({**columns, "origin": columns["origin"].astype(object)}, kind)

    def __str__(self) -> str:
        lines = [f"{self.rule}: share of rows that keep it, and the gap by {self.protected}"]
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
    """Compare how often rows keep a rule, and how differently groups fare: real, free, enforced, rejected.

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
        Rows to generate.

    Examples
    --------
    >>> from janus_synth import Janus, datasets
    >>> rows = datasets.hiring(1_000, random_state=0)
    >>> model = Janus(random_state=0).fit(rows)
    >>> found = equal_treatment(model, rows, "offered_salary >= requested_salary", "sex", "male", n=1_000)
    >>> found.rows[2].satisfied, found.rows[2].gap
    (1.0, 0.0)
    """
    n, wanted, seed = whole("n", n, low=1), as_rule(rule), seed_of(random_state)
    group = group_rule(model.model_, protected, privileged)
    model.sample(1, where=wanted, random_state=seed)  # plans and kernels are ready before the clock starts

    def judged(origin: str, rows: Any, tries: float, seconds: float) -> Treatment:
        return _judged(origin, rows, wanted, group, tries, seconds)

    free, of_free = _timed(lambda: model.sample(n, random_state=seed))
    kept, of_kept = _timed(lambda: model.sample(n, where=wanted, random_state=seed))
    (rejected, drawn), of_rejected = _timed(lambda: _by_rejection(model, wanted, n, seed))
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


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    start = time.perf_counter()
    return work(), time.perf_counter() - start


def _by_rejection(model: Janus, rule: Rule, n: int, seed: int) -> tuple[Any, int]:
    """Rows drawn and thrown away until enough keep the rule, and how many were drawn."""
    pieces, n_kept, drawn = [], 0, 0
    while n_kept < n:
        if drawn > MOST_TRIES * n:
            raise BiasError(f"rejection drew {drawn:,} rows and kept {n_kept:,} for '{rule}'; it would not end.")
        seed += 1
        piece = nw.from_native(model.sample(n, random_state=seed), eager_only=True)
        mask = holds(rule, piece.to_native())
        pieces.append(piece.filter(mask.tolist()))
        n_kept, drawn = n_kept + int(mask.sum()), drawn + n
    return nw.concat(pieces).head(n).to_native(), drawn


def _judged(origin: str, frame: Any, rule: Rule, group: Rule, tries: float, seconds: float) -> Treatment:
    kept, broken = holds(rule, frame), holds(~rule, frame)
    says = kept | broken
    first, others = holds(group, frame) & says, holds(~group, frame) & says
    return Treatment(origin, len(kept), _share(kept, says), _share(kept, first) - _share(kept, others), tries, seconds)


def _share(of: Bools, among: Bools) -> float:
    return float(of[among].mean()) if among.any() else float("nan")
