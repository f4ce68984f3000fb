"""A number of rows in, a pandas table of a company's applicants out, drawn from a known structural causal model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from janus_synth.arrays import Array
from janus_synth.datasets.columns import Rule, generator
from janus_synth.datasets.equations import EQUATIONS, LEVELS, Noise, parents_of
from janus_synth.errors import UnknownColumnError

if TYPE_CHECKING:
    import pandas as pd

HIRING_RULES: tuple[Rule, ...] = (
    Rule("experience <= age - 18", 1.0),
    Rule("end_date > start_date", 1.0),
    Rule("offered_salary >= requested_salary", 0.78),
)
"""Rules of the hiring table, each with the share of satisfying rows among those where all its columns are present."""


def hiring(
    n: int = 5_000,
    random_state: int | np.random.Generator = 0,
    *,
    do: Mapping[str, object] | None = None,
) -> pd.DataFrame:
    """Draw applicants of a fictitious company from a known structural causal model.

    The table resembles real ones. It has an identifier, ordered and unordered levels of uneven frequency, numbers on
    lattices, exact zeros, a heavy tail, dates, rules that always hold and one that mostly does. Values are missing
    completely at random (``remote``), at random given another column (``test_score``), and by logic (no offer unless
    hired, no end date while employed). Women are offered less for equal merit, and lose more through ``experience``
    and ``department``.

    Parameters
    ----------
    n : int
        Number of rows.
    random_state : int or numpy.random.Generator
        The same seed gives the same table.
    do : mapping of column to value, optional
        Interventions: columns set to a constant. Every column has its own noise, so the same seed with and without
        ``do`` gives the same applicants with and without the intervention: true counterfactuals. Interventions may
        violate a rule.

    Returns
    -------
    pandas.DataFrame
        ``applicant_id`` (text, distinct), ``age``, ``sex``, ``education`` (ordered category), ``experience``
        (years), ``department``, ``commute_km``, ``remote`` (nullable boolean), ``test_score`` (0 to 100),
        ``requested_salary`` (multiples of 500), ``hired``, ``offered_salary`` (nullable integer), ``bonus``
        (mostly 0), ``start_date`` (first day of the post) and ``end_date``.

    Examples
    --------
    >>> rows = hiring(1_000)
    >>> bool((rows["experience"] <= rows["age"] - 18).all())
    True
    >>> as_men = hiring(1_000, do={"sex": "male"})
    >>> bool(as_men["offered_salary"].mean() > rows["offered_salary"].mean())
    True
    """
    rng = generator(n, random_state)
    set_by_do = {column: _as_value(column, value) for column, value in (do or {}).items()}
    # Each column has a random stream of its own, so that an intervention leaves the noise of all others unchanged.
    streams = rng.spawn(len(EQUATIONS))
    columns: dict[str, Array] = {}
    for (name, equation), stream in zip(EQUATIONS.items(), streams, strict=True):
        if name in set_by_do:
            columns[name] = np.full(n, set_by_do[name])
        else:
            parents = {parent: columns[parent] for parent in parents_of(name)}
            columns[name] = equation(**parents, noise=Noise(n, stream))
    return _as_frame(columns, n)


def hiring_graph() -> dict[str, tuple[str, ...]]:
    """Parents of every column of :func:`hiring` except the identifier, parents before children.

    Examples
    --------
    >>> hiring_graph()["experience"]
    ('sex', 'age', 'education')
    """
    return {column: parents_of(column) for column in EQUATIONS}


def _as_value(column: str, value: object) -> object:
    """Value of an intervention as the equations represent it."""
    if column not in EQUATIONS:
        raise UnknownColumnError(column, EQUATIONS, where="the hiring model")
    if column in LEVELS:
        if value not in LEVELS[column]:
            raise ValueError(f"{column!r} has no level {value!r}. Choose one of {', '.join(LEVELS[column])}.")
        return LEVELS[column].index(str(value))
    if column.endswith("_date"):
        return np.datetime64(str(value), "D")
    if column == "remote":
        return np.nan if value is None else float(bool(value))
    return value


def _as_frame(columns: Mapping[str, Array], n: int) -> pd.DataFrame:
    """Frame of the arrays, in the dtypes of a typical user's table."""
    import pandas as pd

    native: dict[str, Any] = {"applicant_id": pd.Series([f"A-{i:06d}" for i in range(1, n + 1)], dtype=str)}
    for name, values in columns.items():
        if name == "education":
            native[name] = pd.Categorical.from_codes(values, pd.Index(LEVELS[name], dtype=str), ordered=True)
        elif name in LEVELS:
            native[name] = pd.Series(np.array(LEVELS[name], dtype=object)[values], dtype=str)
        elif name.endswith("_date"):
            native[name] = values.astype("datetime64[us]")
        elif name == "remote":
            native[name] = pd.array(values, dtype="Float64").astype("boolean")
        elif name == "offered_salary":
            native[name] = pd.array(values, dtype="Float64").astype("Int64")
        else:
            native[name] = values
    return pd.DataFrame(native)
