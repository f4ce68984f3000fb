"""Rows in a mix of the user's choice: shares, means and keys in; rows and a report of what was reached out.

Of all distributions with the wanted shares and means, the rows follow the one closest to the model's conditional. In a
pool of rows, ``margins`` and ``tilting`` find how many rows of each stratum that takes; ``strata`` draws them; where
means are wanted, more candidates are drawn than rows, and chosen among.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from janus_synth.arrays import Floats, LongInts
from janus_synth.errors import InfeasibleError
from janus_synth.sampling.margins import CLOSE_ENOUGH, fit_margins, largest_remainder, margin_errors, round_counts
from janus_synth.sampling.means import WantedMean, stack_excess, stack_present
from janus_synth.sampling.mix_report import MeanReached, Mix, ShareReached
from janus_synth.sampling.probability import estimate_log_probability
from janus_synth.sampling.shares import Axis
from janus_synth.sampling.strata import Quotas, Sources, Strata, fill_quotas
from janus_synth.sampling.tilting import choose_rows, exchange_rows, tilt
from janus_synth.sampling.unique import Keys, check_enough_keys
from janus_synth.streams import Stream, generator
from janus_synth.table import Table

POOL_ROWS = (4_096, 65_536)
"""Fewest and most rows of the pool that strata are counted in."""
FEW = 200
"""Rows of a category in the pool below which more are drawn under its own condition, where several axes meet."""
MORE_ROWS = 2_048
FEW_SEEN = 20
"""Rows of a category in the pool below which its probability is estimated by its own plan."""
ROUNDS = 30
"""Rounds between margins and means, at most."""
SPARE = (2.0, 32.0)
"""Fewest and most candidates per row where means are wanted. The most that a tilt may favour a row is this number;
beyond it, rows are all candidates there are, and a warning says so."""


@dataclass(frozen=True)
class Wish:
    """What a table should be like."""

    axes: tuple[Axis, ...] = ()
    means: tuple[WantedMean, ...] = ()
    keys: Keys | None = None


class Pool(NamedTuple):
    """Rows to count strata in: each stratum's share of the model's rows, and rows with their strata."""

    strata: LongInts
    shares: Floats
    table: Table
    of_row: LongInts


def draw_mix(sources: Sources, wish: Wish, n: int) -> tuple[Table, Mix]:
    """Draw ``n`` rows of a mix, in random order, and report on it."""
    if wish.keys is not None:
        check_enough_keys(sources.model, wish.keys.names, n)
    wish = replace(wish, axes=tuple(_drop_impossible(axis, sources) for axis in wish.axes))
    strata, rng = Strata(wish.axes), generator(sources.seed, Stream.MIX)
    pool, extra = _draw_pool(strata, wish, sources, n)
    counts, slopes = _count_strata(strata, wish, pool, n, rng)
    spare = _spare(wish, pool, counts, slopes)
    quotas = Quotas(pool.strata[counts > 0], np.ceil(counts * spare).astype(np.int64)[counts > 0], wish.keys)
    for table in extra:
        quotas.offer(table, strata.of_rows(table))
    fill_quotas(strata, quotas, sources, pool.shares[counts > 0])
    rows = Table.concatenate(quotas.tables) if quotas.tables else pool.table.take([])
    of_row = np.concatenate([np.zeros(0, np.int64), *quotas.kept])
    effective = float(n)
    if wish.means and n:
        at, effective = _choose(wish.means, rows, of_row, quotas.strata, counts[counts > 0], n, rng)
        rows = rows.take(at)
    rows = rows.take(rng.permutation(rows.n_rows))
    return rows, _report(wish, rows, sources, effective)


# The pool


def _drop_impossible(axis: Axis, sources: Sources) -> Axis:
    """A balanced axis without the levels that the request's conditions exclude; any other axis as it is."""
    if not axis.balanced:
        return axis
    possible = []
    for category in axis.categories[:-1]:
        try:
            sources.plan_of((*sources.where, category.test.source))
        except InfeasibleError:
            continue
        possible.append(category)
    return axis.keep_balanced(possible)


