"""Rows in a mix of the user's choice: shares, means and keys in; rows and a report of what was reached out.

Of all distributions with the wanted shares and means, the rows follow the one closest to the model's conditional. In a
pool of rows, ``margins`` and ``tilting`` find how many rows of each stratum that takes; ``strata`` draws them; where
means are wanted, more candidates are drawn than rows, and chosen among.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace

import numpy as np

from janus_synth.arrays import Floats, LongInts
from janus_synth.errors import InfeasibleError
from janus_synth.sampling.margins import CLOSE_ENOUGH, fit_margins, largest_remainder, margin_errors, round_counts
from janus_synth.sampling.means import WantedMean, stack_excess, stack_present
from janus_synth.sampling.mix_report import MeanReached, Mix, ShareReached
from janus_synth.sampling.pool import Pool, draw_pool, drop_impossible
from janus_synth.sampling.shares import Axis
from janus_synth.sampling.strata import Quotas, Sources, Strata, fill_quotas
from janus_synth.sampling.tilting import choose_rows, exchange_rows, tilt
from janus_synth.sampling.unique import Keys, check_enough_keys
from janus_synth.streams import Stream, generator
from janus_synth.table import Table

ROUNDS = 30
"""Rounds between margins and means, at most."""
FEW_CANDIDATES = 128
"""Candidates of a stratum below which more are drawn, up to the most per row: a few rows have few means."""
SPARE = (2.0, 32.0)
"""Fewest and most candidates per row where means are wanted. The most that a tilt may favour a row is this number;
beyond it, rows are all candidates there are, and a warning says so."""


@dataclass(frozen=True)
class Wish:
    """What a table should be like."""

    axes: tuple[Axis, ...] = ()
    means: tuple[WantedMean, ...] = ()
    keys: Keys | None = None


def draw_mix(sources: Sources, wish: Wish, n: int) -> tuple[Table, Mix]:
    """Draw ``n`` rows of a mix, in random order, and report on it."""
    if wish.keys is not None:
        check_enough_keys(wish.keys, n)
    wish = replace(wish, axes=tuple(drop_impossible(axis, sources) for axis in wish.axes))
    strata, rng = Strata(wish.axes), generator(sources.seed, Stream.MIX)
    pool, extra = draw_pool(strata, sources, n, with_means=bool(wish.means))
    counts, slopes = _count_strata(strata, wish, pool, n, rng)
    quotas = _draw_candidates(strata, wish, sources, pool, extra, counts, _candidates(wish, pool, counts, slopes))
    rows = Table.concatenate(quotas.tables) if quotas.tables else pool.table.take([])
    of_row = np.concatenate([np.zeros(0, np.int64), *quotas.kept])
    effective = float(n)
    if wish.means and n:
        at, effective = _choose(wish.means, rows, of_row, quotas.strata, counts[counts > 0], n, rng)
        rows = rows.take(at)
    rows = rows.take(rng.permutation(rows.n_rows))
    return rows, _report(wish, rows, sources, effective)


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


def _candidates(wish: Wish, pool: Pool, counts: LongInts, slopes: Floats) -> LongInts:
    """Candidates to draw for each stratum: as many per row as the tilt favours the heaviest, and not too few."""
    if not wish.means:
        return counts
    log_weight = slopes @ stack_excess(wish.means, pool.table)
    place = np.searchsorted(pool.strata, pool.of_row)
    spare = np.full(len(counts), SPARE[0])
    for stratum in np.flatnonzero(counts):
        own = log_weight[place == stratum]
        weight = np.exp(own - own.max()) if len(own) else np.ones(1)
        spare[stratum] = np.clip(1.5 / weight.mean(), *SPARE)
    few = np.minimum(SPARE[1] * counts, FEW_CANDIDATES)
    wanted: LongInts = np.ceil(np.maximum(counts * spare, few)).astype(np.int64)
    return wanted


def _draw_candidates(
    strata: Strata, wish: Wish, sources: Sources, pool: Pool, tables: list[Table], counts: LongInts, wanted: LongInts
) -> Quotas:
    """Draw the candidates of all strata; if their keys run out, as many as there are keys for."""
    asked = counts > 0
    while True:
        keys = None if wish.keys is None else wish.keys.copy()
        quotas = Quotas(pool.strata[asked], wanted[asked], keys)
        for table in tables:
            quotas.offer(table, strata.of_rows(table))
        try:
            fill_quotas(strata, quotas, sources, pool.shares[asked])
        except InfeasibleError:
            if keys is None or (wanted == counts).all():
                raise
            wanted = counts + (wanted - counts) // 2
            continue
        return quotas


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
