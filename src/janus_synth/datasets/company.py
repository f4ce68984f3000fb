"""A company's hiring, drawn from a known causal model: a number of rows in, a pandas table out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from janus_synth.arrays import Array
from janus_synth.datasets.equations import EQUATIONS, LEVELS, Noise, parents_of
from janus_synth.errors import UnknownColumnError

if TYPE_CHECKING:
    import pandas as pd


class Rule(NamedTuple):
    """A condition in the rule language, and the share of complete rows that satisfy it."""

    text: str
    share: float


HIRING_RULES: tuple[Rule, ...] = (
    Rule("experience <= age - 18", 1.0),
    Rule("end_date > start_date", 1.0),
    Rule("offered_salary >= requested_salary", 0.78),
)
"""Rules of the hiring table, with their share among the rows where every named column is present."""


def hiring(
    n: int = 5_000,
    random_state: int | np.random.Generator = 0,
    *,
    do: Mapping[str, object] | None = None,
) -> pd.DataFrame:
    """Draw applicants of a fictitious company from a known structural causal model.

    The table has what real ones have: a key, ordered and unordered levels of uneven shares, numbers on
    lattices, exact zeros, a heavy tail, dates, a hard rule and a soft one, and nulls of three origins: at
    random (``remote``), depending on another column (``test_score``), and by logic (no offer unless hired, no
    end date while employed). Women are offered less for equal merit, and lose more through ``experience``
    and ``department``.

    Parameters
    ----------
    n : int
        Number of rows.
    random_state : int or numpy.random.Generator
        The same seed gives the same table.
    do : mapping of column to value, optional
        Columns forced to a constant, whatever their parents say. Every column has its own noise, so the same
        seed with and without ``do`` shows the same applicants in two worlds: true counterfactuals. Forced
        columns may break a rule.

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
    if n < 0:
        raise ValueError(f"a table cannot have n={n} rows. Ask for 0 or more.")
    forced = {column: _as_value(column, value) for column, value in (do or {}).items()}
    # Each column owns a stream, so that forcing one leaves the noise of all others where it was.
    streams = np.random.default_rng(random_state).spawn(len(EQUATIONS))
    columns: dict[str, Array] = {}
    for (name, equation), stream in zip(EQUATIONS.items(), streams, strict=True):
        if name in forced:
            columns[name] = np.full(n, forced[name])
        else:
            parents = {parent: columns[parent] for parent in parents_of(name)}
            columns[name] = equation(**parents, noise=Noise(n, stream))
    return _as_frame(columns, n)


def hiring_graph() -> dict[str, tuple[str, ...]]:
    """Parents of every column of :func:`hiring` but the key, parents before children.

    Examples
    --------
    >>> hiring_graph()["experience"]
    ('sex', 'age', 'education')
    """
    return {column: parents_of(column) for column in EQUATIONS}


def _as_value(column: str, value: object) -> object:
    """Spell a forced value the way the equations do."""
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
    """Dress arrays as the column types a user meets."""
    import pandas as pd

    dressed: dict[str, Any] = {"applicant_id": pd.Series([f"A-{i:06d}" for i in range(1, n + 1)], dtype=str)}
    for name, values in columns.items():
        if name == "education":
            dressed[name] = pd.Categorical.from_codes(values, pd.Index(LEVELS[name], dtype=str), ordered=True)
        elif name in LEVELS:
            dressed[name] = pd.Series(np.array(LEVELS[name], dtype=object)[values], dtype=str)
        elif name.endswith("_date"):
            dressed[name] = values.astype("datetime64[us]")
        elif name == "remote":
            dressed[name] = pd.array(values, dtype="Float64").astype("boolean")
        elif name == "offered_salary":
            dressed[name] = pd.array(values, dtype="Float64").astype("Int64")
        else:
            dressed[name] = values
    return pd.DataFrame(dressed)
