"""Arrow columns in, their texts in a CSV file out: in the form of the file they come from, or in the default one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from janus_synth.table.columns import FORMS, TEXT_DTYPE, forms_of
from janus_synth.table.files.text_columns import Forms
from janus_synth.table.texts import format_values


def known_forms(like: Any) -> tuple[Forms, list[str]]:
    """Forms of typed columns, and the names of text columns, of a schema or of a frame that was read before."""
    if hasattr(like, "attrs"):
        schema = {str(name): str(like[name].dtype) for name in like.columns}
        forms = dict(like.attrs.get(FORMS, {}))
    else:
        schema, forms = {column.name: column.dtype for column in like}, forms_of(like)
    texts = [name for name, dtype in schema.items() if TEXT_DTYPE.match(dtype)]
    return {name: form for name, form in forms.items() if name not in texts}, texts


def write_texts(table: Any, forms: Mapping[str, Mapping[str, Any]]) -> Any:
    """Arrow table with the texts of the columns that have a form; text columns stay as they are.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = pa.table({"price": [5075.25, None]})
    >>> write_texts(table, {"price": {"kind": "numeric", "format": "$#,##0.00", "missing": ["?"]}})["price"].to_pylist()
    ['$5,075.25', '?']
    """
    for place, name in enumerate(table.column_names):
        if name in forms and not _holds_text(table[name].type):
            table = table.set_column(place, name, _write(table[name].combine_chunks(), forms[name]))
    return table


def _holds_text(kind: Any) -> bool:
    import pyarrow as pa

    types = pa.types
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_dictionary(kind))


def _write(column: Any, form: Mapping[str, Any]) -> Any:
    import pyarrow as pa

    word = (form.get("missing") or [""])[0]
    if not form.get("format") or form.get("kind") not in ("numeric", "datetime", "boolean"):
        return default_texts(column).fill_null(word) if word and column.null_count else column
    encoded = _numbers(column).dictionary_encode()
    values = encoded.dictionary.to_numpy(zero_copy_only=False)
    texts = pa.array(format_values(values, form["kind"], form["format"]), pa.large_string()).take(encoded.indices)
    return texts.fill_null(word) if word else texts


def _numbers(column: Any) -> Any:
    """Numbers, microseconds, or 0 and 1."""
    import pyarrow as pa

    types, kind = pa.types, column.type
    if types.is_date(kind):
        column = column.cast(pa.timestamp("us"))
    elif types.is_timestamp(kind):
        column = column.cast(pa.timestamp("us", tz=kind.tz))
    elif types.is_time(kind):
        column = column.cast(pa.time64("us"))
    elif types.is_boolean(kind):
        column = column.cast(pa.int8())
    return column.cast(pa.int64()) if types.is_temporal(kind) else column.cast(pa.float64())


def default_texts(array: Any) -> Any:
    """Texts of an array without a form: 1.0 for a float, ISO datetimes without trailing zeros."""
    import pyarrow as pa

    types = pa.types
    if types.is_dictionary(array.type):
        array = array.cast(array.type.value_type)
    if types.is_floating(array.type):
        return _with_point(_texts(array))
    return _without_zeros(_texts(array)) if types.is_timestamp(array.type) else _texts(array)


def _texts(array: Any) -> Any:
    import pyarrow as pa

    try:
        return array.cast(pa.large_string())
    except pa.ArrowNotImplementedError:
        return pa.array([None if cell is None else str(cell) for cell in array.to_pylist()], pa.large_string())


def _with_point(texts: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    zero, point = (pa.scalar(text, pa.large_string()) for text in ("0", "."))
    whole = pc.match_substring_regex(texts, r"^-?\d+$")
    return pc.if_else(whole, pc.binary_join_element_wise(texts, zero, point), texts)


def _without_zeros(texts: Any) -> Any:
    """Drop trailing zeros of fractions of a second."""
    import pyarrow.compute as pc

    zone = r"(Z|[+-]\d{2}:?\d{2})?$"
    shorter = pc.replace_substring_regex(texts, rf"(\.\d*?)0+{zone}", r"\1\2")
    return pc.replace_substring_regex(shorter, rf"\.{zone}", r"\1")
