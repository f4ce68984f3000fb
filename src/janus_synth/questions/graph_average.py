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
from janus_synth.model import Model, read_rows
from janus_synth.questions.adjustment import Pairs, adjustment_set, causal_columns
from janus_synth.questions.effect import N_POSTERIOR_DRAWS, Effect, average_effect
from janus_synth.questions.effect_from_rows import effect_from_rows
from janus_synth.questions.interventional_means import read_outcome
from janus_synth.questions.prediction import code_probabilities
from janus_synth.rules import Where, as_rules, bind, judge
from janus_synth.sampling import Estimate
from janus_synth.sampling.intervals import half_width
from janus_synth.table import Table
from janus_synth.trees import GrowthSettings
from janus_synth.trees.cells import coarse_tree, sum_codes
from janus_synth.trees.leaves import entropy_of

MIN_UNITS = 2_000
"""Least number of simulated units for each graph."""
NO_EFFECT = (False, ("",))
"""Stands for all graphs in which the treatment comes after the outcome."""


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
    return _mixed(found[0], found, np.array(graphs.weights), level)


def rows_effect_over_graphs(
    model: Model,
    frame: Any,
    treatment: str,
    outcome: str,
    values: Sequence[Any],
    where: Where = None,
    *,
    level: float,
    seed: int,
    confounded: Pairs = (),
) -> Effect:
    """Effects from rows by all graphs of a model, mixed by their weights; arguments as `effect_from_rows`.

    Graphs that adjust for the same columns have the same answer, which is estimated once. In a graph in which the
    treatment comes after the outcome it has no effect.
    """
    graphs = model.graphs
    assert graphs is not None
    measured = read_outcome(model, outcome).columns
    answers: dict[tuple[bool, tuple[str, ...]], Effect] = {}
    weights: dict[tuple[bool, tuple[str, ...]], float] = {}
    for number, weight in enumerate(graphs.weights):
        one = model.with_graph(number)
        after = bool(set(measured) & set(one.dag.ancestors(treatment)))
        changes = not after and bool(causal_columns(one.dag, treatment, measured))
        adjusted = () if after else adjustment_set(one.dag, treatment, measured, confounded=confounded)
        key = (changes, adjusted) if not after else NO_EFFECT
        weights[key] = weights.get(key, 0.0) + float(weight)
        if not after and key not in answers:
            answers[key] = effect_from_rows(
                one, frame, treatment, outcome, values, where, level=level, seed=seed, confounded=confounded
            )
    if not answers:  # in no graph is there an effect: the first one says why
        one = model.with_graph(0)
        return effect_from_rows(one, frame, treatment, outcome, values, where, level=level, seed=seed)
    likeliest = answers[max(answers, key=lambda key: weights[key])]
    none = unaffected(model, frame, outcome, where, likeliest)
    found = [answers.get(key, none) for key in weights]
    return _mixed(likeliest, found, np.array(list(weights.values())), level)


def unaffected(model: Model, frame: Any, outcome: str, where: Where, like: Effect) -> Effect:
    """The answer if the treatment changes nothing: the mean outcome of all rows, whatever the treatment is set to."""
    measured, rules = read_outcome(model, outcome), [bind(rule, model.schema) for rule in as_rules(where)]
    names = dict.fromkeys([*measured.columns, *(name for rule in rules for name in rule.columns)])
    table = read_rows(model, frame, columns=tuple(names))
    kept = ~np.isnan(outcomes := measured.measure(table))
    for rule in rules:
        kept &= judge(rule, table)
    known = outcomes[kept]
    half = half_width(like.level, len(known) - 1) * float(known.std(ddof=1) / np.sqrt(len(known)))
    mean, nothing = float(known.mean()), Estimate(0.0, 0.0, 0.0)
    n = len(like.values)
    return replace(like, means=(Estimate(mean, mean - half, mean + half),) * n, effects=(nothing,) * n)


def _mixed(like: Effect, found: Sequence[Effect], weights: Floats, level: float) -> Effect:
    """An effect like one of several, with the mixture of their means and effects."""
    places = range(len(like.values))
    means = [mix_estimates([one.means[i] for one in found], weights, level) for i in places]
    effects = [mix_estimates([one.effects[i] for one in found], weights, level) for i in places]
    return replace(
        like,
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
    quantile = half_width(level, N_POSTERIOR_DRAWS - 1)
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
