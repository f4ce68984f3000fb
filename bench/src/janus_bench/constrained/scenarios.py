"""The scenarios of the benchmark: choices from a command line in, a list of `Scenario` out.

A model is a number of columns and a seed; a scenario is a model with a kind of condition and a rarity. These four
determine everything else, so a scenario is reproducible anywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from janus_bench.constrained.calibrate import KINDS, RARITIES, Kind, Rarity, random_condition
from janus_bench.constrained.conditions import Condition
from janus_bench.models.random_sem import ModelKey
from janus_bench.models.sem import Sem
from janus_bench.options import choose

N_TRAIN = 5_000

FULL_MODELS: Mapping[int, int] = {5: 5, 10: 9, 30: 8}
"""Models per number of columns: 5 · 23 + 9 · 24 + 8 · 24 = 523 scenarios, as many as the paper has.

Each model has conditions of four kinds at six rarities. Models of five columns have only two columns that equality
conditions apply to, too few for a probability of 0.001 %, so they have 23 scenarios instead of 24.
"""
QUICK_MODELS: Mapping[int, int] = {5: 1, 10: 1}
QUICK_RARITIES = ("hard", "joint 1 %", "joint 0.1 %", "joint 0.001 %")


@dataclass(frozen=True, slots=True)
class Scenario:
    """One condition on one structural model.

    Examples
    --------
    >>> scenario = Scenario(ModelKey(5, 0), "range", "medium")
    >>> str(scenario)
    '5 columns, model 0, range, medium'
    """

    model: ModelKey
    kind: Kind
    rarity: str

    @property
    def target(self) -> Rarity:
        """Target probability, and the number of comparisons."""
        return RARITIES[self.rarity]

    def rng(self, purpose: int) -> np.random.Generator:
        """A random generator for this scenario and purpose."""
        place = (KINDS.index(self.kind), list(RARITIES).index(self.rarity))
        return np.random.default_rng([*self.model, *place, purpose])

    def condition(self, sem: Sem) -> Condition:
        """The condition, calibrated on the true model."""
        return random_condition(sem, self.kind, self.target, self.rng(0))

    def __str__(self) -> str:
        return f"{self.model.n_nodes} columns, model {self.model.seed}, {self.kind}, {self.rarity}"


def scenarios_of(
    models: Mapping[int, int],
    kinds: Iterable[Kind] = KINDS,
    rarities: Iterable[str] = tuple(RARITIES),
) -> list[Scenario]:
    """Every kind at every rarity on each model; ``models`` maps numbers of columns to numbers of models.

    Examples
    --------
    >>> len(scenarios_of(FULL_MODELS))
    523
    """
    kinds, rarities = tuple(kinds), tuple(rarities)
    keys = [ModelKey(n_nodes, seed) for n_nodes, n_models in models.items() for seed in range(n_models)]
    return [
        Scenario(key, kind, rarity)
        for key in keys
        for rarity in rarities
        for kind in kinds
        if not (key.n_nodes < 10 and kind == "equality" and RARITIES[rarity].target < 1e-4)
    ]


def chosen_scenarios(
    *,
    quick: bool = False,
    seeds: int | None = None,
    nodes: Sequence[str] | None = None,
    kinds: Sequence[str] | None = None,
    rarities: Sequence[str] | None = None,
) -> list[Scenario]:
    """The full or the quick grid, restricted to the given choices.

    Parameters
    ----------
    quick : bool
        Start from the quick grid.
    seeds : int, optional
        Models of each size; by default all of the grid.
    nodes, kinds, rarities : sequence of str, optional
        Words of a command line; ``0.1%`` is ``joint 0.1 %``.

    Examples
    --------
    >>> len(chosen_scenarios(seeds=1, nodes=["10"], kinds=["mixed"], rarities=["hard", "0.1%"]))
    2
    """
    grid = QUICK_MODELS if quick else FULL_MODELS
    sizes = list(grid) if nodes is None else [int(size) for size in choose(nodes, map(str, FULL_MODELS), "size")]
    models = {size: (grid.get(size, 1) if seeds is None else seeds) for size in sizes}
    short = {_short(name): name for name in RARITIES}
    default = QUICK_RARITIES if quick else tuple(RARITIES)
    return scenarios_of(
        models,
        [kind for kind in KINDS if kind in choose(kinds, KINDS, "kind")],
        default if rarities is None else [short[word] for word in choose([*map(_short, rarities)], short, "rarity")],
    )


def _short(rarity: str) -> str:
    """How a command line spells a rarity: ``0.1%`` is ``joint 0.1 %``."""
    return rarity.replace("joint", "").replace(" ", "")