def _draw_pool(strata: Strata, wish: Wish, sources: Sources, n: int) -> tuple[Pool, list[Table]]:
    """Rows under the request's conditions, and further ones of rare categories."""
    size = int(np.clip(n if len(wish.axes) < 2 else 4 * n, *POOL_ROWS))
    base = sources.under().draw(size if wish.axes or wish.means else max(min(n, POOL_ROWS[1]), 1))
    of_row = strata.of_rows(base)
    found, counts = np.unique(of_row, return_counts=True)
    shares = dict(zip(found.tolist(), (counts / base.n_rows).tolist(), strict=True))
    best = dict(zip(found.tolist(), counts.tolist(), strict=True))
    tables = [base]
    for number, axis in enumerate(strata.axes):
        seen = np.bincount(axis.classify(base), minlength=len(axis.categories))
        for category in np.flatnonzero((np.array(axis.shares) > 0) & (seen < FEW)):
            if len(strata.axes) == 1 and (seen[category] or not wish.means):
                shares.setdefault(int(category), 0.0)
                continue
            table, share = _draw_category(sources, strata, number, int(category), int(seen[category]), base.n_rows)
            tables.append(table)
            for stratum, count in zip(*np.unique(strata.of_rows(table), return_counts=True), strict=True):
                if count > best.get(int(stratum), 0):  # the sample that saw more of it estimates it better
                    best[int(stratum)] = int(count)
                    shares[int(stratum)] = share * count / table.n_rows
    cells = np.array(sorted(shares), np.int64)
    every = Table.concatenate(tables)
    pool = Pool(cells, np.array([shares[int(cell)] for cell in cells]), every, strata.of_rows(every))
    return pool, tables


def _draw_category(
    sources: Sources, strata: Strata, axis: int, category: int, seen: int, n_base: int
) -> tuple[Table, float]:
    """Rows of a rare category, and its share of all rows."""
    wanted = strata.axes[axis].categories[category]
    try:
        source = sources.under(wanted.test.source)
    except InfeasibleError as error:
        raise InfeasibleError(
            f"a share of {wanted.share:.4g} of the rows should have '{wanted}', but no row can: {error}",
            conflict=error.conflict or (str(wanted),),
        ) from error
    table = source.draw(MORE_ROWS)
    if seen >= FEW_SEEN or source.plan is None:
        return table, seen / n_base
    base = sources.under().plan
    log_share = estimate_log_probability(source.plan, seed=source.seed, n_jobs=sources.n_jobs).log_value
    if base is not None:
        log_share -= estimate_log_probability(base, seed=source.seed, n_jobs=sources.n_jobs).log_value
    return table, float(np.exp(min(log_share, 0.0)))


# Rows of each stratum


def _count_strata(strata: Strata, wish: Wish, pool: Pool, n: int, rng: np.random.Generator) -> tuple[LongInts, Floats]:
    """Rows of each stratum, margins exact, and the tilt that gives the means."""
    members = strata.categories(pool.strata)
    margins = [np.array(axis.shares) for axis in strata.axes]
    counts = [largest_remainder(each, n) for each in margins]
    fitted, slopes = _fit(wish, pool, members, margins)
    _check_margins(strata, fitted, members, margins)
    if not members:
        return np.array([n], np.int64), slopes
    return round_counts(fitted * n, members, counts, rng), slopes


def _fit(wish: Wish, pool: Pool, members: list[LongInts], margins: list[Floats]) -> tuple[Floats, Floats]:
    """Share of each stratum that gives the margins, and the tilt that gives the means, in turns."""
    if len(members) == 1:  # margins alone decide
        fitted = margins[0][members[0]]
    else:
        fitted = fit_margins(pool.shares, members, margins) if members else np.ones(1)
    slopes = np.zeros(len(wish.means))
    if not wish.means:
        return fitted, slopes
    excess = stack_excess(wish.means, pool.table)
    place = np.searchsorted(pool.strata, pool.of_row)
    for _ in range(ROUNDS if len(members) > 1 else 1):
        found = tilt(excess, place, fitted)
        done = np.allclose(found.slopes, slopes, rtol=1e-4, atol=0.0)
        slopes = found.slopes
        if done or len(members) < 2:
            break
        weight = np.exp(slopes @ excess - (slopes @ excess).max())
        mean = np.bincount(place, weight, minlength=len(fitted)) / np.maximum(
            np.bincount(place, minlength=len(fitted)), 1
        )
        fitted = fit_margins(pool.shares * mean, members, margins)
    return fitted, slopes


