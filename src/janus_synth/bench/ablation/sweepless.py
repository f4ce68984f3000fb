"""JANUS without Gibbs sweeps: rows of the forward pass, picked by their weights and left as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from janus_synth.bench.ours import JanusSynthesizer
from janus_synth.errors import InfeasibleError

if TYPE_CHECKING:
    import pandas as pd

    from janus_synth.inference import Plan


class SweeplessJanus(JanusSynthesizer):
    """Answers conditions as JANUS does, from the same plan and the same pieces, but for the last step.

    `Janus.sample` always sweeps where weights differ, so the steps before are taken here one by one.

    Examples
    --------
    >>> from janus_synth import datasets
    >>> method = SweeplessJanus().fit(datasets.hiring(300, random_state=0), seed=0)
    >>> bool((method.sample(20, seed=1, where="age >= 40")["age"] >= 40).all())
    True
    """

    def __init__(self, name: str = "JANUS without sweeps", **arguments: Any) -> None:
        super().__init__(name, **arguments)
        self._plans: dict[str, Plan] = {}

    def sample(self, n: int, *, seed: int, where: str | None = None, **request: Any) -> pd.DataFrame:
        """Draw rows; without a condition those of JANUS."""
        if where is None:
            return super().sample(n, seed=seed, **request)
        from janus_synth.inference.conditional import LEAST_PARTICLES, finish
        from janus_synth.inference.filtering import run_forward
        from janus_synth.table import write_table

        plan, rng = self._plan(where), np.random.default_rng(seed)
        rows = run_forward(plan.request, plan.lookahead, max(n, LEAST_PARTICLES), rng)
        if not rows.weights().any():
            raise InfeasibleError(
                f"the forward pass found no row with '{where}'. Ask for rows of JANUS, which sweeps on from a witness."
            )
        columns = finish(plan.request, rows.take(rows.drawn_rows(n, rng)), rng)
        found: pd.DataFrame = write_table(columns, plan.request.model.schema, n_rows=n, rng=rng)
        return found

    def _plan(self, where: str) -> Plan:
        """A plan per condition, kept as JANUS keeps its own."""
        from janus_synth.inference import plan_for

        if where not in self._plans:
            self._plans[where] = plan_for(self._fitted().model_, where)
        return self._plans[where]
