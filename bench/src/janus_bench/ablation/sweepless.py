"""JANUS without Gibbs sweeps: rows of the forward pass, picked by their weights and left as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from janus_bench.ours import JanusSynthesizer

if TYPE_CHECKING:
    import pandas as pd

    from janus_synth.sampling import Plan


class SweeplessJanus(JanusSynthesizer):
    """Answers conditions as JANUS does, from the same plan and the same pieces, but for the last step.

    `Janus.sample` always sweeps where weights differ, so the sampler below it is asked not to.

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
        from janus_synth.sampling import sample_conditional
        from janus_synth.table import write_table

        plan = self._plan(where)
        columns = sample_conditional(plan, n, seed=seed, sweeps=False)
        found: pd.DataFrame = write_table(columns, plan.request.model.schema, n_rows=n, rng=np.random.default_rng(seed))
        return found

    def _plan(self, where: str) -> Plan:
        """A plan per condition, kept as JANUS keeps its own."""
        from janus_synth.sampling import plan_for

        if where not in self._plans:
            self._plans[where] = plan_for(self._fitted().model_, where)
        return self._plans[where]