def _check_margins(strata: Strata, fitted: Floats, members: list[LongInts], margins: list[Floats]) -> None:
    """Raise ``InfeasibleError`` if no joint distribution over the strata that occur has the margins."""
    errors = margin_errors(fitted, members, margins)
    worst = [float(np.abs(error).max()) for error in errors]
    if max(worst, default=0.0) <= CLOSE_ENOUGH:
        return
    axis = int(np.argmax(worst))
    category = strata.axes[axis].categories[int(np.abs(errors[axis]).argmax())]
    others = sorted({name for other in strata.axes for name in other.columns} - set(category.test.columns))
    raise InfeasibleError(
        f"a share of {category.share:.4g} for '{category}' cannot be had together with the shares of "
        f"{', '.join(map(repr, others)) or 'the other conditions'}: too few combinations of them occur. Ask for other "
        "shares, or for joint shares of these columns.",
        conflict=(str(category),),
    )


# Candidates and means


def _spare(wish: Wish, pool: Pool, counts: LongInts, slopes: Floats) -> Floats:
    """Candidates to draw for each row of each stratum: as many as the tilt favours its heaviest row."""
    if not wish.means:
        return np.ones(len(counts))
    log_weight = slopes @ stack_excess(wish.means, pool.table)
    place = np.searchsorted(pool.strata, pool.of_row)
    spare = np.full(len(counts), SPARE[0])
    for stratum in np.flatnonzero(counts):
        own = log_weight[place == stratum]
        weight = np.exp(own - own.max()) if len(own) else np.ones(1)
        spare[stratum] = np.clip(1.5 / weight.mean(), *SPARE)
    return spare


def _choose(
    means: tuple[WantedMean, ...], rows: Table, of_row: LongInts, strata: LongInts, counts: LongInts, n: int,
    rng: np.random.Generator,
) -> tuple[LongInts, float]:  # fmt: skip
    """Choose candidates so that the means lie within their tolerances; returns their effective sample size, too."""
    place = np.searchsorted(strata, of_row)
    excess, present = stack_excess(means, rows), stack_present(means, rows)
    found = tilt(excess, place, counts)
    limits = np.array([_limit(mean, excess[i][present[i]], n) for i, mean in enumerate(means)])
    chosen = choose_rows(found, excess, place, counts, rng)
    chosen = exchange_rows(chosen, excess, present, place, limits, rng)
    reached = [
        float(excess[i][chosen & present[i]].mean()) if (chosen & present[i]).any() else 0.0 for i in range(len(means))
    ]
    for mean, error, limit, row in zip(means, reached, limits, excess, strict=True):
        if abs(error) > limit * (1 + 1e-9):
            raise InfeasibleError(
                f"a mean of {mean.value:g} ± {limit:.4g} is out of reach for {mean.column!r}: the model's rows under "
                f"these conditions have a mean of {mean.value + row.mean():.6g}, and the {n:,} of {rows.n_rows:,} rows "
                f"that come closest one of {mean.value + error:.6g}. Ask for a mean closer to the model's, or narrow "
                "the rows with where.",
                conflict=(f"mean of {mean.column}",),
            )
    if found.effective < n:
        warnings.warn(
            f"the means are far from the model's: {rows.n_rows:,} candidates are worth {found.effective:,.0f} "
            f"independent rows, fewer than the {n:,} asked for, so that rows near the means are used up.",
            stacklevel=2,
        )
    return np.flatnonzero(chosen), found.effective


def _limit(mean: WantedMean, excess: Floats, n: int) -> float:
    """Largest error of a mean: the tolerance, or the standard error of independent rows."""
    if mean.tolerance is not None:
        return mean.tolerance
    return max(float(excess.std()) / np.sqrt(max(n, 1)), 1e-9 * max(abs(mean.value), 1.0)) if len(excess) else 1.0


# What was reached


def _report(wish: Wish, rows: Table, sources: Sources, effective: float) -> Mix:
    shares = [
        ShareReached(str(category), category.share, int(count))
        for axis in wish.axes
        for category, count in zip(
            axis.categories, np.bincount(axis.classify(rows), minlength=len(axis.categories)), strict=True
        )
        if category.share > 0 or count
    ]
    means = []
    for mean in wish.means:
        cells = np.asarray(rows[mean.column], float)[mean.present(rows)]
        means.append(MeanReached(mean.column, mean.value, float(cells.mean()) if len(cells) else float("nan")))
    return Mix(rows.n_rows, tuple(shares), tuple(means), sources.n_drawn, effective)
