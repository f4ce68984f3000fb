"""One column as it was found, before anyone decides what to learn from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NoReturn

import numpy as np

from janus_synth.arrays import Array, Bools, Floats
from janus_synth.errors import DataError, SchemaError
from janus_synth.table.columns import Level
from janus_synth.table.moments import moment_text

Natural = Literal["numeric", "boolean", "categorical", "datetime"]


@dataclass(frozen=True, slots=True)
class Reading:
    """What a native column holds by its own dtype.

    ``values`` are numbers (numeric), microseconds (datetime) or int32 codes (boolean, categorical);
    integers stay integers so that none is rounded before it must be.
    """

    name: str
    dtype: str
    natural: Natural
    values: Array
    missing: Bools
    levels: tuple[Level, ...] = ()
    ordered: bool = False
    declared: bool = False  # the dtype itself lists the levels, so all of them count
    plain_text: bool = False  # text in no categorical dtype: may turn out to be an identifier
    duration: bool = False  # the numbers are microseconds of a duration or a time of day

    @property
    def is_integer(self) -> bool:
        """Whether the cells are plain integers."""
        return self.natural == "numeric" and self.values.dtype.kind in "iu" and not self.duration

    @property
    def is_null(self) -> bool:
        """Whether there is not one value."""
        return bool(self.missing.all())

    def seen(self) -> Array:
        """Values that are not missing."""
        return self.values[~self.missing]

    def floats(self) -> Floats:
        """Cells as float64 with NaN for missing; infinite ones are refused."""
        floats = np.array(self.values, dtype=np.float64)
        floats[self.missing] = np.nan
        if n_infinite := int(np.isinf(floats).sum()):
            raise DataError(
                f"column {self.name!r} has {n_infinite} infinite value{'s' * (n_infinite > 1)}. "
                "Replace them by null or clip them before fitting."
            )
        return floats


def of_numbers(
    name: str, dtype: str, values: Array, missing: Array | None = None, *, duration: bool = False
) -> Reading:
    """Hold numbers; NaN counts as missing beside ``missing``."""
    gone = np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), dtype=bool)
    return Reading(name, dtype, "numeric", values, gone if missing is None else gone | missing, duration=duration)


def of_codes(name: str, dtype: str, codes: Array, levels: tuple[Level, ...], **marks: bool) -> Reading:
    """Hold codes into levels, with −1 for missing."""
    codes = codes.astype(np.int32)
    return Reading(name, dtype, "categorical", codes, codes < 0, levels=levels, **marks)


def of_booleans(name: str, dtype: str, values: Array, missing: Array) -> Reading:
    """Hold true and false."""
    codes = np.where(missing, -1, values.astype(np.int32)).astype(np.int32)
    return Reading(name, dtype, "boolean", codes, missing, levels=(False, True))


def of_ticks(
    name: str, dtype: str, ticks: Array, missing: Array, *, per_second: int, natural: Natural = "datetime"
) -> Reading:
    """Hold moments or durations counted in a unit of which ``per_second`` make a second."""
    if per_second > 1_000_000:
        values: Array = ticks // (per_second // 1_000_000)
    else:
        values = ticks.astype(np.float64) * (1_000_000 // per_second)
    values = np.where(missing, 0, values).astype(np.float64)
    return Reading(name, dtype, natural, values, missing, duration=natural == "numeric")


def levels_of(reading: Reading) -> tuple[Level | None, ...]:
    """Each cell as a level: text and numbers as they are, moments as ISO text, None for missing."""
    if reading.natural in ("categorical", "boolean"):
        lookup = np.array([*reading.levels, None], dtype=object)
        return tuple(lookup[reading.values].tolist())
    if reading.natural == "datetime":
        cells: list[Any] = [moment_text(moment) for moment in reading.values.tolist()]
    else:
        cells = reading.values.tolist()
    return tuple(None if gone else cell for cell, gone in zip(cells, reading.missing.tolist(), strict=True))


def refuse(name: str, holds: str) -> NoReturn:
    """Say that cells of this type cannot be learnt from, and what to do."""
    raise SchemaError(
        f"column {name!r} holds {holds}, which JANUS cannot learn. "
        "Drop the column, or convert it to text, numbers or one column per part.",
        column=name,
    )
