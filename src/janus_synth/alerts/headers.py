"""A schema in; an alert about a file whose header is repeated among the rows, or is missing, out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from janus_synth.alerts.alert import Alert, make_alert
from janus_synth.table import Column

MIN_COLUMNS = 2
_NUMBER = re.compile(r"-?\d+(?:[.,]\d+)*")


def header_alerts(columns: Sequence[Column], texts: Mapping[str, Sequence[str]]) -> Iterator[Alert]:
    """Alert if names of columns are among their own values.

    Parameters
    ----------
    columns : sequence of Column
        All columns of a table.
    texts : mapping of str to sequence of str
        Distinct texts of the columns that hold text.
    """
    named = [column.name for column in columns if column.name in texts.get(column.name, ())]
    typed = any(column.name not in texts for column in columns)  # a header among the rows makes all of them text
    if typed and len(columns) >= MIN_COLUMNS and all(_is_like_its_cells(column, texts) for column in columns):
        names = [column.name for column in columns]
        if names != [str(i) for i in range(len(names))]:
            message = "the first row seems to be taken for the names of columns"
            effect = "it is not learnt, and columns have odd names"
            yield make_alert(None, "no-header", message, effect, remedy="add a first line with names to the file")
    elif len(named) >= MIN_COLUMNS:
        message = f"rows repeat the header: {', '.join(map(repr, named[:3]))} are among their own values"
        effect = "they are learnt as values, so that numbers and dates become text"
        remedy = f"delete those lines of the file, or df = df[df[{named[0]!r}] != {named[0]!r}]"
        yield make_alert(None, "repeated-header", message, effect, remedy=remedy)


def _is_like_its_cells(column: Column, texts: Mapping[str, Sequence[str]]) -> bool:
    """Whether the name of a column could be one of its cells."""
    if column.kind in ("numeric", "datetime") or (column.kind == "identifier" and column.name not in texts):
        return _NUMBER.fullmatch(re.sub(r"[-/:]", ".", column.name).lstrip(".")) is not None
    return column.name in texts.get(column.name, ())
