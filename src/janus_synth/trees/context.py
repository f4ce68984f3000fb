"""Growth context: a codec, encoded rows and settings in; what all trees of a table share out.

That is, for every column, the code trees of its marginal likelihood and of its smoothing, a prior strength by empirical
Bayes, its scale of normal scores, and look-up tables of logarithms for the kernel that chooses splits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from janus_synth.arrays import Array, Bools, Codes, Floats, Ints, LongInts
from janus_synth.encoding import Codec, ColumnCodec, OrderedCodec
from janus_synth.kernels.dtypes import INDEX
from janus_synth.trees.axes import code_places, value_edges
from janus_synth.trees.code_tree import CodeTree, flat_tree, likeliest_strength, log_tables, polya_tree
from janus_synth.trees.scale import Scale, mean_scores, places, target_scale

EVIDENCE_LEVELS = 6
"""Levels of an ordered column's Pólya tree that count in the marginal likelihood of a split.

Measured: six levels, 64 groups of codes, are as good as all 254 bins and a third faster; 16 or 32 groups are easier to
detect (docs/defaults.md).
"""
ORDERED_PRICE = 0.5
"""Share of the multiple-testing penalty that splits of an ordered column pay.

Their leaves are shrunk towards the nodes above, which compensates for too many splits. Measured at 0, ½ and 1:
detection is equal on average, the full penalty is easier to detect on ``credit``, and none copies more rows
(docs/defaults.md).
"""
SUBSAMPLE = 0.63
"""Share of the rows that a tree of a bag chooses its splits on, drawn without replacement."""
ROW_WEIGHT = 1.58
"""Times that each of them counts in the marginal likelihood of a split.

