"""Rows for strata: categories with wanted numbers of rows in; that many rows of each, as the model has them, out.

A stratum is a combination of one category per axis. Rows that are drawn under conditions which all rows of a stratum
meet, and that happen to fall in it, follow the model's distribution in that stratum. So rows come from the widest
source that is not too slow: the model under the request's own conditions, then under a rare category too, then under
all categories of the stratum. Each source has a sampling plan.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from janus_synth.arrays import Floats, LongInts
from janus_synth.errors import InfeasibleError
from janus_synth.model import Model
from janus_synth.rules import Rule
from janus_synth.sampling.conditional import sample_conditional
from janus_synth.sampling.forward import BLOCK_ROWS, sample_rows
from janus_synth.sampling.plan import Plan
from janus_synth.sampling.shares import Axis
from janus_synth.sampling.unique import Keys, too_few_keys
from janus_synth.sampling.verification import verify_rows
from janus_synth.streams import Stream, generator
from janus_synth.table import Table

LEAST_DRAWN, MOST_DRAWN = 1_024, 262_144
"""Rows that a source draws at once."""
SPENDABLE = 4.0
"""Rows drawn for each row wanted up to which a wide source is used; a plan of its own costs less beyond that."""
MOST_PLANS = 64
"""Strata with a plan of their own, before wide sources are used for longer."""
FEW_NEW = 0.05
"""Share of new keys among drawn rows below which the keys seen so far are excluded by a condition."""


class PlanMaker(Protocol):
    """Makes the plan for some conditions; without ``reasons`` an error does not say why there is none."""

    def __call__(self, wanted: tuple[Rule, ...], *, reasons: bool = True) -> Plan:
        """Return the plan."""


@dataclass
class Source:
    """Rows of the model under some conditions, drawn piece by piece."""

    model: Model
    plan: Plan | None
    """None if there are no conditions."""
    seed: int
    n_jobs: int | None
    verify: bool | None
    n_drawn: int = 0
    block: int = 0

    def draw(self, n: int) -> Table:
        """Draw ``n`` further rows."""
        if self.plan is None:
            table = sample_rows(self.model, n, seed=self.seed, first_block=self.block, n_jobs=self.n_jobs)
        else:
            table = sample_conditional(self.plan, n, seed=self.seed, first_block=self.block, n_jobs=self.n_jobs)
            if self.block == 0 and self.verify is not False:
                verify_rows(self.plan, table, seed=self.seed, thorough=bool(self.verify))
        self.block += -(-n // BLOCK_ROWS)
        self.n_drawn += n
        return table


@dataclass
class Sources:
    """Sources by their conditions, each with a seed of its own."""

    model: Model
    where: tuple[Rule, ...]
    plan_of: PlanMaker
    seed: int
    n_jobs: int | None = None
    verify: bool | None = None
    made: dict[tuple[Rule, ...], Source] = field(default_factory=dict)

    def under(self, *rules: Rule, reasons: bool = True) -> Source:
        """Source under the request's conditions and some more; raise ``InfeasibleError`` if no row meets them.

        Without ``reasons`` the error does not say why, which takes longer than the rest.
        """
        if rules not in self.made:
            wanted = (*self.where, *rules)
            plan = self.plan_of(wanted, reasons=reasons) if wanted or self.model.all_rules else None
            if plan is not None and not plan.request.rules:  # links guarantee all of them
                plan = None
            seed = int(generator(self.seed, Stream.SHARES, len(self.made)).integers(2**63))
            self.made[rules] = Source(self.model, plan, seed, self.n_jobs, self.verify)
        return self.made[rules]

    @property
    def n_drawn(self) -> int:
        """Rows drawn by all sources."""
        return sum(source.n_drawn for source in self.made.values())


@dataclass(frozen=True)
class Strata:
    """All combinations of one category per axis; a stratum is a number."""

    axes: tuple[Axis, ...]

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of categories of each axis."""
        return tuple(len(axis.categories) for axis in self.axes)

    def of_rows(self, table: Table) -> LongInts:
        """Stratum of each row."""
        found = np.zeros(table.n_rows, np.int64)
        for axis in self.axes:
            found = found * len(axis.categories) + axis.classify(table)
        return found

    def categories(self, strata: LongInts) -> list[LongInts]:
        """For each axis, the category of each stratum."""
        return [np.asarray(part, np.int64) for part in np.unravel_index(strata, self.sizes)] if self.axes else []

    def rules(self, stratum: int) -> tuple[Rule, ...]:
        """Conditions of a stratum."""
        at = (int(part[0]) for part in self.categories(np.array([stratum])))
        return tuple(axis.categories[i].test.source for axis, i in zip(self.axes, at, strict=True))


