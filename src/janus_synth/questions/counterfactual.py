"""Counterfactual rows by abduction, action and prediction: observed rows and assigned values in, rows out.

Abduction infers each cell's noise: the conditional rank of an ordered value, the Gumbel noise of a category (Oberst and
Sontag, 2019, "Counterfactual off-policy evaluation with Gumbel-max structural causal models"). Action assigns columns.
Prediction recomputes their descendants with the same noise. A category therefore changes only if another one became
relatively likelier, other columns keep their values, and a row whose parents do not change comes back unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from janus_synth.arrays import Array, Bools, Codes, Floats, LongInts
from janus_synth.coordinates import Link, as_cells, as_floats
from janus_synth.errors import InfeasibleError
from janus_synth.model import Model
from janus_synth.questions.conditional_ranks import ConditionalRanks, Positions, has_ranks, quantile_in_code
from janus_synth.questions.intervention import unlink_column, without_parents
from janus_synth.rules import BoundRule, judge
from janus_synth.rules.feasibility import require_feasible
from janus_synth.sampling.forward import in_blocks
from janus_synth.sampling.imputation import impute_cells
from janus_synth.sampling.plan import rules_on_inputs, with_links
from janus_synth.sampling.request import make_request
from janus_synth.streams import Stream, generator
from janus_synth.table import Table
from janus_synth.trees.posterior import draw_bag


def counterfactual_rows(
    model: Model,
    table: Table,
    settings: Mapping[str, Array],
    *,
    seed: int,
    n_jobs: int | None = None,
    on_rows: Callable[[int], None] | None = None,
) -> Table:
    """Return rows as they would have been with some columns assigned a physical value per row."""
    out = table.copy_columns()
    for name in settings:
        model = unlink_column(model, name)
    descendants = descendants_of(model, settings)
    links = {name: link for name, link in model.computed.items() if name not in settings}
    ranks = {
        name: None if name in links else ConditionalRanks(model, model.codec.names.index(name)) for name in descendants
    }

    def work(part: slice, rng: np.random.Generator) -> None:
        rows = table.take(part)
        twin = _Counterfactual(model, rows, rng)
        for name, values in settings.items():
            twin.assign(name, values[part])
        for name, conditional in ranks.items():
            if conditional is None:
                twin.compute(links[name])
            else:
                twin.predict(name, conditional)
        for name in (*settings, *descendants):
            out[name][part] = twin.columns[name]

    in_blocks(table.n_rows, work, seed=seed, stream=Stream.COUNTERFACTUAL, n_jobs=n_jobs, on_rows=on_rows)
    return table.with_columns(out)


def draw_mechanisms(model: Model, settings: Iterable[str], *, seed: int) -> Model:
    """Draw the mechanisms of all descendants of the assigned columns from their posterior.

    Of each column it takes one tree, with its leaves, regressions and surface drawn (see `trees.posterior`). Of a
    model with several graphs it takes one, as likely as its weight.
    """
    rng = generator(seed, Stream.COUNTERFACTUAL_MODELS)
    if model.graphs is not None:
        model = model.with_graph(int(rng.choice(len(model.graphs.dags), p=np.array(model.graphs.weights))))
    learnt = set(descendants_of(model, settings)) - set(model.computed)
    bags = [
        draw_bag(bag, rng) if name in learnt else bag for name, bag in zip(model.codec.names, model.bags, strict=True)
    ]
    return replace(model, bags=tuple(bags))


def descendants_of(model: Model, settings: Iterable[str]) -> tuple[str, ...]:
    """Descendants of the assigned columns, without those, parents first."""
    assigned = set(settings)
    found = model.dag.descendants(*assigned) - assigned
    return tuple(name for name in model.dag.order if name in found)


def repair_rules(
    model: Model,
    before: Table,
    after: Table,
    settings: Mapping[str, Array],
    rules: Sequence[BoundRule],
    *,
    seed: int,
) -> Table:
    """Redraw the descendants of rows that newly violate a rule; raise InfeasibleError if some cannot be repaired.

    A row that violated a rule before may still violate it.
    """
    out = redraw_violations(model, before, after, settings, rules, seed=seed)
    for rule, broken in zip(rules, _new_violations(rules, before, out), strict=True):
        if broken.any():
            raise InfeasibleError(
                f"{broken.sum():,} of {len(broken):,} rows cannot satisfy '{rule}' in that world, the first is row "
                f"{np.flatnonzero(broken)[0]}: the assigned values and the unchanged columns contradict it. Leave "
                "these rows out, set other values, or pass keep_rules=False.",
                conflict=(str(rule),),
            )
    return out


def redraw_violations(
    model: Model,
    before: Table,
    after: Table,
    settings: Iterable[str],
    rules: Sequence[BoundRule],
    *,
    seed: int,
) -> Table:
    """Redraw the descendants of the assigned columns in rows that newly violate a rule, where values exist that do not.

    Rows for which none exist keep the violation.
    """
    settings = tuple(settings)
    rows = np.flatnonzero(~keeps_rules(rules, before, after))
    if not len(rows):
        return after
    free = descendants_of(model, settings)
    box = require_feasible(with_links(model, rules), model.schema, model.codec).box
    world = without_parents(model, settings)
    request = make_request(world, rules_on_inputs(world, rules), box=box, also=range(len(model.bags)))
    part = after.take(rows)
    holes = {name: np.full(len(rows), name in free) for name in model.codec.names}
    rng = generator(seed, Stream.RULE_REPAIR)
    filled = impute_cells(request, part, rng, holes)
    out = after.copy_columns()
    for name in free:
        out[name][rows] = filled[name]
    return after.with_columns(out)


def keeps_rules(rules: Sequence[BoundRule], before: Table, after: Table) -> Bools:
    """Rows that violate no rule which they satisfied before."""
    kept = np.ones(before.n_rows, bool)
    if rules:
        kept &= ~_new_violations(rules, before, after).any(axis=0)
    return kept


def _new_violations(rules: Sequence[BoundRule], before: Table, after: Table) -> Bools:
    """(rules, rows) where a rule held before and does not hold now."""
    return np.array([judge(rule, before) & ~judge(rule, after) for rule in rules])


class _Counterfactual:
    """Observed rows and their counterfactual twins, which change column by column."""

    def __init__(self, model: Model, table: Table, rng: np.random.Generator) -> None:
        self.model, self.rng = model, rng
        self.columns = {name: table[name].copy() for name in model.codec.names}
        self.inside = {}
        x, share = model.codec.encode(table), np.empty((len(model.codec.names), table.n_rows))
        for i, (name, codec) in enumerate(model.codec.columns.items()):
            self.inside[name] = quantile_in_code(codec, table[name], x[i])
            share[i] = np.mean(self.inside[name], axis=0)
        self.before, self.after = Positions(x, share), Positions(x.copy(), share.copy())
        self.changed = np.zeros(share.shape, bool)

    def assign(self, name: str, values: Array) -> None:
        """Action: assign values to a column; a row that already has its value does not count as changed."""
        i, codec, old = self.model.codec.names.index(name), self.model.codec.columns[name], self.columns[name]
        same = (values == old) | (np.isnan(values) & np.isnan(old))
        codes = codec.encode(values)
        share = np.mean(quantile_in_code(codec, values, codes), axis=0)
        self.columns[name] = values.astype(old.dtype)
        self.after.put(i, np.flatnonzero(~same), codes[~same], share[~same])
        self.changed[i] = ~same

    def compute(self, link: Link) -> None:
        """Compute a linked column in the rows whose inputs changed."""
        names = self.model.codec.names
        rows = np.flatnonzero(self.changed[[names.index(name) for name in link.inputs]].any(axis=0))
        column, old = self.model.schema[link.column], self.columns[link.column]
        values = link.compute({name: as_floats(self.columns[name][rows]) for name in link.inputs})
        new = old.copy()
        new[rows] = as_cells(column, values)
        self.assign(link.column, new)

    def predict(self, name: str, ranks: ConditionalRanks) -> None:
        """Abduction and prediction: recompute a column in the rows whose parents changed, with the same noise."""
        i, bag = ranks.column, ranks.bag
        rows = np.flatnonzero(self.changed[bag.parents].any(axis=0))
        if not len(rows):
            return
        before, after = self.before.take(rows), self.after.take(rows)
        predict = self._by_rank if has_ranks(self.model.codec.columns[name]) else self._by_gumbel
        codes, share = predict(name, ranks, before, after, rows)
        values = self.model.codec.columns[name].decode(codes, share)
        kept = (codes == before.x[i]) & (share == before.share[i])
        old = self.columns[name][rows]
        self.columns[name][rows] = np.where(kept, old, values)
        self.after.put(i, rows, codes, share)
        self.changed[i, rows] = ~kept

    def _by_rank(
        self, name: str, ranks: ConditionalRanks, before: Positions, after: Positions, rows: LongInts
    ) -> tuple[Codes, Floats]:
        """Keep the conditional rank of an ordered value; whether it is null has a uniform noise of its own."""
        i, null = ranks.column, int(ranks.n_codes[ranks.column]) - 1
        low, high = (side[rows] for side in self.inside[name])
        u = self.rng.random((3, len(rows)))
        was_null, is_null = before.x[i] == null, np.zeros(len(rows), bool)
        leaves_before, leaves_after = ranks.leaves(before), ranks.leaves(after)
        if ranks.bag.leaves.allowed[null] or was_null.any():
            both = (before, leaves_before), (after, leaves_after)
            p, q = (np.clip(ranks.shares(at, leaves)[:, null], 0.0, 1.0) for at, leaves in both)
            stays, becomes = u[0] * p < q, u[0] * (1 - p) < q - p
            is_null = np.where(was_null, stays, becomes)
        present = np.flatnonzero(~was_null)
        rank = u[1].copy()  # a null carries no information about the rank
        inside = low + u[2] * (high - low)
        on_trend = ranks.follow_trends(leaves_before, leaves_after)
        rank[present] = ranks.ranks(before.take(present), leaves_before[present], inside[present], on_trend[present])
        codes, share = ranks.quantiles(after, leaves_after, rank, on_trend)
        return np.where(is_null, null, codes).astype(codes.dtype), np.where(is_null, 0.5, share)

    def _by_gumbel(
        self, name: str, ranks: ConditionalRanks, before: Positions, after: Positions, rows: LongInts
    ) -> tuple[Codes, Floats]:
        """Keep the Gumbel noise of a category (Gumbel-max model)."""
        i = ranks.column
        own = before.x[i]
        p, q = (ranks.shares(at, ranks.leaves(at)) for at in (before, after))
        codes = gumbel_max_counterfactual(p, q, own, self.rng)
        share = np.where(codes == own, before.share[i], self.rng.random(len(rows)))
        return codes, share


def gumbel_max_counterfactual(p: Floats, q: Floats, own: Codes, rng: np.random.Generator) -> Codes:
    """Draw categories under distribution q, given that they were ``own`` under distribution p with the same noise.

    A category is argmax_k log p_k + G_k with Gumbel noise G. Given the winner, its score is a standard Gumbel and the
    other scores are Gumbels truncated at it.
    """
    rows = np.arange(len(own))
    with np.errstate(divide="ignore"):
        log_p, log_q = np.log(p / p.sum(axis=1, keepdims=True)), np.log(q / q.sum(axis=1, keepdims=True))
    log_p[rows, own] = np.maximum(
        log_p[rows, own], -700.0
    )  # observed, although its probability under the model is zero
    top = rng.gumbel(size=len(own))
    free = log_p + rng.gumbel(size=p.shape)
    with np.errstate(over="ignore", divide="ignore"):
        score = -np.log(np.exp(-top)[:, None] + np.exp(-free))
    score[rows, own] = top
    with np.errstate(invalid="ignore"):
        twin = np.where(np.isneginf(log_q), -np.inf, log_q + (score - log_p))
    # The observation carries no information about the noise of a code with p = 0: it is drawn from its prior.
    fresh = log_q + rng.gumbel(size=q.shape)
    twin = np.where(np.isneginf(log_p), fresh, twin)
    return np.asarray(np.argmax(twin, axis=1), own.dtype)
