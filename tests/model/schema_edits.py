"""Random edits of the schema in a model file, and what a model must be able to do if its file is not refused."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pandas as pd

from janus_synth import Janus
from janus_synth.errors import ModelFileError
from model.archives import Archive

DTYPES = (
    "category", "int64", "Int64", "int8", "uint8", "float64", "float32", "object", "str", "string", "bool", "boolean",
    "datetime64[ns]", "datetime64[us]", "datetime64[ns, UTC]", "timedelta64[ns]", "nonsense", "", "int64[pyarrow]",
)  # fmt: skip
KINDS = ("numeric", "boolean", "categorical", "datetime", "identifier", "personal", "nonsense")


def edit_schema(schema: dict[str, Any], rng: np.random.Generator) -> str:
    """Change one thing in a schema, in place; returns what was changed."""
    columns = schema["columns"]
    column = columns[int(rng.integers(len(columns)))]
    name, before = column["name"], copy.deepcopy(column)
    edits = [_dtype, _dtype, _kind, _levels, _levels, _bounds, _bounds, _nullable, _ordered, _text, _names, _frame]
    edits[int(rng.integers(len(edits)))](schema, columns, column, rng)
    changed = {
        key: (before.get(key), column.get(key)) for key in {*before, *column} if before.get(key) != column.get(key)
    }
    return f"{name}: {changed or 'the list of columns or the frame'}"


def _dtype(schema, columns, column, rng):
    column["dtype"] = str(rng.choice(DTYPES))


def _kind(schema, columns, column, rng):
    column["kind"] = str(rng.choice(KINDS))


def _levels(schema, columns, column, rng):
    levels = list(column.get("levels", ["x", "y"]))
    match int(rng.integers(6)):
        case 0:
            levels = levels[:-1]
        case 1:
            levels = [*levels, "more"]
        case 2:
            levels = levels[::-1]
        case 3 if levels:
            levels[0] = levels[-1]
        case 4 if levels:
            levels[0] = [7, "other", None, 1.5, True][int(rng.integers(5))]
        case _:
            levels = []
    column["levels"] = levels


def _bounds(schema, columns, column, rng):
    low, high = column.get("low"), column.get("high")
    match int(rng.integers(5)):
        case 0:
            column["low"], column["high"] = high, low
        case 1:
            column["low"] = low + 1.0 if isinstance(low, float) else "2024-02-10"
        case 2:
            column["high"] = high - 1.0 if isinstance(high, float) else "2024-02-10"
        case 3:
            column["low"] = column["high"] = None
        case _:
            column[str(rng.choice(["low", "high"]))] = [1e300, "5", True, -3.0][int(rng.integers(4))]


def _nullable(schema, columns, column, rng):
    column["nullable"] = [True, False, "no", None][int(rng.integers(4))]


def _ordered(schema, columns, column, rng):
    column["ordered"] = not column.get("ordered", False)


def _text(schema, columns, column, rng):
    key = str(rng.choice(["template", "format", "missing", "role", "locale"]))
    column[key] = [None, "%Y", "EMP", "ID-{001}", ["?"], 3, "yes/no"][int(rng.integers(7))]


def _names(schema, columns, column, rng):
    match int(rng.integers(4)):
        case 0:
            column["name"] = "other"
        case 1:
            columns.remove(column)
        case 2:
            columns.append(dict(column))
        case _:
            columns.reverse()


def _frame(schema, columns, column, rng):
    schema["frame"] = str(rng.choice(["pandas", "polars", "pyarrow", "nonsense"]))


def refused_or_works(parts: Archive, path: Any) -> bool:
    """Whether a file is refused; if it is not, its model must do all that a model does."""
    parts.write(path)
    try:
        model = Janus.load(path)
    except ModelFileError:
        return True
    rows = model.sample(200, random_state=1)
    assert len(rows) == 200
    assert np.isfinite(model.log_prob(rows)).all()
    for column in model.schema_.learnt:
        where = f"`{column.name}` is not null"
        if bool(model.check(where)):
            assert len(model.sample(20, where=where, random_state=2)) == 20
    full = model.complete(rows[:5], random_state=3)
    assert len(full) == 5
    model.update(rows)
    model.save(path)
    again = Janus.load(path).sample(50, random_state=4)
    expected = model.sample(50, random_state=4)
    assert isinstance(expected, pd.DataFrame) is isinstance(again, pd.DataFrame)
    assert again.equals(expected)
    return False
