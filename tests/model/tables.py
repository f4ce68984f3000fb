"""Small tables with every kind of column, and exact comparisons of frames and models."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import polars.testing
import pyarrow as pa

from janus_synth import Janus, Schema
from janus_synth.encoding import LevelCodec, OrderedCodec
from janus_synth.model import Model
from janus_synth.trees import Splits

FRAME_KINDS = ("pandas", "polars", "pyarrow")

QUICK: dict[str, Any] = {"n_trees": 2, "n_bins": 20, "random_state": 0, "links": "off"}
"""Settings under which a few hundred rows are learnt in milliseconds."""


def mixed(n: int = 300, seed: int = 0) -> pd.DataFrame:
    """One column of each kind, all dependent, with and without nulls."""
    rng = np.random.default_rng(seed)
    group = rng.choice(["north", "south", "east"], n, p=[0.5, 0.3, 0.2])
    shift = pd.Series(group).map({"north": 0.0, "south": 4.0, "east": 9.0}).to_numpy()
    amount = shift + rng.normal(size=n)
    grade = np.clip(np.floor(amount / 4), 0, 2).astype(int)
    day = np.datetime64("2024-01-01", "us") + (30 * grade + rng.integers(0, 30, n)).astype("timedelta64[D]")
    frame = pd.DataFrame(
        {
            "key": [f"K-{i:05d}" for i in range(n)],
            "group": pd.Series(group, dtype="str"),
            "grade": pd.Categorical.from_codes(grade, ["low", "mid", "high"], ordered=True),
            "member": pd.array(rng.random(n) < 0.2 + 0.3 * grade, dtype="boolean"),
            "amount": np.where(rng.random(n) < 0.1, np.nan, amount),
            "units": rng.poisson(3 + 5 * grade),
            "day": day,
            "seen": pd.Series(day + rng.integers(0, 86_400, n).astype("timedelta64[s]")).dt.tz_localize("Europe/Paris"),
        }
    )
    frame.loc[rng.random(n) < 0.15, "member"] = pd.NA
    return frame


def as_kind(frame: pd.DataFrame, kind: str) -> Any:
    """The same rows as another kind of frame."""
    if kind == "polars":
        return pl.from_pandas(frame)
    return pa.Table.from_pandas(frame, preserve_index=False) if kind == "pyarrow" else frame


def stacked(*frames: Any) -> Any:
    """Frames of one kind on top of one another."""
    if isinstance(frames[0], pd.DataFrame):
        return pd.concat(frames, ignore_index=True)
    return pl.concat(frames) if isinstance(frames[0], pl.DataFrame) else pa.concat_tables(frames)


def assert_same_frame(one: Any, other: Any) -> None:
    """Same kind, columns, dtypes and cells, bit for bit."""
    assert type(one) is type(other)
    if isinstance(one, pd.DataFrame):
        pd.testing.assert_frame_equal(one, other, check_exact=True)
    elif isinstance(one, pl.DataFrame):
        polars.testing.assert_frame_equal(one, other, check_exact=True)
    else:
        assert one.schema == other.schema
        assert one.to_pydict() == other.to_pydict()


def assert_same_counts(one: Model, other: Model) -> None:
    """Same splits, same forward and backward counts, same probabilities."""
    assert one.codec.names == other.codec.names
    assert one.n_rows == other.n_rows
    for mine, theirs in zip(one.bags, other.bags, strict=True):
        for part in fields(Splits):
            np.testing.assert_array_equal(getattr(mine.splits, part.name), getattr(theirs.splits, part.name))
        for way in ("forward", "backward"):
            np.testing.assert_array_equal(
                getattr(mine.leaves, way).toarray(), getattr(theirs.leaves, way).toarray(), err_msg=way
            )
        np.testing.assert_array_equal(mine.leaves.shares(mine.splits), theirs.leaves.shares(theirs.splits))
        assert (mine.trends is None) == (theirs.trends is None)
        if mine.trends is not None and theirs.trends is not None:
            for trend_part in ("parents", "score", "coef", "spread", "low", "high", "weight"):
                np.testing.assert_array_equal(getattr(mine.trends, trend_part), getattr(theirs.trends, trend_part))
            np.testing.assert_array_equal(mine.trends.residuals.toarray(), theirs.trends.residuals.toarray())


def assert_same_model(one: Model, other: Model) -> None:
    """Same schema, graph, codes and counts."""
    assert one.schema == other.schema
    assert one.dag == other.dag
    assert one.graph_given == other.graph_given
    for mine, theirs in zip(one.codec.columns.values(), other.codec.columns.values(), strict=True):
        assert type(mine) is type(theirs)
        assert isinstance(mine, LevelCodec | OrderedCodec)
        for part in fields(mine):
            np.testing.assert_array_equal(getattr(mine, part.name), getattr(theirs, part.name), err_msg=part.name)
    assert_same_counts(one, other)


def cells(frame: Any, column: str) -> list[Any]:
    """Cells of a column as Python values, None for nulls of any kind."""
    values = frame[column].to_pylist() if isinstance(frame, pa.Table) else frame[column].to_list()
    return [None if value is None or value is pd.NA or value != value else value for value in values]


def names_and_dtypes(frame: Any) -> list[tuple[str, Any]]:
    if isinstance(frame, pa.Table):
        return [(field.name, field.type) for field in frame.schema]
    return list(zip(frame.columns, frame.dtypes, strict=True))


def is_kept(dtype: Any, trained: Any) -> bool:
    """Whether a dtype is that of the training rows; categories without an order lack those of few rows."""
    if isinstance(trained, pd.CategoricalDtype) and isinstance(dtype, pd.CategoricalDtype) and not trained.ordered:
        return not dtype.ordered and set(dtype.categories) <= set(trained.categories)
    return bool(dtype == trained)


def assert_like_training(rows: Any, training: Any, schema: Schema) -> None:
    """Same kind of frame, same columns and dtypes; values within the domain; nulls only where there were some."""
    assert type(rows) is type(training)
    drawn_dtypes, trained_dtypes = dict(names_and_dtypes(rows)), dict(names_and_dtypes(training))
    assert list(drawn_dtypes) == list(trained_dtypes)
    assert all(is_kept(drawn_dtypes[name], dtype) for name, dtype in trained_dtypes.items())
    for column in schema:
        seen, drawn = cells(training, column.name), cells(rows, column.name)
        present = [value for value in drawn if value is not None]
        known = [value for value in seen if value is not None]
        assert None in seen or None not in drawn, f"{column.name} has nulls"
        if not column.is_learnt:
            assert len(set(drawn)) == len(drawn), f"{column.name} repeats"
        elif column.ordered:  # the levels of an order all belong to the domain, seen or not
            assert set(present) <= set(column.levels), f"{column.name} has new levels"
        elif column.is_discrete:
            assert set(map(repr, present)) <= set(map(repr, known)), f"{column.name} has new levels"
        elif present:
            assert min(known) <= min(present), f"{column.name} goes below its domain"
            assert max(present) <= max(known), f"{column.name} goes above its domain"


def fitted(frame: Any, **settings: Any) -> Janus:
    """A quick model of a frame."""
    return Janus(**{**QUICK, **settings}).fit(frame)
