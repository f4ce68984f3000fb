"""What a row would have been: its noise abducted, some columns set, the columns below them predicted anew.

An ordered value keeps its rank among what its parents allow. An unordered one keeps the Gumbel noise that made it the
likeliest, so that what did not become less likely does not change. Columns above and beside keep their values, and a
row whose parents do not change comes back as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from janus_synth.arrays import Array, Bools, Codes, Floats, LongInts
from janus_synth.errors import InfeasibleError
from janus_synth.model import Model
from janus_synth.questions.intervention import cut_loose
from janus_synth.questions.ranks import Positions, Ranking, share_inside
from janus_synth.rules import BoundRule, judge
from janus_synth.rules.feasibility.check import require_feasible
from janus_synth.sampling.forward import Physical, in_blocks
from janus_synth.sampling.imputation import fill_cells
from janus_synth.sampling.request import make_request
from janus_synth.streams import Stream, generator
from janus_synth.table import Table


def counterfactual_rows(
    model: Model,
    table: Table,
    settings: Mapping[str, Array],
    *,
    seed: int,
    n_jobs: int | None = None,
    on_rows: Callable[[int], None] | None = None,
) -> Physical:
    """Rows as they would have been with some columns set, a physical value per row; others as they are."""
    out = {name: table[name].copy() for name in model.codec.names}
    below = columns_below(model, settings)
    rankings = {name: Ranking(model, model.codec.names.index(name)) for name in below}

    def work(part: slice, rng: np.random.Generator) -> None:
        rows = table.take(part)
        found = _Rewriting(model, rows, rng)
        for name, values in settings.items():
            found.set(name, values[part])
        for name, ranking in rankings.items():
            found.predict(name, ranking)
        for name in (*settings, *below):
            out[name][part] = found.columns[name]

    in_blocks(table.n_rows, work, seed=seed, stream=Stream.COUNTERFACTUAL, n_jobs=n_jobs, on_rows=on_rows)
    return out


def columns_below(model: Model, settings: Iterable[str]) -> tuple[str, ...]:
    """Columns that settings of others may move, parents first."""
    chosen = set(settings)
    below = model.dag.descendants(*chosen) - chosen
    return tuple(name for name in model.dag.order if name in below)


def mend_rules(
    model: Model,
    before: Table,
    after: Physical,
    settings: Mapping[str, Array],
    rules: Sequence[BoundRule],
    *,
    seed: int,
) -> Physical:
    """The same rows, where a rule broke with its columns below the settings drawn anew so that all rules hold.

    A row that broke a rule as it was may break it as it would have been.
    """
    out = redraw_broken(model, before, after, settings, rules, seed=seed)
    for rule, broken in zip(rules, _newly_broken(rules, before, out), strict=True):
        if broken.any():
            raise InfeasibleError(
                f"{broken.sum():,} of {len(broken):,} rows cannot keep '{rule}' in that world, the first is row "
                f"{np.flatnonzero(broken)[0]}: what is set and what stays as it is leave no way. Leave these rows out, "
                "set other values, or ask with keep_rules=False.",
                conflict=(str(rule),),
            )
    return out


def redraw_broken(
    model: Model,
    before: Table,
    after: Physical,
    settings: Iterable[str],
    rules: Sequence[BoundRule],
    *,
    seed: int,
) -> Physical:
    """The same rows, with what lies below the settings drawn anew where a rule broke; it may be that none can hold."""
    settings = tuple(settings)
    rows = np.flatnonzero(~keeping(rules, before, after))
    if not len(rows):
        return after
    free = columns_below(model, settings)
    box = require_feasible(rules, model.schema, model.codec).box
    request = make_request(cut_loose(model, settings), rules, box=box, also=range(len(model.bags)))
    part = Table(before.schema, after, before.n_rows).take(rows)
    holes = {name: np.full(len(rows), name in free) for name in model.codec.names}
    rng = generator(seed, Stream.RULE_REPAIR)
    filled = fill_cells(request, part, rng, holes)
    out = {name: values.copy() for name, values in after.items()}
    for name in free:
        out[name][rows] = filled[name]
    return out


def keeping(rules: Sequence[BoundRule], before: Table, after: Physical) -> Bools:
    """Rows that break no rule which they kept."""
    kept = np.ones(before.n_rows, bool)
    if rules:
        kept &= ~_newly_broken(rules, before, after).any(axis=0)
    return kept


def _newly_broken(rules: Sequence[BoundRule], before: Table, after: Physical) -> Bools:
    """(rules, rows) where a rule held and holds no more."""
    now = Table(before.schema, after, before.n_rows)
    return np.array([judge(rule, before) & ~judge(rule, now) for rule in rules])


class _Rewriting:
    """Rows on their way from what they were to what they would have been."""

    def __init__(self, model: Model, table: Table, rng: np.random.Generator) -> None:
        self.model, self.rng = model, rng
        self.columns = {name: table[name].copy() for name in model.codec.names}
        self.inside = {}
        x, share = model.codec.encode(table), np.empty((len(model.codec.names), table.n_rows))
        for i, (name, codec) in enumerate(model.codec.columns.items()):
            self.inside[name] = share_inside(codec, table[name], x[i])
            share[i] = np.mean(self.inside[name], axis=0)
        self.before, self.after = Positions(x, share), Positions(x.copy(), share.copy())
        self.moved = np.zeros(share.shape, bool)

    def set(self, name: str, values: Array) -> None:
        """Give a column other values; a row that has its value already is not moved."""
        i, codec, old = self.model.codec.names.index(name), self.model.codec.columns[name], self.columns[name]
        same = (values == old) | (np.isnan(values) & np.isnan(old))
        codes = codec.encode(values)
        share = np.mean(share_inside(codec, values, codes), axis=0)
        self.columns[name] = values.astype(old.dtype)
        self.after.put(i, np.flatnonzero(~same), codes[~same], share[~same])
        self.moved[i] = ~same

    def predict(self, name: str, ranking: Ranking) -> None:
        """Predict a column of the rows whose parents moved, with the noise that they had."""
        i, bag = ranking.column, ranking.bag
        rows = np.flatnonzero(self.moved[bag.parents].any(axis=0))
        if not len(rows):
            return
        before, after = self.before.take(rows), self.after.take(rows)
        predict = self._by_rank if self.model.codec.columns[name].ordered else self._by_gumbel
        codes, share = predict(name, ranking, before, after, rows)
        values = self.model.codec.columns[name].decode(codes, share)
        kept = (codes == before.x[i]) & (share == before.share[i])
        old = self.columns[name][rows]
        self.columns[name][rows] = np.where(kept, old, values)
        self.after.put(i, rows, codes, share)
        self.moved[i, rows] = ~kept

    def _by_rank(
        self, name: str, ranking: Ranking, before: Positions, after: Positions, rows: LongInts
    ) -> tuple[Codes, Floats]:
        """Codes and shares at the ranks that the rows had; whether a value is null is a coin that is kept, too."""
        i, null = ranking.column, int(ranking.n_codes[ranking.column]) - 1
        low, high = (side[rows] for side in self.inside[name])
        u = self.rng.random((3, len(rows)))
        was_null, is_null = before.x[i] == null, np.zeros(len(rows), bool)
        here, there = ranking.leaves(before), ranking.leaves(after)
        if ranking.bag.leaves.allowed[null] or was_null.any():
            both = (before, here), (after, there)
            p, q = (np.clip(ranking.shares(at, leaves)[:, null], 0.0, 1.0) for at, leaves in both)
            stays, becomes = u[0] * p < q, u[0] * (1 - p) < q - p
            is_null = np.where(was_null, stays, becomes)
        present = np.flatnonzero(~was_null)
        rank = u[1].copy()  # of a null nothing is known
        inside = low + u[2] * (high - low)
        lined = ranking.lined(here, there)
        rank[present] = ranking.rank(before.take(present), here[present], inside[present], lined[present])
        codes, share = ranking.at_rank(after, there, rank, lined)
        return np.where(is_null, null, codes).astype(codes.dtype), np.where(is_null, 0.5, share)

    def _by_gumbel(
        self, name: str, ranking: Ranking, before: Positions, after: Positions, rows: LongInts
    ) -> tuple[Codes, Floats]:
        """The likeliest code under the noise that made the row's own code the likeliest before."""
        i = ranking.column
        own = before.x[i]
        p, q = (ranking.shares(at, ranking.leaves(at)) for at in (before, after))
        codes = gumbel_twin(p, q, own, self.rng)
        share = np.where(codes == own, before.share[i], self.rng.random(len(rows)))
        return codes, share


