"""What a column is, from what it holds and from what the user knows better."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from janus_synth.arrays import Array, Floats
from janus_synth.errors import SchemaError
from janus_synth.table.columns import Column, Kind
from janus_synth.table.convert import as_boolean, as_floats, as_levels, match_levels, sorted_levels
from janus_synth.table.moments import moment_format, moment_text
from janus_synth.table.reading import Reading
from janus_synth.table.schema import changed, check_keys
from janus_synth.table.templates import template_of_numbers, template_of_texts

MIN_IDENTIFIERS = 20  # among fewer rows, all-distinct values are no surprise


def detect_column(reading: Reading, changes: Mapping[str, Any]) -> tuple[Column, Array | None]:
    """Column of a reading under the user's changes, and its physical array."""
    check_keys(reading.name, changes)
    bare = Column(reading.name, "categorical", reading.dtype, nullable=bool(reading.missing.any()))
    wanted = changed(bare, {"kind": changes.get("kind", natural_kind(reading)), **changes})
    if bare.nullable and not wanted.nullable:
        raise SchemaError(
            f"column {reading.name!r}: {int(reading.missing.sum())} cells are missing, "
            "but nullable is false. Fill them, or allow missing values.",
            column=reading.name,
        )
    match wanted.kind:
        case "identifier":
            return changed(wanted, {"template": wanted.template or template_of(reading)}), None
        case "numeric" | "datetime":
            return _ordered(reading, wanted)
        case "boolean":
            return wanted, as_boolean(reading).values
    return _categorical(reading, wanted, ordered=bool(changes.get("ordered", reading.ordered)))


def natural_kind(reading: Reading) -> Kind:
    """Kind by dtype and cells; a column of nothing but missing is categorical without levels."""
    if reading.is_null and not reading.declared:
        return "categorical"
    return "identifier" if is_identifier(reading) else reading.natural


def is_identifier(reading: Reading) -> bool:
    """Whether the cells name the rows: distinct text, or distinct integers that count or are called an id."""
    if reading.plain_text:
        return MIN_IDENTIFIERS <= len(reading.levels) == len(reading.seen())
    if not reading.is_integer or reading.missing.any() or len(reading.values) < 2:
        return False
    name = reading.name.lower()
    if name == "id" or name.endswith(("_id", " id")):
        return len(np.unique(reading.values)) == len(reading.values)
    if len(reading.values) < MIN_IDENTIFIERS:
        return False
    before, after = reading.values[:-1], reading.values[1:]
    return bool((after - before == 1).all() or (before - after == 1).all())


def template_of(reading: Reading) -> str:
    """Template of identifiers of any dtype that can hold them."""
    seen = reading.seen()
    if reading.natural == "numeric" and not reading.duration:
        return template_of_numbers(int(np.floor(seen.max())) if len(seen) else 0)
    if reading.natural in ("datetime", "numeric", "boolean"):
        raise SchemaError(
            f"column {reading.name!r}: {reading.natural} values cannot be read as identifier. "
            "Identifiers are text or numbers.",
            column=reading.name,
        )
    return template_of_texts(reading.name, [str(level) for level in reading.levels])


def _ordered(reading: Reading, wanted: Column) -> tuple[Column, Floats]:
    floats = as_floats(reading, wanted.kind)
    settled: dict[str, Any] = {}
    if not np.isnan(floats).all():
        low, high = float(np.nanmin(floats)), float(np.nanmax(floats))
        settled = {
            "low": low if wanted.low is None else wanted.low,
            "high": high if wanted.high is None else wanted.high,
        }
        _check_inside(wanted, floats, settled["low"], settled["high"])
    if wanted.kind == "datetime" and wanted.template is None and reading.natural == "categorical":
        settled["template"] = moment_format([str(level) for level in reading.levels])
    return changed(wanted, settled), floats


def _check_inside(column: Column, floats: Floats, low: float, high: float) -> None:
    outside = floats[(floats < low) | (floats > high)]
    if not len(outside):
        return
    shown = [moment_text(v) if column.kind == "datetime" else f"{v:g}" for v in (low, high, float(outside[0]))]
    raise SchemaError(
        f"column {column.name!r}: {len(outside)} of {len(floats)} values lie outside the declared "
        f"[{shown[0]}, {shown[1]}], for example {shown[2]}. Widen low and high, or drop those rows.",
        column=column.name,
    )


def _categorical(reading: Reading, wanted: Column, *, ordered: bool) -> tuple[Column, Array]:
    coded = as_levels(reading)
    if wanted.levels:
        codes, unseen = match_levels(coded, wanted.levels, wanted.kind)
        if unseen:
            n_outside = int((codes >= len(wanted.levels)).sum())
            raise SchemaError(
                f"column {reading.name!r}: {n_outside} of {len(codes)} values are not among the declared "
                f"levels, for example {unseen[0]!r}. Add them to levels, or drop those rows.",
                column=reading.name,
            )
        return changed(wanted, {"ordered": ordered}), codes
    if not coded.declared and coded.natural == "categorical":
        coded = sorted_levels(coded)
    levels = () if reading.is_null and not coded.declared else coded.levels
    return changed(wanted, {"levels": levels, "ordered": ordered}), coded.values
