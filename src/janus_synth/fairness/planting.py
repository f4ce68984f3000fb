"""Biases planted in a fitted model: rows of a fair world, the same rows biased, and a certificate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import narwhals as nw
import numpy as np

from janus_synth import __version__
from janus_synth.arrays import Bools
from janus_synth.errors import BiasError
from janus_synth.fairness.bias import Bias, as_biases
from janus_synth.fairness.certificate import WORLDS, Certificate, EffectRecord, Rate, Record
from janus_synth.fairness.effects import Strike, World, order_with
from janus_synth.fairness.mechanism import Mechanism, bind_bias
from janus_synth.fairness.mediator import Mediator
from janus_synth.fairness.turning import Turning, differing_rows, turn
from janus_synth.fairness.worlds import blind_to, neutral_to
from janus_synth.janus import Janus
from janus_synth.janus.arguments import Seed, check_choice, seed_of, whole
from janus_synth.janus.causal import causal_model
from janus_synth.model import Model
from janus_synth.progress import progress_bar
from janus_synth.rules import Rule, as_rule, holds, judge
from janus_synth.sampling import Where, bound_rules, conditions, plan_for, sample_columns, sample_conditional
from janus_synth.table import Table, column_names_of, read_table, same_cells, write_table

BASELINES = ("fair", "neutral", "learnt")
FAIR = "fair_"
TURNED = "turned"
FEWEST_UNITS = 2


@dataclass(frozen=True)
class Planted:
    """A table with bias of known size, the same rows without it, and the proof.

    Attributes
    ----------
    frame : DataFrame
        The biased rows, as an auditor would get them.
    fair : DataFrame
        The same rows as they would have been.
    certificate : Certificate
        What was planted.
    """

    frame: Any
    fair: Any
    certificate: Certificate

    def favoured(self, outcome: str | None = None, *, fair: bool = False) -> Bools:
        """Rows whose outcome is favourable, by default the last outcome that was biased."""
        return self._where(self._record(outcome).favourable, fair=fair)

    def privileged(self, outcome: str | None = None, *, fair: bool = False) -> Bools:
        """Rows of the privileged group."""
        return self._where(self._record(outcome).privileged, fair=fair)

    def hit(self, outcome: str | None = None, *, fair: bool = False) -> Bools:
        """Rows that the bias is about."""
        return self._where(self._record(outcome).hit, fair=fair)

    def _record(self, outcome: str | None) -> Record:
        return self.certificate.record_of(outcome or self.certificate.outcome)

    def _where(self, rule: str, *, fair: bool) -> Bools:
        return holds(rule, self.fair if fair else self.frame, self.certificate.schema)

    @cached_property
    def turned(self) -> Bools:
        """Rows that have an outcome turned."""
        changed = np.zeros(self.certificate.n_rows, bool)
        for rule in dict.fromkeys(record.favourable for record in self.certificate.records):
            changed |= self._where(rule, fair=False) != self._where(rule, fair=True)
        return changed

    def to_frame(self) -> Any:
        """The biased rows with ``turned`` and, for every column that differs, what it was in the fair world."""
        biased, fair = (nw.from_native(frame, eager_only=True) for frame in (self.frame, self.fair))
        added = [fair[name].alias(f"{FAIR}{name}") for name in self.certificate.changed]
        turned = nw.new_series(TURNED, self.turned, nw.Boolean, backend=biased.implementation)
        taken = [series.name for series in (turned, *added) if series.name in biased.columns]
        if taken:
            raise BiasError(f"the table has a column {taken[0]!r} already; rename it before you plant.")
        return biased.with_columns(turned, *added).to_native()

    @classmethod
    def from_frame(cls, frame: Any, certificate: Certificate) -> Self:
        """What ``to_frame`` gave, read from a file, say, and its certificate."""
        whole = nw.from_native(frame, eager_only=True)
        names = column_names_of(frame)
        if TURNED not in names:
            raise BiasError(f"this table has no column {TURNED!r}: `janus fairness plant` did not write it.")
        if len(whole) != certificate.n_rows:
            raise BiasError(
                f"the table has {len(whole):,} rows, its certificate speaks of {certificate.n_rows:,}; they do not "
                "belong together."
            )
        before = {name: f"{FAIR}{name}" for name in certificate.changed}
        if missing := [name for name in (*certificate.schema.names, *before.values()) if name not in names]:
            raise BiasError(f"this table has no column {missing[0]!r}, of which its certificate speaks.")
        biased = whole.drop(TURNED, *before.values())
        fair = biased.with_columns(*(whole[of].alias(name) for name, of in before.items())) if before else biased
        planted = cls(biased.to_native(), fair.to_native(), certificate)
        _check_levels(planted.frame, certificate)
        if (n_turned := int(planted.turned.sum())) != certificate.n_turned:
            raise BiasError(
                f"the table has {n_turned:,} rows with an outcome turned, its certificate speaks of "
                f"{certificate.n_turned:,}; they do not belong together."
            )
        return planted


def _check_levels(frame: Any, certificate: Certificate) -> None:
    """Refuse a file that has made other levels of texts that matter, as true of 'true'."""
    rules = {rule for one in certificate.records for rule in (one.privileged, one.hit, one.favourable, one.better)}
    names = tuple(dict.fromkeys(name for rule in sorted(filter(None, rules)) for name in as_rule(rule).columns))
    found = read_table(frame, certificate.schema, columns=names).schema
    for name in names:
        if new := found[name].levels[len(certificate.schema[name].levels) :]:
            raise BiasError(
                f"column {name!r} has the level {new[0]!r}, which its certificate does not know: the file forgot what "
                "is text. Plant to a .parquet or .arrow file."
            )


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

    The rows come from a world without the bias and are then turned, exactly as many as asked for. The model's rules and
    ``where`` hold in both. Biases are planted in the order of the graph, so that stages of a pipeline feed one another;
    the size of each counts what those before it left.

    Parameters
    ----------
    model : Janus
        A fitted model; effects are as right as its graph.
    biases : Bias or sequence of Bias
        What to plant. A magnitude of 0 removes what was learnt and plants nothing.
    n : int
        How many rows.
    where : str, Rule or list of them, optional
        Conditions that all rows meet.
    baseline : {"fair", "neutral", "learnt"}
        The world to start from. ``"fair"``: outcomes, and mediators of biases, ignore the protected columns (their
        conditionals averaged over them); other columns may still depend on them. ``"neutral"``: nothing does, so that
        any gap is planted. ``"learnt"``: the world as it is; the bias comes on top.
    effect_units : int
        Units of the simulation of effects; 0 leaves them out.
    random_state : int or Generator, optional
        One seed, one table.

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
    several, n = as_biases(biases), whole("n", n, low=1, what="the number of rows")
    check_choice("baseline", baseline, BASELINES)
    effect_units = whole("effect_units", effect_units, low=0)
    if 0 < effect_units < FEWEST_UNITS:
        raise ValueError(f"effect_units is {effect_units}; give at least {FEWEST_UNITS}, or 0 to leave effects out.")
    learnt = causal_model(model)
    mechanisms = [bind_bias(bias, learnt) for bias in several]
    order = order_with(learnt.dag, mechanisms)
    mechanisms.sort(key=lambda mechanism: order.index(mechanism.bias.bites))
    world = world_without(learnt, [mechanism.bias for mechanism in mechanisms], baseline)
    seed = seed_of(random_state)
    asked = conditions(where)
    n_steps = 2 + len(mechanisms) + (len(_pairs(mechanisms)) * len(WORLDS) if effect_units else 0)
    with progress_bar("planting", n_steps, shown=progress) as advance:
        fair, reference = (_draw(model_, asked, n, seed, model.n_jobs) for model_ in (world, learnt))
        advance(2)
        rules = bound_rules(world, asked)
        mediators = [None if m.bias.is_direct else Mediator(world, m) for m in mechanisms]
        table, turnings = fair, []
        for number, (mechanism, mediator) in enumerate(zip(mechanisms, mediators, strict=True)):
            turnings.append(
                turn(world, mechanism, table, rules, mediator=mediator, seed=seed + number, n_jobs=model.n_jobs)
            )
            table = turnings[-1].table
            advance(1)
        planted = list(zip(mechanisms, turnings, mediators, strict=True))
        strikes = [_strike(*one) for one in planted]
        effects = []
        if effect_units:
            for pair in _pairs(mechanisms):
                found = {}
                for name, its in (("learnt", learnt), ("fair", world), ("biased", world)):
                    own = strikes if name == "biased" else []
                    found[name] = _effects(its, own, pair, asked, mechanisms, effect_units, seed)
                    advance(1)
                effects.append(EffectRecord(tuple(pair.bias.protected), pair.bias.outcome, str(pair.favourable), found))
    certificate = Certificate(
        records=tuple(_record(*one, fair) for one in planted),
        rates=tuple(_rates(mechanisms, reference, fair, table)),
        effects=tuple(effects),
        n_rows=n,
        n_turned=_n_turned(mechanisms, fair, table),
        n_changed=int(differing_rows(fair, table).sum()),
        baseline=baseline,
        seed=seed,
        version=__version__,
        schema=learnt.schema,
        changed=tuple(name for name in learnt.codec.names if not same_cells(fair[name], table[name]).all()),
        rules=tuple(map(str, learnt.all_rules)),
        where=tuple(map(str, asked)),
        graph=learnt.dag.edges,
        graph_given=learnt.graph_given or model.trust_graph,
        features={m.bias.outcome: _features(learnt, m.bias.outcome) for m in mechanisms},
    )
    return Planted(_frame(learnt, table, seed), _frame(learnt, fair, seed), certificate)


def world_without(model: Model, biases: Sequence[Bias], baseline: str) -> Model:
    """The world that biases are planted in."""
    if baseline == "neutral":
        return neutral_to(model, tuple(dict.fromkeys(name for bias in biases for name in bias.protected)))
    if baseline == "fair":
        for bias in biases:
            model = blind_to(model, dict.fromkeys((bias.bites, bias.outcome)), bias.protected)
    return model


def _draw(world: Model, asked: Sequence[Rule], n: int, seed: int, n_jobs: int | None) -> Table:
    if asked or world.all_rules:
        return Table(world.schema, sample_conditional(plan_for(world, asked), n, seed=seed, n_jobs=n_jobs), n)
    return Table(world.schema, sample_columns(world, n, seed=seed, n_jobs=n_jobs), n)


def _frame(model: Model, table: Table, seed: int) -> Any:
    columns = {name: table[name] for name in model.codec.names}
    return write_table(columns, model.schema, n_rows=table.n_rows, rng=np.random.default_rng(seed))


def _pairs(mechanisms: Sequence[Mechanism]) -> list[Mechanism]:
    """A mechanism for every different pair of groups and outcome."""
    return list(
        {(m.bias.protected, str(m.privileged), m.bias.outcome, str(m.favourable)): m for m in mechanisms}.values()
    )


def _strike(mechanism: Mechanism, turning: Turning, mediator: Mediator | None) -> Strike:
    """The bias as it came out, as a mechanism of the world."""
    if mediator is None:
        return Strike(mechanism, turning.n_turned / max(turning.n_eligible, 1), 0, None)
    return Strike(mechanism, turning.n_drawn / max(turning.n_hit, 1), turning.depth, mediator)


def _effects(
    world: Model,
    strikes: Sequence[Strike],
    pair: Mechanism,
    asked: Sequence[Rule],
    mechanisms: Sequence[Mechanism],
    n: int,
    seed: int,
) -> dict[str, Any]:
    own = [m.bias.path for m in mechanisms if m.bias.outcome == pair.bias.outcome and not m.bias.is_direct]
    return World(world, strikes, pair, asked, n=n, seed=seed).effects(tuple(dict.fromkeys(own))).to_dict()


def _record(mechanism: Mechanism, turning: Turning, mediator: Mediator | None, fair: Table) -> Record:
    sign = -1.0 if mechanism.bias.magnitude < 0 else 1.0
    return Record(
        bias=mechanism.bias,
        realised=sign * turning.n_turned / turning.n_eligible if turning.n_eligible else 0.0,
        n_hit=turning.n_hit,
        n_eligible=turning.n_eligible,
        n_turned=turning.n_turned,
        n_moved=int(turning.moved.sum()),
        depth=turning.depth,
        privileged=str(mechanism.privileged),
        hit=str(mechanism.hit),
        favourable=str(mechanism.favourable),
        better=None if mediator is None else str(mediator.better_half(fair)),
    )


def _rates(mechanisms: Sequence[Mechanism], learnt: Table, fair: Table, biased: Table) -> list[Rate]:
    found: dict[tuple[str, ...], Rate] = {}
    for mechanism in mechanisms:
        for rule in (mechanism.privileged, mechanism.unprivileged, mechanism.hit):
            shares = [_share(mechanism, rule, table) for table in (learnt, fair, biased)]
            n = int(judge(rule, fair).sum())
            what = mechanism.bias.outcome, str(mechanism.favourable), str(rule)
            found[what] = Rate(*what, n, *shares)
    return list(found.values())


def _share(mechanism: Mechanism, rule: Any, table: Table) -> float:
    among = judge(rule, table)
    return float(judge(mechanism.favourable, table)[among].mean()) if among.any() else math.nan


def _n_turned(mechanisms: Sequence[Mechanism], fair: Table, biased: Table) -> int:
    changed: Bools = np.zeros(fair.n_rows, bool)
    for mechanism in mechanisms:
        changed |= judge(mechanism.favourable, fair) != judge(mechanism.favourable, biased)
    return int(changed.sum())


def _features(model: Model, outcome: str) -> tuple[str, ...]:
    late = {outcome, *model.dag.descendants(outcome)}
    return tuple(name for name in model.codec.names if name not in late)
