"""State of a fitted ``Janus``: its model, the sampling plans of recent requests, and the seeds of its samples."""

from __future__ import annotations

from typing import Any

import numpy as np

from janus_synth.errors import NotFittedError
from janus_synth.janus.arguments import Seed, make_seed
from janus_synth.model import Model
from janus_synth.rules import Rule
from janus_synth.sampling import Glance, Plan, plan_for

MAX_PLANS = 8
"""Sampling plans that a model caches, one per request."""


class Fitted:
    """What the methods of a `Janus` share once it is fitted."""

    model_: Model
    n_jobs: int | None
    random_state: Any

    def _model(self) -> Model:
        if not hasattr(self, "model_"):
            raise NotFittedError("this Janus has not seen data yet. Call fit(df) first, or Janus.load(path).")
        return self.model_

    def _reset(self) -> None:
        """Reset the state that belongs to the previous model."""
        self._n_sampled = 0
        self._has_warned = False
        self._plans: dict[tuple[Rule, ...], Plan] = {}
        self._glance = Glance(self._model())

    def _plan(self, wanted: tuple[Rule, ...], *, glance: bool = True) -> Plan:
        """Return the sampling plan for some conditions; the last few are cached. ``glance`` as for `plan_for`."""
        if wanted not in self._plans:
            while len(self._plans) >= MAX_PLANS:
                del self._plans[next(iter(self._plans))]
            self._plans[wanted] = plan_for(self._model(), wanted, glance=glance, seen=self._glance)
        return self._plans[wanted]

    def _sample_seed(self, random_state: Seed) -> int:
        if random_state is not None:
            return make_seed(random_state)
        if not isinstance(self.random_state, int | np.integer):
            return make_seed(self.random_state)
        self._n_sampled += 1
        own = np.random.SeedSequence([int(self.random_state), self._n_sampled])
        return int(own.generate_state(1, np.uint64)[0])