def gumbel_twin(p: Floats, q: Floats, own: Codes, rng: np.random.Generator) -> Codes:
    """Draw what rows with distribution q are, given that with distribution p and the same noise they were ``own``.

    A row is argmax_k log p_k + G_k with Gumbel noise G. Given the winner, its score is a standard Gumbel's and the
    others' are Gumbels cut off there.
    """
    rows = np.arange(len(own))
    with np.errstate(divide="ignore"):
        log_p, log_q = np.log(p / p.sum(axis=1, keepdims=True)), np.log(q / q.sum(axis=1, keepdims=True))
    log_p[rows, own] = np.maximum(log_p[rows, own], -700.0)  # a cell that the model deems impossible did happen
    top = rng.gumbel(size=len(own))
    free = log_p + rng.gumbel(size=p.shape)
    with np.errstate(over="ignore", divide="ignore"):
        score = -np.log(np.exp(-top)[:, None] + np.exp(-free))
    score[rows, own] = top
    with np.errstate(invalid="ignore"):
        twin = np.where(np.isneginf(log_q), -np.inf, log_q + (score - log_p))
    # A code that could not be before has no noise to keep: it gets fresh one.
    fresh = log_q + rng.gumbel(size=q.shape)
    twin = np.where(np.isneginf(log_p), fresh, twin)
    return np.asarray(np.argmax(twin, axis=1), own.dtype)
