"""Answers averaged over a set of graphs: a model with several graphs in; effects and predictions that mix them out.

With weights w and answers m that each have a posterior variance s², the mixture has the mean m̄ = Σ w m and, by the law
of total variance, the variance Σ w s² + Σ w (m − m̄)²: finite-sample uncertainty within graphs, and structural
uncertainty between them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from janus_synth.arrays import Floats
from janus_synth.model import Model
from janus_synth.questions.adjustment import Pairs
from janus_synth.questions.effect import N_POSTERIOR_DRAWS, Effect, average_effect
from janus_synth.questions.prediction import code_probabilities
from janus_synth.rules import Where
from janus_synth.sampling import Estimate
from janus_synth.table import Table
from janus_synth.trees import GrowthSettings
from janus_synth.trees.cells import coarse_tree, sum_codes
from janus_synth.trees.leaves import entropy_of

MIN_UNITS = 2_000
"""Least number of simulated units for each graph."""


def effect_over_graphs(
    model: Model,
    treatment: str,
    outcome: str,
    values: Sequence[Any],
    where: Where = None,
    *,
    n: int,
    level: float,
    seed: int,
    growth: GrowthSettings | None = None,
    confounded: Pairs = (),
    n_jobs: int | None = None,
    on_draw: Callable[[int], None] | None = None,
) -> Effect:
    """Average treatment effects of all graphs of a model, mixed by their weights; arguments as `average_effect`."""
    graphs = model.graphs
    assert graphs is not None
    each = min(n, max(MIN_UNITS, n // len(graphs.dags)))
    found = [
        average_effect(
            model.with_graph(number), treatment, outcome, values, where,
            n=each, level=level, seed=seed, growth=growth, confounded=confounded, allow_none=True, n_jobs=n_jobs,
            on_draw=on_draw,
        )
        for number in range(len(graphs.dags))
    ]  # fmt: skip
    weights = np.array(graphs.weights)
    means = [mix_estimates([one.means[i] for one in found], weights, level) for i in range(len(values))]
    effects = [mix_estimates([one.effects[i] for one in found], weights, level) for i in range(len(values))]
    return replace(
        found[0],
        means=tuple(mean for mean, _ in means),
        effects=tuple(effect for effect, _ in effects),
        structural=tuple(share for _, share in effects),
    )


def mix_estimates(estimates: Sequence[Estimate], weights: Floats, level: float) -> tuple[Estimate, float]:
    """Mixture of estimates with symmetric intervals, and the share of its variance that lies between them.

    Examples
    --------
    >>> one, other = Estimate(0.0, -1.0, 1.0), Estimate(2.0, 1.0, 3.0)
    >>> both, between = mix_estimates([one, other], np.array([0.5, 0.5]), 0.95)
    >>> both.value, both.low < -1.0, between > 0.5
    (1.0, True, True)
    """
    from scipy import stats

    quantile = float(stats.t.ppf(0.5 + level / 2, N_POSTERIOR_DRAWS - 1))
    value = np.array([estimate.value for estimate in estimates])
    spread = np.array([(estimate.high - estimate.low) / 2 for estimate in estimates]) / quantile
    mean = float(weights @ value)
    within, between = float(weights @ spread**2), float(weights @ (value - mean) ** 2)
    total = within + between
    half = quantile * float(np.sqrt(total))
    return Estimate(mean, mean - half, mean + half), between / total if total > 0 else 0.0


def structural_uncertainty(model: Model, table: Table, target: str, *, n_jobs: int | None = None) -> Floats:
    """(rows,) mutual information of a cell and the graph, given all other cells of the row, in nats.

    It is the entropy of the mixture of the graphs' predictions minus their mean entropy (Jensen–Shannon divergence).
    Predictions use all other columns, not only parents: Markov equivalent graphs have different parents, but with
    enough rows the same predictions.
    """
    if model.graphs is None:
        return np.zeros(table.n_rows)
    cells = coarse_tree(model.bag(target).leaves.tree)[1]
    mixture, expected = np.zeros((table.n_rows, int(cells.max()) + 1)), np.zeros(table.n_rows)
    for number, weight in enumerate(model.graphs.weights):
        by_code = code_probabilities(model.with_graph(number), table, target, n_jobs=n_jobs)
        shares = sum_codes(by_code, cells)
        mixture += weight * shares
        expected += weight * entropy_of(shares)
    return np.maximum(entropy_of(mixture) - expected, 0.0)