class Quotas:
    """Rows kept for each stratum until there are as many as wanted; with keys, no two of them share one."""

    def __init__(self, strata: LongInts, wanted: LongInts, keys: Keys | None) -> None:
        order = np.argsort(strata)
        self.strata, self.missing = strata[order], wanted[order].astype(np.int64)
        self.n_wanted = int(wanted.sum())
        self.keys = keys
        self.tables: list[Table] = []
        self.kept: list[LongInts] = []

    def offer(self, table: Table, strata: LongInts) -> LongInts:
        """Keep rows that are still missing; returns how many of each wanted stratum were offered."""
        place = np.searchsorted(self.strata, strata)
        place[place == len(self.strata)] = 0
        known = self.strata[place] == strata if len(self.strata) else np.zeros(len(strata), bool)
        offered = np.bincount(place[known], minlength=len(self.strata))
        rows = np.flatnonzero(known & (self.missing[place] > 0)) if len(self.strata) else np.zeros(0, np.int64)
        if self.keys is not None and len(rows):
            rows = rows[self.keys.is_new(table.take(rows))]
        rows = rows[_rank_within(place[rows]) < self.missing[place[rows]]]
        if len(rows):
            part = table.take(rows)
            if self.keys is not None:
                self.keys.add(part)
            self.tables.append(part)
            self.kept.append(strata[rows])
            self.missing -= np.bincount(place[rows], minlength=len(self.strata))
        return offered

    @property
    def n_missing(self) -> int:
        """Rows still missing."""
        return int(self.missing.sum())


def _rank_within(groups: LongInts) -> LongInts:
    """Position of each entry among the entries of its group."""
    order = np.argsort(groups, kind="stable")
    sorted_groups = groups[order]
    starts = np.searchsorted(sorted_groups, sorted_groups)
    rank = np.empty(len(groups), np.int64)
    rank[order] = np.arange(len(groups)) - starts
    return rank


def fill_quotas(strata: Strata, quotas: Quotas, sources: Sources, shares: Floats) -> None:
    """Draw rows until no quota has any missing; ``shares`` are the strata's rough shares of the base source's rows."""
    all_of_them = np.arange(len(quotas.strata))
    _draw_from(sources.under(), strata, quotas, all_of_them, shares, SPENDABLE)
    parts = strata.categories(quotas.strata)
    for axis, category in _rare_first(strata, parts, shares):
        among = np.flatnonzero((parts[axis] == category) & (quotas.missing > 0))
        if len(among) and (len(strata.axes) > 1 or len(among) > 1):
            source = sources.under(strata.axes[axis].categories[category].test.source)
            given = shares[among] / max(_total(parts, axis, category, shares), 1e-300)
            _draw_from(source, strata, quotas, among, given, SPENDABLE)
    if (quotas.missing > 0).sum() > MOST_PLANS:
        _draw_from(sources.under(), strata, quotas, all_of_them, shares, 16 * SPENDABLE)
    for i in np.flatnonzero(quotas.missing > 0):
        _draw_stratum(sources, strata, quotas, int(i))


def _total(parts: Sequence[LongInts], axis: int, category: int, shares: Floats) -> float:
    return float(shares[parts[axis] == category].sum())


def _rare_first(strata: Strata, parts: Sequence[LongInts], shares: Floats) -> list[tuple[int, int]]:
    """Axis and number of every category of wanted strata, the rarest first."""
    found = [(axis, int(category)) for axis, part in enumerate(parts) for category in np.unique(part)]
    return sorted(found, key=lambda each: _total(parts, each[0], each[1], shares))


def _draw_from(
    source: Source, strata: Strata, quotas: Quotas, among: LongInts, shares: Floats, spendable: float
) -> None:
    """Draw rows from a source as long as some of its strata can be filled without too many rows."""
    budget = spendable * max(int(quotas.missing[among].sum()), LEAST_DRAWN)
    seen, n_seen = shares * LEAST_DRAWN, float(LEAST_DRAWN)
    spent = 0
    while True:
        rate = np.maximum(seen, 0.5) / n_seen
        needed = quotas.missing[among] / rate
        able = (quotas.missing[among] > 0) & (needed <= budget)
        if not able.any() or spent >= 2 * budget:
            return
        n = int(np.clip(1.05 * needed[able].max() + 16, LEAST_DRAWN, min(MOST_DRAWN, max(budget, LEAST_DRAWN))))
        before = quotas.n_missing
        table = source.draw(n)
        seen, n_seen, spent = seen + quotas.offer(table, strata.of_rows(table))[among], n_seen + n, spent + n
        if quotas.keys is not None and before - quotas.n_missing < FEW_NEW * n:
            return


def _draw_stratum(sources: Sources, strata: Strata, quotas: Quotas, i: int) -> None:
    """Draw the missing rows of one stratum under all its conditions; keys that are used up are excluded by another."""
    stratum = int(quotas.strata[i])
    rules = strata.rules(stratum) if strata.axes else ()
    try:
        source = sources.under(*rules)
        while (missing := int(quotas.missing[i])) > 0:
            table = source.draw(min(max(missing, 64 if quotas.keys else 1), MOST_DRAWN))
            quotas.offer(table, strata.of_rows(table))
            few_new = missing - int(quotas.missing[i]) < FEW_NEW * table.n_rows
            if quotas.keys is not None and few_new and quotas.missing[i] > 0:
                source = sources.under(*rules, quotas.keys.others(), reasons=False)
                _require_mass(source)
    except InfeasibleError as error:
        if quotas.keys is not None and quotas.keys.n:
            raise too_few_keys(quotas.keys, quotas.n_wanted, quotas.keys.n, exact=not rules) from error
        named = " and ".join(map(str, rules))
        raise InfeasibleError(f"no row can have '{named}': {error}", conflict=error.conflict) from error


def _require_mass(source: Source) -> None:
    """Raise ``InfeasibleError`` if the model gives no probability to what the rules allow."""
    plan = source.plan
    if plan is not None and not plan.by_rejection and max(branch.log_mass for branch in plan.branches) == -np.inf:
        raise InfeasibleError("the model gives no probability to other rows.")
