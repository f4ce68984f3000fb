"""Columns that a person sets in; distributions before and after, an effect, and one row's counterfactual out.

Every answer is one call: ``do`` and ``sample``, ``effect``, ``counterfactual``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from janus_synth.errors import DataError
from janus_synth.files import write_whole
from janus_synth.studio.comparison import divide_rows

if TYPE_CHECKING:
    from janus_synth.janus import Janus
    from janus_synth.questions import Effect
    from janus_synth.table import Column, Schema

Tell = Callable[[dict[str, Any]], None]
MOST_COLUMNS = 50
N_ROWS = 4_000
"""Rows of each world that are drawn for the pictures."""
MOST_EFFECT_ROWS = 10_000
"""Rows that an effect is estimated from; more would make a person wait without telling them more."""
FIELDS = ("value", "low", "high", "level", "levels", "null")


def read_settings(body: Mapping[str, Any], name: str = "do") -> dict[str, dict[str, Any]]:
    """What columns are set to: a value, a range, a level or several by their place among the levels, or null.

    Examples
    --------
    >>> read_settings({"do": {"age": {"low": 30, "high": 40, "path": "/etc"}}})
    {'age': {'low': 30, 'high': 40}}
    """
    given = body.get(name, {})
    if not isinstance(given, dict) or len(given) > MOST_COLUMNS:
        raise ValueError(f"{name!r} must be an object of at most {MOST_COLUMNS} columns.")
    if not all(isinstance(spec, dict) for spec in given.values()):
        raise ValueError(f"{name!r} must be an object of objects.")
    return {column: {key: spec[key] for key in FIELDS if key in spec} for column, spec in given.items()}


def as_assignment(column: Column, spec: Mapping[str, Any]) -> Any:
    """What ``do`` takes for a column: a value, a range, a list or None.

    Examples
    --------
    >>> from janus_synth.table import Column
    >>> as_assignment(Column("city", "categorical", "str", levels=("Oslo", "Rome")), {"levels": [1]})
    ['Rome']
    """
    if spec.get("null"):
        return None
    if "level" in spec:
        return _level(column, spec["level"])
    if "levels" in spec:
        if not isinstance(spec["levels"], list) or not spec["levels"]:
            raise DataError(f"choose at least one level of {column.name!r}.")
        return [_level(column, one) for one in spec["levels"]]
    ends = [spec.get("value")] if "value" in spec else [spec.get("low"), spec.get("high")]
    if any(isinstance(end, bool) or not isinstance(end, int | float | str) or end == "" for end in ends):
        raise DataError(f"give {column.name!r} a value, or both ends of a range.")
    return ends[0] if len(ends) == 1 else (ends[0], ends[1])


def _level(column: Column, place: Any) -> Any:
    if isinstance(place, bool) or not isinstance(place, int) or not 0 <= place < len(column.levels):
        raise DataError(f"{column.name!r} has no level number {place!r}.")
    return column.levels[place]


def assignments(schema: Schema, settings: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """What ``do`` takes, for all columns that are set."""
    if not settings:
        raise DataError("set at least one column.")
    return {name: as_assignment(schema[name], spec) for name, spec in settings.items()}


def worlds(janus: Janus, settings: Mapping[str, Mapping[str, Any]], *, seed: int = 0) -> dict[str, Any]:
    """Distributions of all columns before and after an intervention, the set ones first, then the largest change."""
    from janus_synth.metrics import marginal_errors
    from janus_synth.plots.overlays import overlays

    do = assignments(janus.schema_, settings)
    after = _without_warning(janus).do(do).sample(N_ROWS, random_state=seed)
    before = janus.sample(N_ROWS, random_state=seed)
    errors = marginal_errors(before, after)
    change = {**errors.ks, **errors.total_variation}
    drawn = overlays(before, after, schema=janus.schema_)
    drawn.sort(key=lambda one: (one.column not in do, -change.get(one.column, 0.0)))
    follows = janus.dag_.descendants(*do)
    columns = [
        {**one.to_dict(), "change": change.get(one.column, 0.0), "set": one.column in do,
         "follows": one.column in follows}
        for one in drawn
    ]  # fmt: skip
    return {"n": N_ROWS, "columns": columns, "python": f"world = model.do({do!r})\nrows = world.sample({N_ROWS})"}


def counterfactual(janus: Janus, row: Any, settings: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """One row as it is and as it would have been, cell by cell."""
    from janus_synth.table.files import plain_rows

    do = assignments(janus.schema_, settings)
    after = _without_warning(janus).counterfactual(row, do=do)
    (old,), (new,) = plain_rows(row), plain_rows(after)
    follows = janus.dag_.descendants(*do)
    cells = [
        {"column": name, "before": old[name], "after": new[name], "changed": old[name] != new[name],
         "set": name in do, "follows": name in follows}
        for name in new if name in old
    ]  # fmt: skip
    return {"cells": cells, "python": f"model.counterfactual(row, do={do!r})"}


def _without_warning(janus: Janus) -> Janus:
    """The page itself says that a graph was learnt, until somebody vouches for it."""
    return janus.set_params(trust_graph=True)


def estimate_effect(task: dict[str, Any], tell: Tell, *, read: Callable[[Path], Any]) -> None:
    """Estimate an average treatment effect, from the rows that the model was learnt from where they are known."""
    from janus_synth import Janus

    tell({"progress": ["reading the model", 0, None]})
    janus = Janus.load(task["model"])
    column = janus.schema_[task["treatment"]]
    values = [as_assignment(column, spec) for spec in task["values"]] or None
    data = None
    if task["data"] is not None:
        data, _ = divide_rows(read(Path(task["data"])), task["held_out"])
        data = data.sample(min(len(data), MOST_EFFECT_ROWS), random_state=0)
    tell({"progress": ["estimating the effect", 0, None]})
    found = janus.effect(task["treatment"], task["outcome"], values, data=data)
    write_whole(task["answer"], json.dumps(describe_effect(found), ensure_ascii=False, allow_nan=False))


def describe_effect(found: Effect) -> dict[str, Any]:
    """Plain values of an effect."""
    return {
        "treatment": found.treatment,
        "outcome": found.outcome,
        "values": [_written(value) for value in found.values],
        "means": [one._asdict() for one in found.means],
        "effects": [one._asdict() for one in found.effects],
        "level": found.level,
        "basis": list(found.basis),
    }


def _written(value: Any) -> str:
    if isinstance(value, tuple):
        return f"{value[0]} to {value[1]}"
    return " or ".join(map(str, value)) if isinstance(value, Sequence) and not isinstance(value, str) else str(value)
