"""The pool of a mix: strata and sources in; each stratum's share of the model's rows, and rows of it, out.

Rows are drawn under the request's own conditions. Where several axes meet, the joint shares of a rare category's strata
come from further rows that are drawn under its condition.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from janus_synth.arrays import Floats, LongInts
from janus_synth.errors import InfeasibleError
from janus_synth.sampling.probability import estimate_log_probability
from janus_synth.sampling.shares import Axis
from janus_synth.sampling.strata import Sources, Strata
from janus_synth.table import Table

POOL_ROWS = (4_096, 65_536)
"""Fewest and most rows of the pool that strata are counted in."""
FEW = 200
"""Rows of a category in the pool below which more are drawn under its own condition, where several axes meet."""
MORE_ROWS = 2_048
FEW_SEEN = 20
"""Rows of a category in the pool below which its probability is estimated by its own plan."""


class Pool(NamedTuple):
    """Rows to count strata in: each stratum's share of the model's rows, and rows with their strata."""

    strata: LongInts
    shares: Floats
    table: Table
    of_row: LongInts


def drop_impossible(axis: Axis, sources: Sources) -> Axis:
    """A balanced axis without the levels that the request's conditions exclude; any other axis as it is."""
    if not axis.balanced:
        return axis
    possible = []
    for category in axis.categories[:-1]:
        try:
            sources.plan_of((*sources.where, category.test.source), reasons=False)
        except InfeasibleError:
            continue
        possible.append(category)
    return axis.keep_balanced(possible)


def draw_pool(strata: Strata, sources: Sources, n: int, *, with_means: bool) -> tuple[Pool, list[Table]]:
    """Rows under the request's conditions, and further ones of rare categories."""
    size = int(np.clip(n if len(strata.axes) < 2 else 4 * n, *POOL_ROWS))
    base = sources.under().draw(size if strata.axes or with_means else max(min(n, POOL_ROWS[1]), 1))
    of_row = strata.of_rows(base)
    found, counts = np.unique(of_row, return_counts=True)
    shares = dict(zip(found.tolist(), (counts / base.n_rows).tolist(), strict=True))
    best = dict(zip(found.tolist(), counts.tolist(), strict=True))
    tables = [base]
    for number, axis in enumerate(strata.axes):
        seen = np.bincount(axis.classify(base), minlength=len(axis.categories))
        for category in np.flatnonzero((np.array(axis.shares) > 0) & (seen < FEW)):
            if len(strata.axes) == 1 and (seen[category] or not with_means):
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
