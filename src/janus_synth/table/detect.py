"""A frame in, its columns out: kinds and domains detected from the cells, unless the user sets them.

``detect_columns`` returns the columns and their arrays; ``Schema.detect`` and ``read_table`` build on it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from janus_synth.arrays import Array, Floats
from janus_synth.errors import DataError, SchemaError, UnknownColumnError
from janus_synth.identities import is_hierarchy
from janus_synth.table.columns import FORMS, Column, Kind, change_column, check_fields
from janus_synth.table.datetimes import format_datetime, infer_datetime_format
from janus_synth.table.frames import FrameKind, check_names, check_shape, column_names, read_column, unwrap
from janus_synth.table.identifiers import template_of_numbers, template_of_texts
from janus_synth.table.personal import detect_role, learn_person
from janus_synth.table.raw_columns import (
    RawColumn,
    as_boolean,
    as_floats,
    as_levels,
    mark_missing,
    match_levels,
    sort_levels,
)
from janus_synth.table.texts import TextForm, kind_of_format, recognise

MIN_IDENTIFIERS = 20  # among fewer rows, distinct values are common in any column
KEY_NAME = re.compile(
    r"(?:^|[_\s.-])(?:id|key|uuid|guid|idx|index|serial|no|nr|number)$|[a-z](?:ID|Id)$|^(?:ID|Id)$|^(?:row|record)_?(?:no|nr|num)$"
)
"""Names of columns that identify rows, if their values are distinct."""
CODE_NAME = re.compile(
    r"(?:^|[_\s.-])(?:zip|postal|postcode|plz|year|yr|jahr|fips|iso|area_?code)(?:$|[_\s.-])|[a-z]Year$"
)
"""Names of columns that repeat in principle, however distinct their values are here."""
YEARS = (1800, 2100)

Overrides = Mapping[str, Mapping[str, object]]
DetectedColumns = list[tuple[Column, Array | None]]
"""Each column with its array; identifiers and personal columns have none."""


def detect_columns(
    frame: Any, overrides: Overrides, columns: Sequence[str] | None = None
) -> tuple[FrameKind, DetectedColumns, int]:
    """Kind of the frame, its columns (or only those named), and the number of rows."""
    kind, native = unwrap(frame)
    n_rows = check_shape(native)
    names = column_names(kind, native)
    check_names(names if columns is None else [name for name in names if name in columns])
    if not isinstance(overrides, Mapping):
        raise SchemaError("give a Schema or a mapping such as {'zip': {'kind': 'categorical'}} as the schema.")
    for name in overrides:
        if name not in names:
            raise UnknownColumnError(name, [str(known) for known in names], where="the frame")
    check_present(names, columns or ())
    forms = native.attrs.get(FORMS, {}) if kind == "pandas" else {}
    found = [
        detect_column(read_column(kind, native, name), overrides.get(name, {}), forms.get(name, {}))
        for name in (names if columns is None else columns)
    ]
    return kind, found, n_rows


def check_present(names: Sequence[Any], required: Sequence[str]) -> None:
    """Raise DataError unless a frame with these ``names`` has all ``required`` columns."""
    if lacking := [name for name in required if name not in names]:
        hint = UnknownColumnError(lacking[0], [str(name) for name in names], where="The frame")
        raise DataError(f"these columns are required but missing: {', '.join(map(repr, lacking))}. {hint}")


def detect_column(
    raw: RawColumn, changes: Mapping[str, Any], form: Mapping[str, Any] | None = None
) -> tuple[Column, Array | None]:
    """Detect one column, with the fields in ``changes`` set by the user, and return its array.

    ``form`` is how a file writes the column: its kind, format and texts for missing.
    """
    check_fields(raw.name, changes)
    changes = _with_form(raw, changes, form or {})
    raw = mark_missing(raw, changes.get("missing", ()), changes.get("format"))
    bare = Column(raw.name, "categorical", raw.dtype, nullable=bool(raw.missing.any()))
    wanted = change_column(bare, {"kind": changes.get("kind", detect_kind(raw)), **changes})
    if bare.nullable and not wanted.nullable:
        raise SchemaError(
            f"column {raw.name!r}: {int(raw.missing.sum())} cells are missing, "
            "but nullable is false. Fill them, or allow missing values.",
            column=raw.name,
        )
    match wanted.kind:
        case "identifier":
            return change_column(wanted, {"template": wanted.template or template_of(raw)}), None
        case "personal":
            return learn_person(raw, wanted), None
        case "numeric" | "datetime":
            return _detect_ordered(raw, wanted)
        case "boolean":
            return wanted, as_boolean(raw, wanted.format).values
    return _detect_categorical(raw, wanted, ordered=bool(changes.get("ordered", raw.ordered)))


def _with_form(raw: RawColumn, changes: Mapping[str, Any], form: Mapping[str, Any]) -> dict[str, Any]:
    """Add the format of a column and its texts for missing to the user's fields."""
    given = dict(changes)
    if "format" in given and "kind" not in given and isinstance(given["format"], str):
        given["kind"] = kind_of_format(given["format"])
    words = given.get("missing", ())
    words = [words] if isinstance(words, str) else list(words)
    kind, known = given.get("kind"), dict(form)
    if kind in ("numeric", "datetime", "boolean") and "format" not in given and raw.plain_text:
        found = recognise_levels(mark_missing(raw, words))
        known = {} if found is None or found.kind != kind or found.stray else found.changes
    if "format" not in given and known.get("format") and known.get("kind") == (kind or detect_kind(raw)):
        given["format"] = known["format"]
    words += [word for word in known.get("missing", ()) if word not in words]
    return {**given, "missing": tuple(words)} if words else given


