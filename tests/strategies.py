"""Hypothesis strategies and seeded makers of columns and tables that the tests share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from hypothesis import assume, settings
from hypothesis import strategies as st

from janus_synth.encoding import Codec
from janus_synth.encoding.levels import fit_levels
from janus_synth.encoding.ordered import fit_ordered
from janus_synth.kernels.dtypes import INDEX
from janus_synth.trees import Bag, GrowthSettings, Surface, Trends, grow_bag, prepare_growth

quick = settings(deadline=None, max_examples=25)
"""For properties that cost milliseconds; a first call may compile."""

seeds = st.integers(0, 2**32 - 1)

DAY = 86_400_000_000.0
"""A day in microseconds."""

TEXT_DTYPE = str(pd.Series(["a"]).dtype)
"""What pandas holds text in: ``str`` since version 3, ``object`` before."""

Shape = Callable[[np.random.Generator, int], np.ndarray]


def _with_zeros(share: float, rest: Shape) -> Shape:
    return lambda rng, n: np.where(rng.random(n) < share, 0.0, rest(rng, n))


def _lognormal(rng, n):
    return np.exp(rng.normal(3.0, 1.5, n))


def _some_round(rng, n):
    values = rng.normal(50.0, 20.0, n)
    return np.where(rng.random(n) < 0.6, np.round(values, -1), values)


CONTINUOUS: dict[str, Shape] = {
    "normal": lambda rng, n: rng.normal(size=n),
    "uniform far from zero": lambda rng, n: 1e6 + rng.random(n),
    "lognormal": _lognormal,
    "heavy tail": lambda rng, n: rng.pareto(1.1, n),
    "two heavy tails": lambda rng, n: rng.standard_t(1.5, n),
    "mostly zero": _with_zeros(0.92, _lognormal),
    "round values among smooth ones": _some_round,
    "tiny": lambda rng, n: 1e-12 * rng.random(n),
}
"""Columns without a lattice (given enough rows)."""

ON_LATTICE: dict[str, Shape] = {
    "small integers": lambda rng, n: rng.integers(-3, 9, n).astype(float),
    "integers": lambda rng, n: rng.integers(-500, 500, n).astype(float),
    "counts with a tail": lambda rng, n: np.floor(np.exp(rng.normal(2.0, 1.5, n))),
    "cents": lambda rng, n: np.round(_lognormal(rng, n), 2),
    "cents, mostly zero": _with_zeros(0.92, lambda rng, n: np.round(_lognormal(rng, n), 2)),
    "multiples of 500": lambda rng, n: 500.0 * rng.integers(10, 200, n),
    "sums of tenths": lambda rng, n: 0.1 * rng.integers(0, 40, n) + 0.2,
    "days": lambda rng, n: DAY * rng.integers(-3_000, 20_000, n),
    "one value": lambda rng, n: np.full(n, 7.25),
    "two values": lambda rng, n: rng.choice([-1.5, 3.0], n),
}
"""Columns on a lattice."""

SHAPES = CONTINUOUS | ON_LATTICE


@dataclass(frozen=True)
class OrderedColumn:
    """Values of one ordered column (NaN is missing) and how to fit it."""

    shape: str
    values: np.ndarray
    n_bins: int
    low: float | None
    high: float | None
    within: str = "smooth"
    equal_mass: bool = False

    @property
    def present(self) -> np.ndarray:
        return self.values[~np.isnan(self.values)]

    def fit(self):
        return fit_ordered(
            self.values,
            n_bins=self.n_bins,
            low=self.low,
            high=self.high,
            within=self.within,
            equal_mass=self.equal_mass,
            nullable=bool(np.isnan(self.values).any()),
        )


@st.composite
def ordered_columns(draw, shapes=tuple(SHAPES), max_rows=300):
    """Ordered columns of many shapes, with gaps and declared domains beyond the data."""
    shape = draw(st.sampled_from(shapes))
    n = draw(st.integers(1, max_rows))
    rng = np.random.default_rng(draw(seeds))
    values = SHAPES[shape](rng, n)
    spread = float(np.ptp(values)) or max(1.0, 1e-3 * abs(float(values[0])))
    beyond = st.none() | st.sampled_from([0.0, 0.01, 1.0]).map(lambda share: share * spread)
    below, above = draw(beyond), draw(beyond)
    low = None if below is None else float(values.min()) - below
    high = None if above is None else float(values.max()) + above
    missing = rng.random(n) < draw(st.sampled_from([0.0, 0.2]))
    missing[0] = False
    return OrderedColumn(
        shape,
        np.where(missing, np.nan, values),
        n_bins=draw(st.sampled_from([2, 5, 20, 254])),
        low=low,
        high=high,
        within=draw(st.sampled_from(["smooth", "knots", "uniform"])),
        equal_mass=draw(st.sampled_from([False, False, True])),
    )


@dataclass(frozen=True)
class CodeTable:
    """Codes of related columns and the codec they come from."""

    codec: Codec
    x: np.ndarray

    @property
    def n_rows(self) -> int:
        return self.x.shape[1]


def related_codes(
    rng: np.random.Generator, kinds: str, n_rows: int, *, n_values: int = 5, missing: float = 0.1
) -> CodeTable:
    """Columns that each lean on the one before; ``kinds`` spells them: o ordered, u unordered."""
    codecs, rows = {}, []
    z = rng.normal(size=n_rows)
    for i, kind in enumerate(kinds):
        z = 0.8 * z + 0.6 * rng.normal(size=n_rows)
        cells = np.clip(np.floor(n_values * (0.5 + z / 4)), 0, n_values - 1).astype(np.int32)
        gone = rng.random(n_rows) < missing
        gone[0] = False
        if kind == "o":
            values = np.where(gone, np.nan, cells)
            codec = fit_ordered(values, n_bins=50, nullable=missing > 0)
        else:
            values = np.where(gone, -1, rng.permutation(n_values)[cells]).astype(np.int32)
            codec = fit_levels(values, n_levels=n_values, ordered=False, nullable=missing > 0)
        codecs[f"{kind}{i}"] = codec
        rows.append(codec.encode(values))
    return CodeTable(Codec(codecs), np.stack(rows))


def random_shape(rng: np.random.Generator, n_splits: int) -> tuple[list[int], list[int]]:
    """Children of a random tree: every split turns one leaf into two nodes at the end."""
    left, right = [-1], [-1]
    for _ in range(n_splits):
        node = int(rng.choice(np.flatnonzero(np.array(left) < 0)))
        left[node], right[node] = len(left), len(left) + 1
        left += [-1, -1]
        right += [-1, -1]
    return left, right


def bag_for(table: CodeTable, *, n_trees: int = 3, seed: int = 0, **rules) -> Bag:
    """A bag for the first column given all others."""
    growth = GrowthSettings(n_trees=n_trees, **rules)
    ground = prepare_growth(table.codec, table.x, growth)
    rngs = np.random.default_rng(seed).spawn(n_trees)
    return grow_bag(ground, 0, range(1, len(table.x)), growth, rngs)


@st.composite
def code_tables(draw, max_columns=4, max_rows=80, min_rows=1):
    """Small tables of codes whose columns depend on one another."""
    kinds = draw(st.text("ou", min_size=2, max_size=max_columns))
    rng = np.random.default_rng(draw(seeds))
    return related_codes(
        rng,
        kinds,
        draw(st.integers(min_rows, max_rows)),
        n_values=draw(st.sampled_from([2, 3, 6])),
        missing=draw(st.sampled_from([0.0, 0.15])),
    )


@st.composite
def trend_tables(draw, max_columns=4, max_rows=120, min_rows=40):
    """Small tables of codes whose first column may have trends: enough codes on the scale, at times a heavy one too."""
    rng = np.random.default_rng(draw(seeds))
    table = related_codes(
        rng,
        "o" + draw(st.text("ou", min_size=1, max_size=max_columns - 1)),
        draw(st.integers(min_rows, max_rows)),
        n_values=draw(st.sampled_from([8, 20])),
        missing=draw(st.sampled_from([0.0, 0.15])),
    )
    if draw(st.booleans()):
        table.x[0, rng.random(table.n_rows) < 0.4] = rng.integers(table.codec.n_codes[0] - 1)
    return table


def trended_bag(table: CodeTable, **rules) -> Bag:
    """A bag for the first column given all others, and with trends."""
    bag = bag_for(table, **rules)
    assume(bag.trends is not None)
    return bag


def reweighted(bag: Bag, rng: np.random.Generator, *, any_surface: bool = True) -> Bag:
    """The same bag with other weights of its trends: some leaves without, the others anything below 1.

    With ``any_surface`` half of the bags also have another surface, and most have other bins of residuals; their
    residuals were counted without them.
    """
    assert bag.trends is not None
    weight = rng.random(bag.splits.n_leaves) * (rng.random(bag.splits.n_leaves) < 0.8)
    surface = random_surface(bag.trends, rng) if any_surface and rng.random() < 0.5 else bag.trends.surface
    bend = float(rng.choice([bag.trends.bend, 0.0, 0.4, 7.0, 300.0])) if any_surface else bag.trends.bend
    return replace(bag, trends=replace(bag.trends, weight=weight, surface=surface, bend=bend))


def random_surface(trends: Trends, rng: np.random.Generator) -> Surface:
    """A surface over the parents of trends, with any effects; some codes have none."""
    p, n_codes = trends.score.shape
    place = np.where(rng.random((p, n_codes)) < 0.9, rng.random((p, n_codes)), np.nan)
    place[:, 0] = 0.5
    both = [(a, b) for a in range(p) for b in range(a) if rng.random() < 0.7]
    single, joint = 0.3 * rng.normal(size=(2, p, 7)), 0.3 * rng.normal(size=(2, len(both), 5, 5))
    return Surface(place, 0.3 * rng.normal(size=2), single, np.array(both, INDEX).reshape(-1, 2), joint)


def count_tables(max_codes=12, max_count=50):
    """Counts of a column's codes, at least one of them positive."""
    counts = st.lists(st.integers(0, max_count), min_size=1, max_size=max_codes)
    return counts.filter(any).map(np.array)
