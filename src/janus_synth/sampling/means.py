"""Means of columns as users write them in; how far each cell lies above its wanted mean out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from janus_synth.arrays import Bools, Floats
from janus_synth.errors import UnknownColumnError
from janus_synth.model import Model
from janus_synth.table import Table


@dataclass(frozen=True, slots=True)
class WantedMean:
    """The mean that a column should have; nulls do not count."""

    column: str
    value: float
    tolerance: float | None
    """None is the standard error of the mean of as many independent rows."""

    def excess(self, table: Table) -> Floats:
        """How far each cell lies above the mean, 0 where it is null."""
        cells = np.asarray(table[self.column], float)
        return np.where(self.present(table), cells - self.value, 0.0)

    def present(self, table: Table) -> Bools:
        """Which cells are not null."""
        return ~table.missing(self.column)


def read_means(means: Any, model: Model) -> tuple[WantedMean, ...]:
    """Read ``{"income": 52_000}`` or, with a tolerance, ``{"income": (52_000, 500)}``.

    Examples
    --------
    >>> from janus_synth import Janus, datasets
    >>> model = Janus(n_trees=1, random_state=0).fit(datasets.hiring(200, random_state=0)).model_
    >>> read_means({"age": (40, 0.5)}, model)
    (WantedMean(column='age', value=40.0, tolerance=0.5),)
    """
    if means is None:
        return ()
    if not isinstance(means, Mapping):
        raise ValueError(f"means is {means!r}; give a mapping such as {{'income': 52_000}}.")
    return tuple(_read_mean(name, wanted, model) for name, wanted in means.items())


def _read_mean(name: Any, wanted: Any, model: Model) -> WantedMean:
    schema = model.visible_schema
    if name not in schema:
        raise UnknownColumnError(name, schema.names, where="the schema")
    if schema[name].kind not in ("numeric", "boolean"):
        raise ValueError(
            f"column {name!r} is {schema[name].kind}, so it has no mean. Give shares of its values instead."
        )
    value, tolerance = wanted if isinstance(wanted, tuple | list) and len(wanted) == 2 else (wanted, None)
    if not _is_number(value) or not (tolerance is None or (_is_number(tolerance) and tolerance > 0)):
        raise ValueError(f"the mean of {name!r} is {wanted!r}; give a number, or a number and a tolerance above 0.")
    return WantedMean(name, float(value), None if tolerance is None else float(tolerance))


def _is_number(value: Any) -> bool:
    is_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    return is_number and bool(np.isfinite(value))


def stack_excess(means: tuple[WantedMean, ...], table: Table) -> Floats:
    """(means, rows) how far each cell lies above the wanted mean."""
    return np.stack([mean.excess(table) for mean in means]) if means else np.zeros((0, table.n_rows))


def stack_present(means: tuple[WantedMean, ...], table: Table) -> Bools:
    """(means, rows) which cells are not null."""
    return np.stack([mean.present(table) for mean in means]) if means else np.zeros((0, table.n_rows), bool)
