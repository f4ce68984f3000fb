"""Path-specific effects of a protected column on an outcome, by intervention: a world in; its effects out.

F(a, a') is the favourable rate when the outcome's own mechanism receives the protected column at a, and every other
column receives it at a' (a nested counterfactual). With p privileged and u unprivileged,

    direct = F(p, p) − F(u, p),    indirect = F(u, p) − F(u, u),    total = direct + indirect = F(p, p) − F(u, u),

so that a positive effect is a disadvantage of the unprivileged. All terms use the same units and common random numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from janus_synth.arrays import Array, Floats
from janus_synth.errors import BiasError, CycleError
from janus_synth.fairness.bound_bias import BoundBias
from janus_synth.fairness.label_flipping import draw_given
from janus_synth.fairness.mediator import Mediator, WorstOfDraws
from janus_synth.graph import Dag
from janus_synth.model import Model
from janus_synth.questions.intervention import without_parents
from janus_synth.rules import BoundRule, Rule, judge
from janus_synth.rules.language import split_keys
from janus_synth.sampling import Estimate, plan_for, sample_conditional
from janus_synth.sampling.forward import compute_cells
from janus_synth.streams import Stream, generator
from janus_synth.table import Table

LEVEL = 0.95


class BiasMechanism(NamedTuple):
    """A planted bias as a stochastic mechanism of the world."""

    bound: BoundBias
    rate: float
    """Probability that an eligible outcome is flipped, or that the mediator of an affected row is redrawn."""
    depth: int
    mediator: Mediator | None


@dataclass(frozen=True, slots=True)
class PathEffects:
    """Effects of being privileged on the favourable rate, with 95 % intervals for simulation error."""

    direct: Estimate
    indirect: Estimate
    total: Estimate
    through: Mapping[str, Estimate]
    """Path-specific effects through single mediators: only they receive the protected column as unprivileged."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers."""
        parts = {"direct": self.direct, "indirect": self.indirect, "total": self.total}
        written = {name: estimate._asdict() for name, estimate in parts.items()}
        return {**written, "through": {name: estimate._asdict() for name, estimate in self.through.items()}}


def order_with_biases(dag: Dag, bound_biases: Sequence[BoundBias]) -> tuple[str, ...]:
    """Topological order of the columns, with the dependences that the biases add."""
    parents = {name: list(above) for name, above in dag.parents.items()}
    for bound in bound_biases:
        parents[bound.bias.bites] += [name for name in bound.hit.columns]
    try:
        return Dag({name: tuple(dict.fromkeys(above)) for name, above in parents.items()}).order
    except CycleError as error:
        path = " → ".join([*error.loop, error.loop[0]])
        raise BiasError(f"together these biases form a loop: {path}. Leave one of them out.") from error


class BiasedWorld:
    """A model with biases planted in it, on which path-specific effects are simulated."""

    def __init__(
        self, model: Model, planted: Sequence[BiasMechanism], of: BoundBias, where: Sequence[Rule], *, n: int, seed: int
    ) -> None:
        self.model, self.planted, self.seed = model, planted, seed
        self.bound, self.protected = of, of.bias.protected
        self.order = order_with_biases(model.dag, [one.bound for one in planted])
        moved = {one.bound.bias.bites for one in planted}
        self.changing = (
            (model.dag.descendants(*self.protected) | moved | model.dag.descendants(*moved))
            & (model.dag.ancestors(of.bias.outcome) | {of.bias.outcome})
        ) - set(self.protected)
        self.units = self._units(where, n)
        self.as_privileged, self.as_unprivileged = (self._settings(rule) for rule in (of.privileged, of.unprivileged))

    def _units(self, where: Sequence[Rule], n: int) -> Table:
        """Draw units, selected by rules and conditions on columns that the protected ones do not affect."""
        after = {*self.protected, *self.changing, *self.model.dag.descendants(*self.protected, *self.changing)}
        early = [rule for rule in (*split_keys(self.model.all_rules)[0], *where) if not after & set(rule.columns)]
        plan = plan_for(replace(self.model, rules=(), interventions={}), early)
        return sample_conditional(plan, n, seed=self.seed)

    def _settings(self, group: BoundRule) -> dict[str, Array]:
        """Draw values of the protected columns within a group from their marginals."""
        plan = plan_for(without_parents(self.model, self.protected), group.source)
        drawn = sample_conditional(plan, self.units.n_rows, seed=self.seed + 1)
        return {name: drawn[name] for name in self.protected}

    def effects(self, mediators: Sequence[str] = ()) -> PathEffects:
        """Compute the direct, indirect and total effect, and the effects through single mediators."""
        outcome = self.bound.bias.outcome
        pp, up = self._favoured(()), self._favoured((outcome,))
        uu = self._favoured(self.changing)
        through = {name: _mean(pp - self._favoured((name,))) for name in mediators}
        return PathEffects(_mean(pp - up), _mean(up - uu), _mean(pp - uu), through)

    def _favoured(self, as_unprivileged: Any) -> Floats:
        """Whether each unit is favoured if some columns receive it as unprivileged and all others as privileged."""
        rng = generator(self.seed, Stream.PATH_EFFECTS)
        names, codec = self.model.codec.names, self.model.codec
        columns = self.units.copy_columns()
        x = codec.encode(self.units)
        for name in self.order:
            if name not in self.changing:
                continue
            received = self.as_unprivileged if name in as_unprivileged else self.as_privileged
            for other, values in received.items():
                columns[other], x[names.index(other)] = values, codec.columns[other].encode(values)
            i, u = names.index(name), rng.random(self.units.n_rows)
            if name in self.model.computed:
                columns[name] = compute_cells(self.model, self.model.computed[name], columns)
                x[i] = codec.columns[name].encode(columns[name])
            else:
                self.model.bags[i].draw(x, u)
                columns[name] = codec.columns[name].decode(x[i], u)
            for one in self.planted:
                if one.bound.bias.bites == name:
                    columns[name] = self._apply_bias(one, columns, rng)
                    x[i] = codec.columns[name].encode(columns[name])
        return judge(self.bound.favourable, self.units.with_columns(columns)).astype(float)

    def _apply_bias(self, one: BiasMechanism, columns: dict[str, Array], rng: np.random.Generator) -> Array:
        """Return the column that a bias changes, after the bias."""
        own, uniforms = rng.spawn(1)[0], rng.random(self.units.n_rows)
        bound, table = one.bound, self.units.with_columns(columns)
        values = columns[bound.bias.bites].copy()
        affected = judge(bound.hit, table) & (uniforms < one.rate)
        if one.mediator is None:
            affected &= judge(bound.source, table)
        rows = np.flatnonzero(affected)
        if not len(rows):
            return values
        part = table.take(rows)
        if one.mediator is None:
            values[rows], _ = draw_given(self.model, part, bound.bias.outcome, bound.target, own)
        else:
            worst = WorstOfDraws(one.mediator, part)
            worst.extend(one.depth, None, own)
            values[rows] = worst.values
        return values


def _mean(differences: Floats) -> Estimate:
    value, n = float(differences.mean()), len(differences)
    half = float(stats.norm.ppf(0.5 + LEVEL / 2) * differences.std(ddof=1) / np.sqrt(n))
    return Estimate(value, value - half, value + half)
