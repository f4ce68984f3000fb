"""The columns of a table and the kind of frame to return, as one value that is written and read as JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, replace
from typing import Any

from janus_synth.errors import SchemaError, UnknownColumnError
from janus_synth.table.columns import FIELDS, Column, change_column, check_fields
from janus_synth.table.datetimes import format_datetime, physical_bound, zone_of
from janus_synth.table.detect import detect_columns
from janus_synth.table.frames import FRAME_KINDS

_DEFAULTS = {field.name: field.default for field in fields(Column) if field.default is not MISSING}


@dataclass(frozen=True, slots=True)
class Schema:
    """Columns in order, and the kind of frame to write.

    Parameters
    ----------
    columns : tuple of Column
        All columns, identifiers included; names are distinct.
    frame : {"pandas", "polars", "pyarrow"}
        Kind of frame that is written.

    Examples
    --------
    >>> schema = Schema((Column("age", "numeric", "int64"), Column("start", "datetime", "datetime64[us]")))
    >>> schema = schema.with_column("age", low=0, high=120).with_column("start", low="2024-01-31")
    >>> print(schema.to_json())
    {
      "frame": "pandas",
      "columns": [
        {"name": "age", "kind": "numeric", "dtype": "int64", "low": 0, "high": 120},
        {"name": "start", "kind": "datetime", "dtype": "datetime64[us]", "low": "2024-01-31"}
      ]
    }
    >>> Schema.from_json(schema.to_json()) == schema
    True
    """

    columns: tuple[Column, ...]
    frame: str = "pandas"

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", tuple(self.columns))
        if self.frame not in FRAME_KINDS:
            raise SchemaError(f"the frame kind is {self.frame!r}; it must be one of {', '.join(FRAME_KINDS)}.")
        counts = Counter(column.name for column in self.columns)
        twice = [name for name, count in counts.items() if count > 1]
        if twice:
            raise SchemaError(f"the schema lists {', '.join(map(repr, twice))} more than once.", column=twice[0])

    @classmethod
    def detect(cls, frame: Any, overrides: Mapping[str, Mapping[str, object]] | None = None) -> Schema:
        """Detect kinds, dtypes and domains from a frame.

        Parameters
        ----------
        frame : DataFrame or Table
            pandas, polars or pyarrow; it is not modified.
        overrides : mapping, optional
            Fields to set by hand, per column: ``{"zip": {"kind": "categorical"}, "age": {"low": 0}}``.

        Examples
        --------
        >>> import pandas as pd
        >>> schema = Schema.detect(pd.DataFrame({"age": [31, 45], "city": ["Rome", None]}))
        >>> schema["city"].levels, schema["city"].nullable
        (('Rome',), True)
        """
        kind, found, _ = detect_columns(frame, overrides or {})
        return cls(tuple(column for column, _ in found), kind)

    @property
    def names(self) -> tuple[str, ...]:
        """Names in order."""
        return tuple(column.name for column in self.columns)

    @property
    def learnt(self) -> tuple[Column, ...]:
        """All columns but identifiers and personal ones."""
        return tuple(column for column in self.columns if column.is_learnt)

    def __getitem__(self, name: str) -> Column:
        for column in self.columns:
            if column.name == name:
                return column
        raise UnknownColumnError(name, self.names, where="the schema")

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def select(self, names: tuple[str, ...] | list[str]) -> Schema:
        """Only these columns, in this order."""
        return replace(self, columns=tuple(self[name] for name in names))

    def with_column(self, name: str, /, **changes: Any) -> Schema:
        """Change one column.

        Bounds of a datetime column may be ISO text, dates or datetimes; without a time zone they are in
        the column's own. A new kind drops the fields of the old one (bounds, levels, template, format).

        Examples
        --------
        >>> schema = Schema((Column("zip", "numeric", "int64", low=0, high=99999),))
        >>> schema.with_column("zip", kind="categorical")["zip"]
        Column(name='zip', kind='categorical', dtype='int64', nullable=False, low=None, ...)
        """
        new = change_column(self[name], changes)
        return replace(self, columns=tuple(new if column.name == name else column for column in self.columns))

    def _repr_html_(self) -> str:
        """Render as a table for notebooks."""
        from janus_synth.pages import render  # Jinja is slow to import

        headings = ("column", "kind", "dtype", "missing", "values")
        caption = f"Schema of {len(self.columns)} columns, {self.frame}"
        return render("table.html.j2", caption=caption, headings=headings, rows=[c.cells() for c in self.columns])

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON; fields with their default value are left out."""
        return {"frame": self.frame, "columns": [_column_dict(column) for column in self.columns]}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Schema:
        """Inverse of ``to_dict``; raise SchemaError for unknown fields and wrong types."""
        if not isinstance(values, Mapping) or not isinstance(values.get("columns"), list | tuple):
            raise SchemaError("a schema is an object with 'frame' and a list of 'columns'.")
        if unknown := sorted(map(str, values.keys() - {"frame", "columns"})):
            raise SchemaError(f"a schema has no {', '.join(map(repr, unknown))}; it has 'frame' and 'columns'.")
        return cls(tuple(map(_column_from, values["columns"])), values.get("frame", "pandas"))

    def to_json(self) -> str:
        """Readable JSON, one column per line; datetime bounds are ISO text."""
        lines = ",\n".join("    " + json.dumps(_column_dict(c), ensure_ascii=False) for c in self.columns)
        return f'{{\n  "frame": {json.dumps(self.frame)},\n  "columns": [\n{lines}\n  ]\n}}'

    @classmethod
    def from_json(cls, text: str) -> Schema:
        """Inverse of ``to_json``."""
        try:
            values = json.loads(text)
        except (ValueError, TypeError) as error:
            raise SchemaError(f"the schema is not JSON: {error}.") from error
        return cls.from_dict(values)


def _column_dict(column: Column) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for field in FIELDS:
        value = getattr(column, field)
        if field in _DEFAULTS and value == _DEFAULTS[field]:
            continue
        if field in ("low", "high"):
            value = _bound_text(column, value)
        if field == "recipe":
            value = value.to_dict()
        values[field] = list(value) if isinstance(value, tuple) else value
    if column.kind == "boolean":
        del values["levels"]
    return values


def _bound_text(column: Column, value: float) -> str | float | int:
    if column.kind == "datetime":
        return format_datetime(value, utc=zone_of(column.dtype) is not None)
    return int(value) if value == round(value) and abs(value) < 2**53 else value


def _column_from(values: Any) -> Column:
    if not isinstance(values, Mapping) or not isinstance(name := values.get("name"), str):
        raise SchemaError(f"a column is an object with a 'name', not {values!r}.")
    check_fields(name, {key: value for key, value in values.items() if key != "name"})
    if lacking := [field for field in ("kind", "dtype") if field not in values]:
        raise SchemaError(f"column {name!r} lacks {', '.join(map(repr, lacking))}.", column=name)
    plain = dict(values)
    for field in ("low", "high"):
        if field in plain:
            plain[field] = physical_bound(name, plain["kind"], str(plain["dtype"]), plain[field])
    return Column(**plain)
