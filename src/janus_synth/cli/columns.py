"""What users say about columns on the command line in; fields of a schema out.

--column name=kind            zip=categorical
--column name=kind:format     day=datetime:%d/%m/%Y, price=numeric:$#,##0.00, member=boolean:yes/no
--column name=ordered:a<b<c   size=ordered:S<M<L
--missing name=text           age=999
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from janus_synth.cli.inputs import read_schema


def read_fields(schema: str | None, columns: Sequence[str] | None, missing: Sequence[str] | None) -> Any:
    """Schema, or fields per column, of the options ``--schema``, ``--column`` and ``--missing`` together."""
    fields = schema_with(None if schema is None else read_schema(schema), parse_columns(columns))
    return schema_with(fields, parse_missing(missing))


def read_table_file(path: str, format: Any, fields: Any) -> Any:
    """Frame of a file, with the columns that the fields describe left as text."""
    from janus_synth.table import Schema
    from janus_synth.table.files import read_frame

    return read_frame(path, format, as_text=text_columns(fields), like=fields if isinstance(fields, Schema) else None)


def parse_columns(texts: Sequence[str] | None) -> dict[str, dict[str, Any]]:
    """Read the texts of ``--column``: ``name=kind``, or ``name=kind:format``.

    Examples
    --------
    >>> parse_columns(["eu=datetime:%d/%m/%Y", "zip=categorical"])
    {'eu': {'kind': 'datetime', 'format': '%d/%m/%Y'}, 'zip': {'kind': 'categorical'}}
    >>> parse_columns(["size=ordered:S<M<L"])
    {'size': {'kind': 'categorical', 'ordered': True, 'levels': ['S', 'M', 'L']}}
    """
    return {name: fields for name, fields in map(_parse_column, texts or ())}


def _parse_column(text: str) -> tuple[str, dict[str, Any]]:
    found = re.fullmatch(r"(?P<name>.+?)\s*=\s*(?P<kind>\w+)(?::(?P<rest>.+))?", text.strip(), re.DOTALL)
    if found is None:
        raise ValueError(
            f"{text!r} does not describe a column. Write name=kind, such as zip=categorical, or name=kind:format, such "
            "as 'day=datetime:%d/%m/%Y'."
        )
    name, kind, rest = found["name"], found["kind"], found["rest"]
    if kind == "ordered":
        levels = [level.strip() for level in (rest or "").split("<")]
        return name, {"kind": "categorical", "ordered": True, **({"levels": levels} if rest else {})}
    if rest is not None and kind == "identifier":
        return name, {"kind": kind, "template": rest}
    return name, {"kind": kind, **({"format": rest} if rest is not None else {})}


def parse_missing(texts: Sequence[str] | None) -> dict[str, dict[str, Any]]:
    """Read the texts of ``--missing``.

    Examples
    --------
    >>> parse_missing(["age=999", "age=-1"])
    {'age': {'missing': ['999', '-1']}}
    """
    found: dict[str, dict[str, Any]] = {}
    for text in texts or ():
        name, sign, word = text.partition("=")
        if not sign or not name.strip():
            raise ValueError(f"{text!r} names no missing value. Write name=text, such as age=999.")
        found.setdefault(name.strip(), {"missing": []})["missing"].append(word)
    return found


def schema_with(schema: Any, columns: dict[str, dict[str, Any]]) -> Any:
    """Add the fields of ``--column`` to those of ``--schema``."""
    from janus_synth.table import Schema

    if isinstance(schema, Schema):
        for name, fields in columns.items():
            schema = schema.with_column(name, **fields)
        return schema
    return {**(schema or {}), **{name: {**(schema or {}).get(name, {}), **fields} for name, fields in columns.items()}}


def text_columns(schema: Any) -> list[str]:
    """Columns that a file's reader has to leave as text, because these fields say how to read them."""
    if not isinstance(schema, dict):
        return []
    as_text = ("categorical", "identifier")
    return [
        name
        for name, fields in schema.items()
        if isinstance(fields, dict) and ("format" in fields or fields.get("kind") in as_text)
    ]
