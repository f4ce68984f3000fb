"""Truncated distributions of a column: sets of allowed values in; the mass they leave of each code, and draws out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from janus_synth.arrays import Array, Codes, Floats, Ints
from janus_synth.encoding import ColumnCodec, LevelCodec, OrderedCodec
from janus_synth.kernels.dtypes import INDEX
from janus_synth.rules.compilation import Sets
from janus_synth.table import cells


class Truncation(Protocol):
    """A column's codes, restricted to sets of values."""

    @property
    def n_codes(self) -> int:
        """Codes, missing among them."""
        ...

    def allowed_mass(self, sets: Sets) -> Floats:
        """(rows of ``sets``, codes) share of each code's mass that the sets allow."""
        ...

    def draw_within(self, codes: Codes, u: Floats, sets: Sets) -> Floats:
        """Value of each row at quantile ``u`` of its code truncated to its set; NaN for missing."""
        ...

    def has_no_mass(self, sets: Sets) -> bool:
        """Whether the sets have probability zero: single values of a continuous column."""
        ...


@dataclass(frozen=True, slots=True)
class BinTruncation:
    """Bins of an ordered column."""

    codec: OrderedCodec
    lattice: Floats

    @property
    def n_codes(self) -> int:
        """Bins and missing."""
        return self.codec.n_codes

    def allowed_mass(self, sets: Sets) -> Floats:
        """(rows of ``sets``, codes) share of each bin's mass that the sets allow."""
        from janus_synth.kernels.placing import weigh_bins

        w = np.empty((len(sets.null), self.n_codes))
        half = 0.5 * self.lattice[1] / self.lattice[2] if self.lattice[2] else 0.0
        weigh_bins(sets.start, sets.intervals, sets.null, self.codec.level, self.codec.knot, half, w)
        return w

    def draw_within(self, codes: Codes, u: Floats, sets: Sets) -> Floats:
        """Value of each row at quantile ``u`` of its bin truncated to its set; NaN for missing."""
        from janus_synth.kernels.placing import place_in_bins

        values, codec = np.empty(len(codes)), self.codec
        place_in_bins(codes, u, sets.start, sets.intervals, codec.level, codec.knot, codec.upper, self.lattice, values)
        return values

    def has_no_mass(self, sets: Sets) -> bool:
        """Whether the sets have probability zero: single values of a continuous column."""
        single = sets.intervals[:, 0] == sets.intervals[:, 1]
        on_atoms = np.isin(sets.intervals[:, 0], self.codec.atoms)
        return self.codec.lattice is None and bool(single.all()) and not on_atoms.any()


@dataclass(frozen=True, slots=True)
class LevelTruncation:
    """Levels of an unordered column; several may share a code."""

    codec: LevelCodec
    code_of_level: Ints
    share_of_level: Floats

    @property
    def n_codes(self) -> int:
        """Own codes, the shared code and missing."""
        return self.codec.n_codes

    def allowed_mass(self, sets: Sets) -> Floats:
        """(rows of ``sets``, codes) share of each code's levels that the sets allow."""
        from janus_synth.kernels.placing import weigh_levels

        w = np.empty((len(sets.null), self.n_codes))
        weigh_levels(sets.start, sets.intervals, sets.null, self.code_of_level, self.share_of_level, w)
        return w

    def draw_within(self, codes: Codes, u: Floats, sets: Sets) -> Floats:
        """Index of each row's level, drawn among those of its code that its set allows; NaN for missing."""
        from janus_synth.kernels.placing import place_levels

        values = np.empty(len(codes))
        place_levels(codes, u, sets.start, sets.intervals, self.code_of_level, self.share_of_level, values)
        return values

    def has_no_mass(self, sets: Sets) -> bool:
        """False: every level has a positive probability."""
        return False


def truncation_of(codec: ColumnCodec) -> Truncation:
    """Truncation of a column, by the kind of its codec."""
    if isinstance(codec, OrderedCodec):
        lattice = codec.lattice
        grid = (lattice.base, lattice.gap, lattice.scale) if lattice else (0, 1, 0)
        return BinTruncation(codec, np.array(grid, float))
    assert isinstance(codec, LevelCodec)
    n_levels = len(codec.weight)
    code_of_level = codec.encode(np.arange(n_levels, dtype=np.int32)).astype(INDEX)
    share = np.zeros(n_levels)
    share[codec.own] = 1.0
    shared = codec.shared_weight
    if shared.sum() > 0:
        share += shared / shared.sum()
    return LevelTruncation(codec, code_of_level, share)


class Truncations(dict[int, Truncation]):
    """Truncations of a model's columns by their positions, made on first use: most requests are about few columns."""

    def __init__(self, codecs: Iterable[ColumnCodec]) -> None:
        super().__init__()
        self.codecs = tuple(codecs)

    def __missing__(self, column: int) -> Truncation:
        return self.setdefault(column, truncation_of(self.codecs[column]))


def as_cells(codec: ColumnCodec, values: Floats) -> Array:
    """Values as a table holds them: floats, or indices of levels with −1 for missing."""
    return cells.as_cells(values, discrete=isinstance(codec, LevelCodec))
