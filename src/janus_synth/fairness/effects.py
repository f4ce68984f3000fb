"""What a protected column does to an outcome, by intervention on the known graph: a world in, its effects out.

F(a, a') is the share of favourable outcomes when the outcome's own mechanism sees the protected column at a, and every
other column sees it at a'. With p privileged and u unprivileged,

    direct = F(p, p) − F(u, p),    indirect = F(u, p) − F(u, u),    total = direct + indirect = F(p, p) − F(u, u),

so that a positive effect is a disadvantage of the unprivileged. The same units and the same luck serve all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from janus_synth.arrays import Array, Floats
from janus_synth.errors import BiasError, CycleError
from janus_synth.fairness.mechanism import Mechanism
from janus_synth.fairness.mediator import Mediator
from janus_synth.fairness.turning import values_given
from janus_synth.graph import Dag
from janus_synth.model import Model
from janus_synth.questions.intervention import cut_loose
from janus_synth.rules import BoundRule, Rule, judge
from janus_synth.sampling import Estimate, plan_for, sample_conditional
from janus_synth.sampling.forward import Physical
from janus_synth.streams import Stream, generator
from janus_synth.table import Table

LEVEL = 0.95


class Strike(NamedTuple):
    """A bias as a mechanism of the world, with the rate at which it strikes."""

    mechanism: Mechanism
    rate: float
    """Share of eligible outcomes that are turned, or of those who are hit whose mediator is moved."""
    depth: int
    mediator: Mediator | None


@dataclass(frozen=True, slots=True)
class Effects:
    """Effects of being privileged on the share of favourable outcomes, with 95 % intervals of the simulation."""

    direct: Estimate
    indirect: Estimate
    total: Estimate
    through: Mapping[str, Estimate]
    """Through single mediators: they alone see the column as the unprivileged."""

    def to_dict(self) -> dict[str, Any]:
        """As plain numbers."""
        parts = {"direct": self.direct, "indirect": self.indirect, "total": self.total}
        written = {name: estimate._asdict() for name, estimate in parts.items()}
        return {**written, "through": {name: estimate._asdict() for name, estimate in self.through.items()}}


def order_with(dag: Dag, mechanisms: Sequence[Mechanism]) -> tuple[str, ...]:
    """Columns so that each comes after all that it depends on, biases included."""
    parents = {name: list(above) for name, above in dag.parents.items()}
    for mechanism in mechanisms:
        parents[mechanism.bias.bites] += [name for name in mechanism.hit.columns]
    try:
        return Dag({name: tuple(dict.fromkeys(above)) for name, above in parents.items()}).order
    except CycleError as error:
        path = " → ".join([*error.loop, error.loop[0]])
        raise BiasError(f"together these biases feed themselves: {path}. Leave one of them out.") from error


class World:
    """A model with biases planted in it, ready to be asked what a protected column does."""

    def __init__(
        self, model: Model, planted: Sequence[Strike], of: Mechanism, where: Sequence[Rule], *, n: int, seed: int
    ) -> None:
        self.model, self.planted, self.seed = model, planted, seed
        self.mechanism, self.protected = of, of.bias.protected
        self.order = order_with(model.dag, [one.mechanism for one in planted])
        moved = {one.mechanism.bias.bites for one in planted}
        self.changing = (
            (model.dag.descendants(*self.protected) | moved | model.dag.descendants(*moved))
            & (model.dag.ancestors(of.bias.outcome) | {of.bias.outcome})
        ) - set(self.protected)
        self.units = self._units(where, n)
        self.as_privileged, self.as_unprivileged = (self._settings(rule) for rule in (of.privileged, of.unprivileged))

    def _units(self, where: Sequence[Rule], n: int) -> Table:
        """Units chosen by what is known before the protected columns act."""
        after = {*self.protected, *self.changing, *self.model.dag.descendants(*self.protected, *self.changing)}
        early = [rule for rule in (*self.model.all_rules, *where) if not after & set(rule.columns)]
        plan = plan_for(replace(self.model, rules=(), interventions={}), early)
        return Table(self.model.schema, sample_conditional(plan, n, seed=self.seed), n)

    def _settings(self, group: BoundRule) -> Physical:
        """Values of the protected columns within a group, by their marginals."""
        plan = plan_for(cut_loose(self.model, self.protected), group.source)
        drawn = sample_conditional(plan, self.units.n_rows, seed=self.seed + 1)
        return {name: drawn[name] for name in self.protected}

    def effects(self, mediators: Sequence[str] = ()) -> Effects:
        """Direct, indirect and total effect, and those through single mediators."""
        outcome = self.mechanism.bias.outcome
        pp, up = self._favoured(()), self._favoured((outcome,))
        uu = self._favoured(self.changing)
        through = {name: _mean(pp - self._favoured((name,))) for name in mediators}
        return Effects(_mean(pp - up), _mean(up - uu), _mean(pp - uu), through)

    def _favoured(self, as_unprivileged: Any) -> Floats:
        """Whether each unit is favoured, if these columns see it as unprivileged and all others as privileged."""
        rng = generator(self.seed, Stream.PATH_EFFECTS)
        names, codec = self.model.codec.names, self.model.codec
        columns: Physical = {name: values.copy() for name, values in self.units.columns.items()}
        x = codec.encode(self.units)
        for name in self.order:
            if name not in self.changing:
                continue
            seen = self.as_unprivileged if name in as_unprivileged else self.as_privileged
            for other, values in seen.items():
                columns[other], x[names.index(other)] = values, codec.columns[other].encode(values)
            i, u = names.index(name), rng.random(self.units.n_rows)
            self.model.bags[i].draw(x, u)
            columns[name] = codec.columns[name].decode(x[i], u)
            for one in self.planted:
                if one.mechanism.bias.bites == name:
                    columns[name] = self._struck(one, columns, rng)
                    x[i] = codec.columns[name].encode(columns[name])
        return judge(self.mechanism.favourable, self._table(columns)).astype(float)

    def _table(self, columns: Physical) -> Table:
        return Table(self.model.schema, columns, self.units.n_rows)

    def _struck(self, one: Strike, columns: Physical, rng: np.random.Generator) -> Array:
        """The column that a bias changes, after it has struck."""
        own, luck = rng.spawn(1)[0], rng.random(self.units.n_rows)
        mechanism, table = one.mechanism, self._table(columns)
        values = columns[mechanism.bias.bites].copy()
        struck = judge(mechanism.hit, table) & (luck < one.rate)
        if one.mediator is None:
            struck &= judge(mechanism.source, table)
        rows = np.flatnonzero(struck)
        if not len(rows):
            return values
        part = table.take(rows)
        if one.mediator is None:
            values[rows], _ = values_given(self.model, part, mechanism.bias.outcome, mechanism.target, own)
        else:
            moving = one.mediator.start(part)
            moving.deepen(one.depth, None, own)
            values[rows] = moving.values
        return values


def _mean(differences: Floats) -> Estimate:
    value, n = float(differences.mean()), len(differences)
    half = float(stats.norm.ppf(0.5 + LEVEL / 2) * differences.std(ddof=1) / np.sqrt(n))
    return Estimate(value, value - half, value + half)
