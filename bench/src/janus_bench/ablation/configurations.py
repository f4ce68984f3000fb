"""The configurations of the ablation: JANUS and the paper's configuration, each with one part removed or replaced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from janus_bench.constrained.asking import Ask, natively, reject
from janus_bench.options import choose
from janus_bench.ours import GIVEN, JanusSynthesizer

if TYPE_CHECKING:
    import pandas as pd

    from janus_bench.models.sem import Sem
    from janus_synth.sampling import Plan


class SweeplessJanus(JanusSynthesizer):
    """JANUS without Gibbs sweeps: conditional rows from the same plan and particles, without the last step.

    `Janus.sample` always sweeps where weights differ, so this class calls `sample_conditional` with ``sweeps=False``.

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
        """Draw rows; without a condition exactly as JANUS does."""
        if where is None:
            return super().sample(n, seed=seed, **request)
        from janus_synth.sampling import sample_conditional
        from janus_synth.table import write_table

        plan = self._plan(where)
        table = sample_conditional(plan, n, seed=seed, sweeps=False)
        found: pd.DataFrame = write_table(table, rng=np.random.default_rng(seed))
        return found

    def _plan(self, where: str) -> Plan:
        """The plan of a condition, cached as `Janus` caches its own."""
        from janus_synth.sampling import plan_for

        if where not in self._plans:
            self._plans[where] = plan_for(self._fitted().model_, where)
        return self._plans[where]


POINT = 1e-6
"""The smallest ``prior_strength`` that `Janus` accepts: leaf probabilities are almost exactly relative frequencies."""
COARSE = {"leaves": "histogram", "n_bins": 50, "equal_mass": True, "within": "uniform"}
"""Arguments of `Janus` for the paper's leaves and bins."""


class Figures(NamedTuple):
    """The paper's scores for a configuration."""

    final: float
    csr: float


@dataclass(frozen=True, slots=True)
class Configuration:
    """One configuration, a row of the report's table.

    Attributes
    ----------
    key, name : str
        Its name on the command line, and in reports.
    base : str
        Key of its baseline; its own key for a baseline.
    arguments : mapping
        Arguments of `Janus` that differ from those of the base.
    ask : callable
        How rows under a condition are requested.
    sweeps : bool
        Whether Gibbs sweeps follow after rows are drawn.
    paper : Figures, optional
        The paper's figures for the same change.
    """

    key: str
    name: str
    base: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    ask: Ask = field(default_factory=natively)
    sweeps: bool = True
    paper: Figures | None = None

    @property
    def from_paper(self) -> bool:
        """Whether its baseline is the paper's configuration instead of our defaults."""
        return self.base == "paper"

    @property
    def all_arguments(self) -> dict[str, Any]:
        """Arguments of `Janus`, including those of the base."""
        start = JanusSynthesizer.paper().arguments if self.from_paper else {}
        return {**start, **self.arguments}

    @property
    def fitted_as(self) -> str:
        """Key of the first configuration with the same fit; the two differ at most in how rows are requested.

        Examples
        --------
        >>> CONFIGURATIONS["greedy"].fitted_as
        'janus'
        """
        mine = (self.base, self.arguments, self.sweeps)
        return next(one.key for one in _ALL if (one.base, one.arguments, one.sweeps) == mine)

    def make(self, sem: Sem) -> JanusSynthesizer:
        """The unfitted synthesizer; it gets the true graph if ``structure`` is "given"."""
        arguments = self.all_arguments
        if arguments.get("structure") == GIVEN:
            arguments["structure"] = [list(edge) for edge in sem.edges]
        return (JanusSynthesizer if self.sweeps else SweeplessJanus)(self.name, **arguments)


GREEDY = natively(method="greedy")
FULL, REJECTED, NO_HYBRID, POINTS = Figures(0.931, 1.0), Figures(0.931, 1.0), Figures(0.847, 0.72), Figures(0.918, 1.0)

_ALL = (
    Configuration("janus", "JANUS", "janus", paper=FULL),
    Configuration("one-tree", "JANUS − bag (one tree)", "janus", {"n_trees": 1}),
    Configuration("flat", "JANUS − hierarchical prior (flat)", "janus", {"prior": "flat"}),
    Configuration("point", "JANUS − leaf priors (point estimates)", "janus", {"prior_strength": POINT}),
    Configuration("histogram", "JANUS − trends (histogram leaves)", "janus", {"leaves": "histogram"}),
    Configuration("coarse", "JANUS − trends, fine bins (50 even bins)", "janus", COARSE),
    Configuration("chain", "JANUS − order of its own (chain)", "janus", {"structure": "chain"}),
    Configuration("forest", "JANUS − dense graph (forest)", "janus", {"structure": "forest"}),
    Configuration("given", "JANUS + true graph", "janus", {"structure": GIVEN}),
    Configuration("no-sweeps", "JANUS − Gibbs sweeps", "janus", sweeps=False),
    Configuration("greedy", "JANUS − exactness (greedy)", "janus", ask=GREEDY),
    Configuration("reject", "JANUS − back-filling (rejection)", "janus", ask=reject, paper=REJECTED),
    Configuration("paper", "paper", "paper", ask=GREEDY, paper=FULL),
    Configuration("paper-unmixed", "paper − hybrid splitting", "paper", {"lambda_unsup": 0.0}, GREEDY, paper=NO_HYBRID),
    Configuration("paper-point", "paper − Dirichlet priors", "paper", {"prior_strength": POINT}, GREEDY, paper=POINTS),
    Configuration("paper-reject", "paper − back-filling (rejection)", "paper", ask=reject, paper=REJECTED),
    Configuration("paper-exact", "paper + exactness", "paper"),
)
CONFIGURATIONS: Mapping[str, Configuration] = {one.key: one for one in _ALL}

PAIRS: Mapping[str, str] = {
    "janus": "reject", "greedy": "reject", "paper": "paper-reject", "paper-exact": "paper-reject",
}  # fmt: skip
"""Configurations that back-fill, each with the one that uses rejection on the same fitted model."""

CANNOT = (
    (
        "Pólya evidence alone",
        "prior='flat' takes it away together with leaves that lean on the nodes above and with the price of a cut",
    ),
    (
        "the bag alone",
        "a single tree also grows on every row once, where trees of a bag grow on resamples",
    ),
    (
        "looking ahead",
        "exact back-filling has no form without it: rows without it are rejection's",
    ),
    (
        "Dirichlet priors altogether",
        f"prior_strength must be positive; the smallest it can be, {POINT:g}, stands in for point estimates",
    ),
)
"""Parts that no single argument removes, and what is measured instead."""


def configurations_named(words: Sequence[str] | None = None) -> list[Configuration]:
    """Configurations with these keys and their baselines, baselines first; by default all.

    Examples
    --------
    >>> [one.name for one in configurations_named(["one-tree"])]
    ['JANUS', 'JANUS − bag (one tree)']
    """
    chosen = choose(words, CONFIGURATIONS, "configuration")
    wanted = {key for word in chosen for key in (CONFIGURATIONS[word].base, word)}
    return [one for key, one in CONFIGURATIONS.items() if key in wanted]