As many rows as a bootstrap resample has, that count as often as its rows do on average, but all alike: they choose
fewer leaves of the same quality. Counted once, they choose a quarter of the leaves, and rows are easier to detect
(docs/defaults.md).
"""
DEEP_ROW_WEIGHT = 4.0
"""The same in deep trees, which columns get whose held-out rows they predict better, see `prepare_column`. Leaves of
deep trees may have half as many rows: measured, rows are detected less often, most of all on beijing and credit, and
hardly more of them are copied (docs/defaults.md)."""
PILOT_ROWS = 8192
"""Most rows of the pilots that decide whether trees are deep; a third of them judges."""


@dataclass(frozen=True, slots=True)
class GrowthSettings:
    """How trees grow; the names are those of the public interface, the defaults were measured in docs/defaults.md."""

    n_trees: int = 8
    min_samples_leaf: int = 5
    lambda_unsup: float = 0.0
    lambda_div: float = 0.0
    prior_strength: float = 1.0
    flat_prior: bool = False
    """As in the paper: flat Dirichlet evidence also for ordered columns, no shrinkage, no multiple-testing penalty."""
    leaves: str = "auto"
    """``"auto"`` mixes trends and histograms by held-out likelihood, ``"trend"`` uses trends wherever one can be
    fitted, ``"histogram"`` uses none."""
    most_smooth_parents: int | None = None
    """Columns with more possible parents get no smooth surface; None is no limit."""
    max_leaves: int = 4096
    """Bound on a tree's size and memory; only large tables reach it."""
    max_rows: int = 2**17
    """Most rows that a tree's splits are chosen on; its leaves count all rows."""

    deep: bool = False
    """Whether rows count more often and leaves may have half as many, so that trees have more leaves."""

    def price(self, *, ordered: bool) -> float:
        """Multiple-testing penalty of a split, as a multiple of the log of the number of candidate cuts.

        Without it the best of many cuts gains by chance and trees chase noise (docs/defaults.md); the paper has none.
        """
        return 0.0 if self.flat_prior else ORDERED_PRICE if ordered else 1.0

    @property
    def subsample(self) -> float:
        """Share of the rows that a tree's splits are chosen on: all for a single tree."""
        return SUBSAMPLE if self.n_trees > 1 else 1.0

    def subsample_size(self, n_rows: int) -> int:
        """Rows of a table of ``n_rows`` that a tree's splits are chosen on."""
        return int(np.ceil(self.subsample * min(n_rows, self.max_rows)))

    @property
    def row_weight(self) -> float:
        """Times that a row counts in the marginal likelihood of a split."""
        return (DEEP_ROW_WEIGHT if self.deep else ROW_WEIGHT) if self.n_trees > 1 else 1.0

    @property
    def least_sampled(self) -> int:
        """Fewest rows of the subsample in a leaf: its share of ``min_samples_leaf``, or of half in deep trees."""
        least = -(-self.min_samples_leaf // 2) if self.deep else self.min_samples_leaf
        return int(np.ceil(self.subsample * least))


@dataclass(frozen=True)
class GrowthContext:
    """What all trees of a table share; tuples have an entry per column."""

    x: Codes
    n_codes: Ints
    ordered: Ints
    evidence: tuple[CodeTree, ...]
    """Code trees of the marginal likelihood of a split: codes that occur, few levels."""
    smoothing: tuple[CodeTree, ...]
    """Code trees of the leaves' distributions: all codes, all levels."""
    allowed: tuple[Bools, ...]
    root_strength: tuple[float, ...]
    """Prior strength of each column's root, by empirical Bayes for ordered columns."""
    shares: tuple[Floats, ...]
    """Smoothed marginal distribution of each column's codes."""
    scales: tuple[Scale | None, ...]
    """Normal scores of the columns that may have trends."""
    values: tuple[tuple[Floats, ...], ...]
    """Other edges of their codes that may replace normal scores: standardised values and logarithms, see `axes`."""
    coordinates: tuple[Floats | None, ...]
    """Coordinates of the codes of ordered columns in the effects of a surface, see `axes`."""
    columns: tuple[ColumnCodec, ...]
    cells: Mapping[int, Floats]
    """Values of the continuous columns, for surfaces: an outermost code alone does not say how far out a row lies."""
    place: Floats
    """(rows,) relative position of each row inside its codes, see `places`; empty if no column may have trends."""
    flat: tuple[Ints, Ints, Ints, Ints, Ints, Ints]
    """path_start, path_slot, slot_up, inner, column_start and tables_of of the evidence trees, for the kernel."""
    logs: Floats
    deep_logs: Floats
    """The same as ``logs`` for deep trees, of the columns that may have them."""

    @property
    def n_rows(self) -> int:
        """Training rows."""
        return int(self.x.shape[1])

    @cached_property
    def pilot(self) -> Pilot:
        """A random part of the rows, at most `PILOT_ROWS`; two thirds of them to learn from, the others to judge by."""
        order = np.random.default_rng(0).permutation(self.n_rows)[:PILOT_ROWS]
        unseen, learnt = np.split(order, [len(order) // 3])
        rows = np.sort(order)
        whole = self.part(rows)
        is_unseen = np.isin(rows, unseen)
        return Pilot(rows, whole, np.searchsorted(rows, learnt), is_unseen, whole.part(np.flatnonzero(~is_unseen)))

    def part(self, rows: LongInts) -> GrowthContext:
        """The same for some of the rows."""
        return replace(
            self,
            x=np.ascontiguousarray(self.x[:, rows]),
            cells={i: values[rows] for i, values in self.cells.items()},
            place=self.place[rows] if len(self.place) else self.place,
        )


@dataclass(frozen=True, slots=True)
class Pilot:
    """Rows that designs of trees are compared on."""

    rows: LongInts
    """Their ascending numbers among all rows."""
    whole: GrowthContext
    """Context of these rows."""
    learnt: LongInts
    """Numbers among them, in random order, of the rows to learn from."""
    is_unseen: Bools
    """(rows,) whether each of them is one to judge by."""
    growth: GrowthContext
    """Context of the rows to learn from."""

    @property
    def learnt_rows(self) -> LongInts:
        """Ascending numbers among all rows of those to learn from."""
        return self.rows[~self.is_unseen]


def prepare_growth(
    codec: Codec, x: Codes, settings: GrowthSettings, cells: Mapping[str, Array] | None = None
) -> GrowthContext:
    """Prepare every column once, for all bags; ``cells``, if given, are the values that were encoded."""
    evidence, smoothing, strengths, shares, scales = [], [], [], [], []
    for i, column in enumerate(codec.columns.values()):
        counts = np.bincount(x[i], minlength=column.n_codes)
        strength = settings.prior_strength
        if column.ordered and not settings.flat_prior:
            evidence.append(polya_tree(counts, keep_empty=False, most_levels=EVIDENCE_LEVELS))
            smoothing.append(polya_tree(counts))
            prior = smoothing[-1].share_of_allowed(column.allowed | (counts > 0))
            strength = likeliest_strength(smoothing[-1], counts, prior, settings.prior_strength)
        else:
            evidence.append(flat_tree(counts, keep_empty=False))
            smoothing.append(flat_tree(counts))
            prior = smoothing[-1].share_of_allowed(column.allowed | (counts > 0))
        strengths.append(strength)
        concentration = smoothing[-1].concentration(settings.prior_strength, strength)
        shares.append(smoothing[-1].posterior_mean(counts, prior, concentration))
        may_have_trends = isinstance(column, OrderedCodec) and settings.leaves != "histogram"
        scales.append(target_scale(counts, shares[-1]) if may_have_trends else None)
    columns = list(codec.columns.values())
    mass_pairs = np.array([(tree.mass[-1], tree.split_mass[0]) for tree in evidence])
    masses = np.unique(mass_pairs)
    place = np.searchsorted(masses, mass_pairs)
    pairs, of_pair = np.unique(place, axis=0, return_inverse=True)
    most_rows = min(x.shape[1], settings.subsample_size(settings.max_rows))
    every = np.arange(len(pairs))
    may_be_deep = every if settings.lambda_unsup > 0 else np.unique(of_pair.reshape(-1)[codec.ordered != 0])
    logs, deep_logs = (
        _log_tables(masses, pairs, used, most_rows, replace(settings, deep=deep).row_weight)
        for deep, used in ((False, every), (True, may_be_deep))
    )
    return GrowthContext(
        x=x,
        n_codes=codec.n_codes,
        ordered=codec.ordered,
        evidence=tuple(evidence),
        smoothing=tuple(smoothing),
        allowed=tuple(column.allowed for column in codec.columns.values()),
        root_strength=tuple(strengths),
        shares=tuple(shares),
        scales=tuple(scales),
        values=tuple(_value_scale(*parts) for parts in zip(columns, scales, shares, strict=True)),
        columns=tuple(columns),
        cells=_continuous(codec, cells or {}),
        coordinates=tuple(_coordinates(*parts) for parts in zip(columns, shares, strict=True)),
        place=places(x) if any(scale is not None for scale in scales) else np.zeros(0),
        flat=_flatten(evidence, np.column_stack([place, len(masses) + of_pair.reshape(-1)]).astype(INDEX)),
        logs=logs,
        deep_logs=deep_logs,
    )


def _log_tables(masses: Floats, pairs: LongInts, used: LongInts, n_rows: int, weight: float) -> Floats:
    """Tables of logarithms by prior mass, then the differences of pairs of them; zeros for pairs that are not used."""
    tables = np.zeros((len(masses) + len(pairs), 2, n_rows + 2))
    mass = np.unique(pairs[used])
    tables[mass] = log_tables(masses[mass], n_rows, weight)
    tables[len(masses) + used] = tables[pairs[used, 0]] - tables[pairs[used, 1]]
    return tables


def _continuous(codec: Codec, cells: Mapping[str, Array]) -> Mapping[int, Floats]:
    """Values of the columns without a lattice, by their place in the codec."""
    return {
        i: cells[name]
        for i, (name, column) in enumerate(codec.columns.items())
        if isinstance(column, OrderedCodec) and column.lattice is None and name in cells
    }


def _value_scale(column: ColumnCodec, scale: Scale | None, shares: Floats) -> tuple[Floats, ...]:
    """Edges of a column's codes as values, unless it has spikes, whose empty intervals only normal scores have."""
    if scale is None or scale.apart[:-1].any() or not isinstance(column, OrderedCodec):
        return ()
    return value_edges(column, shares)


def _coordinates(column: ColumnCodec, shares: Floats) -> Floats | None:
    """Coordinates of an ordered column's codes; those of ordered levels are their normal scores."""
    if not column.ordered:
        return None
    scores = mean_scores(shares)
    if isinstance(column, OrderedCodec):
        return code_places(column, scores)
    width = scores[:-1].max() - scores[:-1].min()
    return np.append((scores[:-1] - scores[:-1].min()) / width, np.nan) if width > 0 else np.full(len(scores), np.nan)


def _flatten(evidence: Sequence[CodeTree], tables_of: Ints) -> tuple[Ints, Ints, Ints, Ints, Ints, Ints]:
    """All code trees one after the other, and where each column's begins."""
    sizes = [(len(tree.path_start), len(tree.path_slot), tree.n_slots) for tree in evidence]
    return (
        np.concatenate([tree.path_start for tree in evidence]),
        np.concatenate([tree.path_slot for tree in evidence]),
        np.concatenate([tree.slot_up for tree in evidence]),
        np.concatenate([(tree.split_mass > 0).astype(INDEX) for tree in evidence]),
        np.concatenate([np.zeros((1, 3), INDEX), np.cumsum(sizes, axis=0).astype(INDEX)]),
        tables_of,
    )


def subsample_rows(n_rows: int, settings: GrowthSettings, rng: np.random.Generator) -> Ints:
    """Ascending numbers of the rows that a tree's splits are chosen on, drawn without replacement."""
    size = settings.subsample_size(n_rows)
    if size == n_rows:
        return np.arange(n_rows, dtype=INDEX)
    is_drawn = np.zeros(n_rows, bool)
    is_drawn[rng.choice(n_rows, size, replace=False, shuffle=False)] = True
    return np.flatnonzero(is_drawn).astype(INDEX)
