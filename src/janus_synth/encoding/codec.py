"""A table in, codes of all its learnt columns out: one column codec per column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from janus_synth.arrays import Bools, Codes, Floats, Ints
from janus_synth.encoding.extremes import smooth_column
from janus_synth.encoding.levels import LevelCodec, fit_levels
from janus_synth.encoding.ordered import OrderedCodec, fit_ordered
from janus_synth.kernels.dtypes import CODE, UNKNOWN
from janus_synth.table import Column, Table


class ColumnCodec(Protocol):
    """Mapping between the values and the codes of one column."""

    @property
    def ordered(self) -> bool:
        """Neighbouring codes are neighbouring values."""
        ...

    @property
    def n_codes(self) -> int:
        """Number of codes, reserved ones included; the last one is missing."""
        ...

    @property
    def allowed(self) -> Bools:
        """Codes that rows may take, seen or not."""
        ...

    def encode(self, values: Any) -> Codes:
        """Codes of physical values."""
        ...

    def decode(self, codes: Codes, u: Floats, out: Any = None) -> Any:
        """Physical values of codes; ``u`` is the quantile level inside each code. ``out`` receives them if given."""
        ...

    def log_density(self, values: Any, codes: Codes) -> Floats:
        """Log density of each value given its code."""
        ...


@dataclass(frozen=True, slots=True)
class BinSettings:
    """How ordered columns are cut: the ``n_bins`` and ``within`` of the public interface."""

    n_bins: int | str = "auto"
    within: str = "smooth"
    equal_mass: bool = False
    least: int = 1
    """Fewest rows of a value that is a bin of its own; 1 keeps every value."""

    @property
    def max_bins(self) -> int:
        """Most bins of a column: 254 by default, which with *missing* fit a byte.

        Finer bins improved smooth columns and made no table worse (docs/defaults.md, *Fine bins*).
        """
        return 254 if self.n_bins == "auto" else int(self.n_bins)


@dataclass(frozen=True, slots=True)
class Codec:
    """Column codecs in the order of the table's learnt columns."""

    columns: Mapping[str, ColumnCodec]

    @property
    def names(self) -> tuple[str, ...]:
        """Learnt columns in order."""
        return tuple(self.columns)

    @property
    def n_codes(self) -> Ints:
        """Number of codes of each column."""
        return np.array([codec.n_codes for codec in self.columns.values()], np.int32)

    @property
    def ordered(self) -> Ints:
        """1 for columns whose codes are ordered."""
        return np.array([codec.ordered for codec in self.columns.values()], np.int32)

    def encode(self, table: Table) -> Codes:
        """Codes of a table, one contiguous row per column; ``UNKNOWN`` in columns that are not in the table."""
        codes = np.full((len(self.columns), table.n_rows), UNKNOWN, CODE)
        for i, (name, codec) in enumerate(self.columns.items()):
            if name in table.columns:
                codes[i] = codec.encode(table[name])
        return codes


def fit_codec(table: Table, settings: BinSettings) -> Codec:
    """Fit a codec to every learnt column."""
    return Codec({column.name: _fit_column(table, column, settings) for column in table.schema.learnt})


def _fit_column(table: Table, column: Column, settings: BinSettings) -> OrderedCodec | LevelCodec:
    values = table[column.name]
    if column.kind in ("numeric", "datetime"):
        smooth = smooth_column(column, values, settings.least)
        return fit_ordered(
            smooth,
            n_bins=settings.max_bins,
            within=settings.within,
            equal_mass=settings.equal_mass,
            low=column.low,
            high=column.high,
            nullable=column.nullable,
            single_precision="float32" in column.dtype.lower(),
            least=settings.least,
            moved=smooth[smooth != values],
        )
    return fit_levels(values, n_levels=len(column.levels), ordered=column.ordered, nullable=column.nullable)
