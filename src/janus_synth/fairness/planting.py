"""Plant biases: a fitted model and biases in; rows of a fair world, the same rows biased, and a certificate out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from janus_synth import __version__
from janus_synth.arrays import Bools
from janus_synth.fairness.baselines import BASELINES, baseline_model
from janus_synth.fairness.bias import Bias, as_biases
from janus_synth.fairness.bound_bias import BoundBias, bind_bias
from janus_synth.fairness.certificate import Certificate
from janus_synth.fairness.label_flipping import Flips, differing_rows, plant_bias
from janus_synth.fairness.mediator import Mediator
from janus_synth.fairness.path_effects import BiasedWorld, BiasMechanism, order_with_biases
from janus_synth.fairness.planted import Planted
from janus_synth.fairness.records import WORLDS, EffectRecord, Rate, Record
from janus_synth.janus import Janus
from janus_synth.janus.arguments import Seed, check_choice, check_integer, make_seed
from janus_synth.janus.causal import causal_model
from janus_synth.model import Model, visible_table, write_rows
from janus_synth.progress import progress_bar
from janus_synth.rules import Rule, Where, as_rules, judge
from janus_synth.sampling import bound_rules, plan_for, sample_conditional, sample_rows
from janus_synth.table import Table, same_cells

MIN_EFFECT_UNITS = 2
"""A standard error needs two units."""


def plant(
    model: Janus,
    biases: Bias | Sequence[Bias],
    n: int = 10_000,
    *,
    where: Where = None,
    baseline: str = "fair",
    effect_units: int = 20_000,
    random_state: Seed = 0,
    progress: bool | None = None,
) -> Planted:
    """Draw rows from a fitted model with bias of known size planted in them.

    Rows are drawn from a world without the bias; then exactly the requested number of outcomes is flipped. The model's
    rules and ``where`` hold before and after. Biases are planted in the order of the graph, so that stages of a
    pipeline affect later ones; the magnitude of each counts the outcomes that earlier biases left.

    Parameters
    ----------
    model : Janus
        A fitted model; the effects are correct only if its graph is.
    biases : Bias or sequence of Bias
        What to plant. A magnitude of 0 removes the learnt bias and plants none.
    n : int
        Number of rows.
    where : str, Rule or list of them, optional
        Conditions that all rows satisfy.
    baseline : {"fair", "neutral", "learnt"}
        The world to plant in. ``"fair"``: outcomes, and mediators of biases, do not depend directly on the protected
        columns (their conditionals are averaged over them); other columns still may. ``"neutral"``: nothing depends on
        them, so that any gap is planted. ``"learnt"``: the world as it was learnt; the bias comes on top.
    effect_units : int
        Number of units to simulate effects with; 0 omits effects.
    random_state : int or Generator, optional
        The same seed gives the same table.
    progress : bool, optional
        Show a progress bar on standard error; by default only if that is a terminal.

    Returns
    -------
    Planted
        The biased rows, the same rows without bias, and a certificate.

    Raises
    ------
    BiasError
        If a bias does not fit the model or its magnitude cannot be reached.

    Examples
    --------
    >>> from janus_synth import Janus, datasets
    >>> from janus_synth.fairness import Bias, plant
    >>> rows = datasets.hiring(1_000, random_state=0)
    >>> model = Janus(structure=datasets.hiring_graph(), random_state=0).fit(rows)
    >>> planted = plant(model, Bias("sex", "male", "hired", True, 0.25), n=2_000)
    >>> record = planted.certificate.records[0]
    >>> record.n_turned == round(0.25 * record.n_eligible)
    True
    """
    several, n = as_biases(biases), check_integer("n", n, low=1, what="a number of rows")
    check_choice("baseline", baseline, BASELINES)
    effect_units = check_integer("effect_units", effect_units, low=0)
    if 0 < effect_units < MIN_EFFECT_UNITS:
        raise ValueError(f"effect_units is {effect_units}; give at least {MIN_EFFECT_UNITS}, or 0 to omit effects.")
    learnt = causal_model(model)
    bound_biases = [bind_bias(bias, learnt) for bias in several]
    order = order_with_biases(learnt.dag, bound_biases)
    bound_biases.sort(key=lambda bound: order.index(bound.bias.bites))
    world = baseline_model(learnt, [bound.bias for bound in bound_biases], baseline)
    seed = make_seed(random_state)
    wanted = as_rules(where)
    n_steps = 2 + len(bound_biases) + (len(_pairs(bound_biases)) * len(WORLDS) if effect_units else 0)
    with progress_bar("planting", n_steps, shown=progress) as advance:
        fair, reference = (_draw(model_, wanted, n, seed, model.n_jobs) for model_ in (world, learnt))
        advance(2)
        rules = bound_rules(world, wanted)
        mediators = [None if m.bias.is_direct else Mediator(world, m) for m in bound_biases]
        table, flips = fair, []
        for number, (bound, mediator) in enumerate(zip(bound_biases, mediators, strict=True)):
            flips.append(
                plant_bias(world, bound, table, rules, mediator=mediator, seed=seed + number, n_jobs=model.n_jobs)
            )
            table = flips[-1].table
            advance(1)
        planted = list(zip(bound_biases, flips, mediators, strict=True))
        mechanisms = [_as_mechanism(*one) for one in planted]
        effects = []
        if effect_units:
            for pair in _pairs(bound_biases):
                found = {}
                for name, its in (("learnt", learnt), ("fair", world), ("biased", world)):
                    own = mechanisms if name == "biased" else []
                    found[name] = _effects(its, own, pair, wanted, bound_biases, effect_units, seed)
                    advance(1)
                effects.append(EffectRecord(tuple(pair.bias.protected), pair.bias.outcome, str(pair.favourable), found))
    certificate = Certificate(
        records=tuple(_record(*one, fair) for one in planted),
        rates=tuple(_rates(bound_biases, reference, fair, table)),
        effects=tuple(effects),
        n_rows=n,
        n_turned=_n_turned(bound_biases, fair, table),
        n_changed=int(differing_rows(visible_table(learnt, fair), visible_table(learnt, table)).sum()),
        baseline=baseline,
        seed=seed,
        version=__version__,
        schema=learnt.visible_schema,
        changed=tuple(name for name in _visible_names(learnt) if not same_cells(fair[name], table[name]).all()),
        rules=tuple(map(str, learnt.all_rules)),
        where=tuple(map(str, wanted)),
        graph=learnt.dag.edges,
        graph_given=learnt.graph_given or model.trust_graph,
        features={m.bias.outcome: _features(learnt, m.bias.outcome) for m in bound_biases},
    )
    return Planted(_frame(learnt, table, seed), _frame(learnt, fair, seed), certificate)


def _draw(world: Model, wanted: Sequence[Rule], n: int, seed: int, n_jobs: int | None) -> Table:
    if wanted or world.all_rules:
        return sample_conditional(plan_for(world, wanted), n, seed=seed, n_jobs=n_jobs)
    return sample_rows(world, n, seed=seed, n_jobs=n_jobs)


def _frame(model: Model, table: Table, seed: int) -> Any:
    own = Table(model.schema, {name: table[name] for name in model.codec.names}, table.n_rows)
    return write_rows(model, own, rng=np.random.default_rng(seed))


def _pairs(bound_biases: Sequence[BoundBias]) -> list[BoundBias]:
    """One bias for every distinct pair of groups and outcome."""
    return list(
        {(m.bias.protected, str(m.privileged), m.bias.outcome, str(m.favourable)): m for m in bound_biases}.values()
    )


def _as_mechanism(bound: BoundBias, flipped: Flips, mediator: Mediator | None) -> BiasMechanism:
    """Describe a bias as it was planted as a mechanism of the world."""
    if mediator is None:
        return BiasMechanism(bound, flipped.n_turned / max(flipped.n_eligible, 1), 0, None)
    return BiasMechanism(bound, flipped.n_drawn / max(flipped.n_hit, 1), flipped.depth, mediator)


def _effects(
    world: Model,
    mechanisms: Sequence[BiasMechanism],
    pair: BoundBias,
    wanted: Sequence[Rule],
    bound_biases: Sequence[BoundBias],
    n: int,
    seed: int,
) -> dict[str, Any]:
    own = [m.bias.path for m in bound_biases if m.bias.outcome == pair.bias.outcome and not m.bias.is_direct]
    return BiasedWorld(world, mechanisms, pair, wanted, n=n, seed=seed).effects(tuple(dict.fromkeys(own))).to_dict()


def _record(bound: BoundBias, flipped: Flips, mediator: Mediator | None, fair: Table) -> Record:
    sign = -1.0 if bound.bias.magnitude < 0 else 1.0
    return Record(
        bias=bound.bias,
        realised=sign * flipped.n_turned / flipped.n_eligible if flipped.n_eligible else 0.0,
        n_hit=flipped.n_hit,
        n_eligible=flipped.n_eligible,
        n_turned=flipped.n_turned,
        n_moved=int(flipped.moved.sum()),
        depth=flipped.depth,
        privileged=str(bound.privileged),
        hit=str(bound.hit),
        favourable=str(bound.favourable),
        better=None if mediator is None else str(mediator.better_half(fair)),
    )


def _rates(bound_biases: Sequence[BoundBias], learnt: Table, fair: Table, biased: Table) -> list[Rate]:
    found: dict[tuple[str, ...], Rate] = {}
    for bound in bound_biases:
        for rule in (bound.privileged, bound.unprivileged, bound.hit):
            shares = [_share(bound, rule, table) for table in (learnt, fair, biased)]
            n = int(judge(rule, fair).sum())
            what = bound.bias.outcome, str(bound.favourable), str(rule)
            found[what] = Rate(*what, n, *shares)
    return list(found.values())


def _share(bound: BoundBias, rule: Any, table: Table) -> float:
    among = judge(rule, table)
    return float(judge(bound.favourable, table)[among].mean()) if among.any() else math.nan


def _n_turned(bound_biases: Sequence[BoundBias], fair: Table, biased: Table) -> int:
    changed: Bools = np.zeros(fair.n_rows, bool)
    for bound in bound_biases:
        changed |= judge(bound.favourable, fair) != judge(bound.favourable, biased)
    return int(changed.sum())


def _features(model: Model, outcome: str) -> tuple[str, ...]:
    late = {outcome, *model.dag.descendants(outcome)}
    return tuple(name for name in _visible_names(model) if name not in late)


def _visible_names(model: Model) -> list[str]:
    """Learnt columns that the user knows."""
    return [name for name in model.codec.names if name not in model.hidden]
