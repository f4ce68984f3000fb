"""Two columns in; the shares of rows by groups of their values out, real and synthetic, for the detail of a pair."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from janus_synth.arrays import Array, LongInts
from janus_synth.plots.marginals import Pair, value_label
from janus_synth.plots.theme import SOURCES

MOST_GROUPS = 6
UNIT = 10_000
"""Shares are whole numbers of this part of the rows."""


class Groups(NamedTuple):
    """Labels of the groups of a column, and the group of every real and every synthetic row."""

    labels: tuple[str, ...]
    of_rows: tuple[LongInts, LongInts]


def group_column(pair: Pair) -> Groups:
    """Group the values of a column: frequent levels, or ranges with about as many real rows each.

    Examples
    --------
    >>> import pandas as pd
    >>> from janus_synth.plots.marginals import column_pairs
    >>> frame = pd.DataFrame({"x": [1.5, 2.5, 3.5, 4.5, None] * 30})
    >>> group_column(column_pairs(frame, frame, None)[0]).labels
    ('1.5', '2.5', '3.5', '4.5', 'missing')
    """
    pooled = np.concatenate([pair.present(source) for source in SOURCES])
    distinct, counts = np.unique(pooled, return_counts=True)
    if pair.column.is_discrete or len(distinct) <= MOST_GROUPS:
        labels, codes = _frequent(pair, distinct, counts)
    else:
        labels, codes = _ranges(pair)
    if any(pair.missing_share(source) for source in SOURCES) or not labels:
        missing = len(labels)
        labels = [*labels, "missing"]
        codes = [np.where(_present(pair, source), code, missing) for source, code in zip(SOURCES, codes, strict=True)]
    return Groups(tuple(labels), (codes[0], codes[1]))


def joint_shares(first: Groups, second: Groups) -> tuple[list[int], list[int]]:
    """Shares of real and of synthetic rows in each pair of groups, row by row, in units of 1 / 10,000."""
    shape = len(first.labels), len(second.labels)
    shares = []
    for a, b in zip(first.of_rows, second.of_rows, strict=True):
        counts = np.bincount(a * shape[1] + b, minlength=shape[0] * shape[1])
        shares.append(np.rint(UNIT * counts / len(a)).astype(int).tolist())
    return shares[0], shares[1]


def _present(pair: Pair, source: str) -> Array:
    values = pair.values[source]
    return values >= 0 if pair.column.is_discrete else np.isfinite(values)


def _frequent(pair: Pair, distinct: Array, counts: Array) -> tuple[list[str], list[LongInts]]:
    """The most frequent values, each on its own, and all others together."""
    named = pair.may_be_named(distinct)
    order = np.lexsort((-counts, ~named))
    n_kept = min(int(named.sum()), len(order) if len(order) <= MOST_GROUPS else MOST_GROUPS - 1)
    kept = np.sort(order[:n_kept])
    labels = [value_label(pair.column, float(distinct[place])) for place in kept]
    if others := len(order) - n_kept:
        labels.append(f"{others:,} other{'s' * (others > 1)}")
    codes = []
    for source in SOURCES:
        code = np.full(pair.n_rows[source], n_kept)
        for group, place in enumerate(kept):
            code[pair.values[source] == distinct[place]] = group
        codes.append(code)
    return labels, codes


def _ranges(pair: Pair) -> tuple[list[str], list[LongInts]]:
    """Ranges between quantiles of the real rows; both ends are open."""
    real = pair.present("real")
    base = real if len(real) else pair.present("synthetic")
    inner = np.unique(np.quantile(base, np.arange(1, MOST_GROUPS) / MOST_GROUPS, method="lower"))
    cuts = inner[inner > base.min()]
    texts = [value_label(pair.column, float(cut)) for cut in cuts]
    middle = [f"{low} – {high}" for low, high in pairwise(texts)]
    labels = [f"< {texts[0]}", *middle, f"≥ {texts[-1]}"] if texts else ["all"]
    return labels, [np.searchsorted(cuts, pair.values[source], side="right") for source in SOURCES]
