"""Methods of ``Janus`` for rows in a mix of the user's choice, and for rows of a table of conditions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from janus_synth.janus.arguments import Seed
from janus_synth.model import Model, write_rows
from janus_synth.progress import progress_bar
from janus_synth.rules import Rule, Where, as_rules
from janus_synth.sampling import Mix, Plan, Sources, Wish, draw_mix, plan_for, read_axes, read_keys, read_means


class RequestMethods:
    """Mixes of rows, drawn from a fitted `Janus`."""

    n_jobs: int | None

    def _model(self) -> Model:
        raise NotImplementedError

    def _plan(self, wanted: tuple[Rule, ...], *, glance: bool = True) -> Plan:
        raise NotImplementedError

    def _sample_seed(self, random_state: Seed) -> int:
        raise NotImplementedError

    def _sample_mix(
        self,
        n: int,
        where: Where,
        mix: Sequence[Any],
        *,
        verify: bool | None,
        random_state: Seed,
        progress: bool | None,
    ) -> tuple[Any, Mix]:
        """Draw rows with given shares, balanced columns, means and keys; returns a report, too."""
        model = self._model()
        shares, balance, means, unique = mix
        wish = Wish(read_axes(shares, balance, model), read_means(means, model), read_keys(unique, model))
        seed = self._sample_seed(random_state)
        sources = Sources(model, as_rules(where), self._plans_of(as_rules(where)), seed, self.n_jobs, verify)
        with progress_bar("drawing rows", None, shown=progress):
            rows, report = draw_mix(sources, wish, n)
        return write_rows(model, rows, rng=np.random.default_rng(seed)), report

    def _plans_of(self, where: tuple[Rule, ...]) -> Any:
        """Plans of a mix; only the one for the request itself is kept for later."""
        made: dict[tuple[Rule, ...], Plan] = {}

        def plan_of(wanted: tuple[Rule, ...]) -> Plan:
            if wanted == where:
                return self._plan(wanted)
            if wanted not in made:
                made[wanted] = plan_for(self._model(), wanted)
            return made[wanted]

        return plan_of
