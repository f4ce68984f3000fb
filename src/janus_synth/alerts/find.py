"""A frame and the table read from it in; all alerts about it out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from janus_synth.alerts.alert import Alert, make_alert, without_silenced
from janus_synth.alerts.headers import header_alerts
from janus_synth.alerts.texts import format_alerts, text_alerts
from janus_synth.alerts.values import value_alerts
from janus_synth.identities import is_unknown
from janus_synth.table import Column, Schema, Table
from janus_synth.table.columns import FORMS, TEXT_DTYPE
from janus_synth.table.detect import KEY_NAME
from janus_synth.table.frames import read_column, unwrap
from janus_synth.table.raw_columns import RawColumn

FEW_ROWS = 100
MIN_COLUMNS = 3
"""In a table with fewer columns, repeated rows are not reported."""
DUPLICATES = 0.01
"""Share of repeated rows from which they are reported."""
SETTLED = ("code", "key", "nearly-unique", "many-levels", "unordered-labels")
"""Alerts that a declared kind answers."""
AS_TEXT = ("date-text", "number-text", "nested-text")
"""Alerts of columns whose levels are not what the column is about, so that alerts about levels would distract."""
MOST_ROWS = 200_000
"""Rows of larger tables that alerts look at, evenly spaced."""


def find_alerts(
    frame: Any, table: Table, *, schema: Any = None, silence: Iterable[str] | str = ()
) -> tuple[Alert, ...]:
    """Find what a person should know about a table before learning it.

    Parameters
    ----------
    frame : DataFrame, Table or None
        pandas, polars or pyarrow; None if only the table is at hand, which has no identifiers.
    table : Table
        The same rows, read.
    schema : Schema or mapping, optional
        What the user declared: columns whose kind or format is declared are not questioned.
    silence : sequence of str
        Kinds of alerts, or kinds with a column such as ``"constant:age"``, that are left out.

    Returns
    -------
    tuple of Alert
        The most serious first.

    Examples
    --------
    >>> import pandas as pd
    >>> from janus_synth.table import read_table
    >>> frame = pd.DataFrame({"day": ["19/08/2023", "01/02/2024"] * 60, "x": range(120)})
    >>> for alert in find_alerts(frame, read_table(frame), silence=["identifier"]):
    ...     print(alert.kind, alert.remedy)
    date-text schema={"day": {"kind": "datetime", "format": "%d/%m/%Y"}}
    """
    unwrapped: tuple[Any, Any] = (None, None) if frame is None else unwrap(frame)
    kind, native = unwrapped
    forms = getattr(native, "attrs", {}).get(FORMS, {})
    declared = _declared_columns(schema)
    found: list[Alert] = []
    texts: dict[str, list[str]] = {}
    for column in table.schema:
        raw = None if native is None else read_column(kind, native, column.name)
        if column.kind == "categorical" if raw is None else raw.plain_text:
            texts[column.name] = [str(level) for level in (column if raw is None else raw).levels]
        about_kind = [] if column.name in declared else list(_kind_alerts(raw, column, forms.get(column.name, {})))
        found += about_kind
        if column.is_learnt:
            present = _sample(table[column.name])
            settled: tuple[str, ...] = SETTLED if column.name in declared else ()
            if any(alert.kind in AS_TEXT for alert in about_kind):
                settled = (*SETTLED, "rare-levels")
            values = value_alerts(column, present[~_missing(present)])
            found += [alert for alert in values if alert.kind not in settled]
    found += header_alerts(list(table.schema), texts)
    found += _table_alerts(table)
    return without_silenced(found, silence)


def _declared_columns(schema: Any) -> Collection[str]:
    if isinstance(schema, Schema):
        return schema.names
    if not isinstance(schema, Mapping):
        return ()
    return [name for name, fields in schema.items() if {"kind", "format"} & set(fields)]


def _kind_alerts(raw: RawColumn | None, column: Column, form: Mapping[str, Any]) -> Iterator[Alert]:
    """Alerts about the kind that a column was given, from its cells as they came, if they are at hand."""
    yield from format_alerts(column, form)
    if column.kind not in ("categorical", "identifier") and column.role not in ("format", "text"):
        return
    if raw is None:
        is_text = TEXT_DTYPE.match(column.dtype) and all(isinstance(level, str) for level in column.levels)
        yield from text_alerts(column, [str(level) for level in column.levels]) if is_text else ()
        return
    if raw.plain_text:
        texts = [str(level) for level in raw.levels if level not in column.missing]
        found = list(text_alerts(column, texts))
        yield from found
        if column.kind == "identifier" and not found and (column.template or "").startswith(f"{column.name}_{{"):
            message, effect = "a different text in every row", f"not learnt; rows get {column.name}_000001 and so on"
            yield make_alert(
                column.name, "nearly-unique", message, effect, remedy="drop the column, or give a template"
            )
        if column.role == "format" and not found and is_unknown(column.name, texts):
            message, effect = "hardly any text is shared", "not learnt; rows get made-up texts of the same forms"
            yield make_alert(column.name, "nearly-unique", message, effect, changes={"kind": "categorical"})
    elif column.kind == "identifier" and not (KEY_NAME.search(column.name) or KEY_NAME.search(column.name.lower())):
        message, effect = (
            "consecutive integers are taken for row numbers",
            "not learnt; new rows count on from the last one",
        )
        yield make_alert(column.name, "identifier", message, effect, changes={"kind": "numeric"})


def _sample(cells: Any) -> Any:
    return cells[:: -(-len(cells) // MOST_ROWS)] if len(cells) > MOST_ROWS else cells


def _missing(cells: Any) -> Any:
    return cells < 0 if cells.dtype.kind == "i" else np.isnan(cells)


def _table_alerts(table: Table) -> Iterator[Alert]:
    import pandas as pd

    n_rows = table.n_rows
    if n_rows < FEW_ROWS:
        effect = "relations between columns can hardly be learnt, and rows may resemble real ones"
        yield make_alert(None, "tiny-table", f"{n_rows:,} rows", effect, remedy="collect more rows")
    arrays = {name: _sample(cells) for name, cells in table.columns.items()}
    fine = any(len(np.unique(cells)) > len(cells) / 4 for cells in arrays.values())
    if not fine or len(arrays) < MIN_COLUMNS or n_rows < 2:
        return  # rows of few values repeat by chance
    share = float(pd.DataFrame(arrays).duplicated().mean())
    if share >= DUPLICATES:
        effect = "they count more than others, and scores on held-out rows look too good"
        yield make_alert(
            None, "duplicate-rows", f"{share:.0%} of the rows repeat another one", effect, remedy="df.drop_duplicates()"
        )