def recognise_levels(raw: RawColumn) -> TextForm | None:
    """Form of a column's texts; None if they are not text, or nothing else than text."""
    import pyarrow as pa

    return recognise(pa.array([str(level) for level in raw.levels], pa.large_string())) if raw.plain_text else None


def detect_kind(raw: RawColumn) -> Kind:
    """Kind by dtype and cells; a column with no values is categorical without levels."""
    if raw.is_null and not raw.declared:
        return "categorical"
    if detect_role(raw) is not None:
        return "personal"
    return "identifier" if is_identifier(raw) else raw.kind


def is_code_name(name: str) -> bool:
    """Whether a column's name says that it holds years, postal codes or the like.

    >>> is_code_name("fiscal_year"), is_code_name("row")
    (True, False)
    """
    return bool(CODE_NAME.search(name.lower()) or CODE_NAME.search(name))


def is_identifier(raw: RawColumn) -> bool:
    """Whether the cells identify rows: distinct text, consecutive integers, or distinct integers in a column of keys.

    Years and postal codes are not identifiers, even where each occurs once.
    """
    if is_code_name(raw.name):
        return False
    if raw.plain_text:
        if not MIN_IDENTIFIERS <= len(raw.levels) == len(raw.present()):
            return False
        return not is_hierarchy(raw.name, [str(level) for level in raw.levels])
    if not raw.is_integer or raw.missing.any() or len(raw.values) < 2:
        return False
    if KEY_NAME.search(raw.name) or KEY_NAME.search(raw.name.lower()):
        return len(np.unique(raw.values)) == len(raw.values)
    if len(raw.values) < MIN_IDENTIFIERS or YEARS[0] <= raw.values.min() <= raw.values.max() <= YEARS[1]:
        return False
    before, after = raw.values[:-1], raw.values[1:]
    return bool((after - before == 1).all() or (before - after == 1).all())


def template_of(raw: RawColumn) -> str:
    """Template of a column of identifiers; raise SchemaError unless they are text or numbers."""
    present = raw.present()
    if raw.kind == "numeric" and not raw.duration:
        return template_of_numbers(int(np.floor(present.max())) if len(present) else 0)
    if raw.kind in ("datetime", "numeric", "boolean"):
        raise SchemaError(
            f"column {raw.name!r}: {raw.kind} values cannot be read as identifier. Identifiers are text or numbers.",
            column=raw.name,
        )
    return template_of_texts(raw.name, [str(level) for level in raw.levels])


def _detect_ordered(raw: RawColumn, wanted: Column) -> tuple[Column, Floats]:
    floats = as_floats(raw, wanted.kind, wanted.format)
    domain: dict[str, Any] = {}
    if not np.isnan(floats).all():
        low, high = float(np.nanmin(floats)), float(np.nanmax(floats))
        domain = {
            "low": low if wanted.low is None else wanted.low,
            "high": high if wanted.high is None else wanted.high,
        }
        _check_domain(wanted, floats, domain["low"], domain["high"])
    if wanted.kind == "datetime" and wanted.format is None and raw.kind == "categorical":
        domain["format"] = infer_datetime_format([str(level) for level in raw.levels])
    return change_column(wanted, domain), floats


def _check_domain(column: Column, floats: Floats, low: float, high: float) -> None:
    outside = floats[(floats < low) | (floats > high)]
    if not len(outside):
        return
    shown = [format_datetime(v) if column.kind == "datetime" else f"{v:g}" for v in (low, high, float(outside[0]))]
    raise SchemaError(
        f"column {column.name!r}: {len(outside)} of {len(floats)} values lie outside the declared "
        f"[{shown[0]}, {shown[1]}], for example {shown[2]}. Widen low and high, or drop those rows.",
        column=column.name,
    )


def _detect_categorical(raw: RawColumn, wanted: Column, *, ordered: bool) -> tuple[Column, Array]:
    indexed = as_levels(raw)
    if wanted.levels:
        indices, unseen = match_levels(indexed, wanted.levels, wanted.kind)
        if unseen:
            n_outside = int((indices >= len(wanted.levels)).sum())
            raise SchemaError(
                f"column {raw.name!r}: {n_outside} of {len(indices)} values are not among the declared "
                f"levels, for example {unseen[0]!r}. Add them to levels, or drop those rows.",
                column=raw.name,
            )
        return change_column(wanted, {"ordered": ordered}), indices
    if not indexed.declared and indexed.kind == "categorical":
        indexed = sort_levels(indexed)
    levels = () if raw.is_null and not indexed.declared else indexed.levels
    return change_column(wanted, {"levels": levels, "ordered": ordered}), indexed.values
