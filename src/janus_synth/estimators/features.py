"""What users of scikit-learn pass as ``X`` and ``y`` in; one pandas frame with text names out, and rows back.

Arrays are numeric. Frames (pandas, polars, pyarrow) may hold text, categories, booleans, times and missing cells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils.validation import assert_all_finite, check_consistent_length, column_or_1d, validate_data

from janus_synth.arrays import Array

DIRECT = "direct"
"""Name of the graph in which the target depends on the features, and the features on nothing."""


def is_frame(X: Any) -> bool:
    """Whether ``X`` is a table of pandas, polars or pyarrow.

    Examples
    --------
    >>> is_frame(pd.DataFrame({"a": [1]})), is_frame([[1]])
    (True, False)
    """
    from narwhals import dependencies as known

    return bool(known.is_pandas_dataframe(X) or known.is_polars_dataframe(X) or known.is_pyarrow_table(X))


def read_features(estimator: Any, X: Any, *, reset: bool) -> pd.DataFrame:
    """Check ``X`` as scikit-learn asks and return it as a frame with the estimator's column names.

    With ``reset`` the names and their number are stored in the estimator: ``columns_``, ``n_features_in_`` and, for
    frames with text names, ``feature_names_in_``. Without, they are compared.
    """
    if is_frame(X):
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        frame = _as_pandas(X)
    else:
        array = validate_data(estimator, X, reset=reset, dtype="numeric", ensure_all_finite="allow-nan")
        frame = pd.DataFrame(np.asarray(array))
    if reset:
        estimator.columns_ = _text_names(frame)
    return frame.set_axis(estimator.columns_, axis=1)


def _as_pandas(X: Any) -> pd.DataFrame:
    if isinstance(X, pd.DataFrame):
        return X
    import narwhals as nw

    frame: pd.DataFrame = nw.from_native(X, eager_only=True).to_pandas()
    return frame


def _text_names(frame: pd.DataFrame) -> list[str]:
    """Names of the columns, or ``x0``, ``x1``, … unless all are texts."""
    if all(isinstance(name, str) for name in frame.columns):
        return [str(name) for name in frame.columns]
    return [f"x{i}" for i in range(frame.shape[1])]


def read_target(y: Any, X: Any, *, estimator: Any, numeric: bool) -> Array:
    """Return ``y`` as an array with one finite value for each row of ``X``."""
    if y is None:
        raise ValueError(f"{type(estimator).__name__} requires y to be passed, but the target y is None")
    values = column_or_1d(y, warn=True)
    if numeric:
        values = values.astype(np.float64)
    assert_all_finite(values, input_name="y", estimator_name=type(estimator).__name__)
    check_consistent_length(X, values)
    return np.asarray(values)


def target_name(y: Any, taken: Sequence[str]) -> str:
    """Name of the target's column: that of a series, otherwise ``target``, with underscores until it is unique.

    Examples
    --------
    >>> target_name(pd.Series([1], name="pay"), ["age"]), target_name([1], ["age", "target"])
    ('pay', 'target_')
    """
    given = getattr(y, "name", None)
    name = given if isinstance(given, str) and given else "target"
    while name in taken:
        name += "_"
    return name


def numeric_kinds(frame: pd.DataFrame) -> dict[str, dict[str, object]]:
    """Declare all numbers as numeric: a feature that counts rows is still a feature, not an identifier."""
    kinds = {str(name): kind for name, kind in frame.dtypes.items()}
    return {
        name: {"kind": "numeric"}
        for name, kind in kinds.items()
        if pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_bool_dtype(kind)
    }


def merge_schema(*parts: Mapping[str, Mapping[str, object]] | None) -> dict[str, dict[str, object]]:
    """Join fields of columns; later parts win.

    Examples
    --------
    >>> merge_schema({"age": {"kind": "numeric"}}, {"age": {"low": 0}})
    {'age': {'kind': 'numeric', 'low': 0}}
    """
    joined: dict[str, dict[str, object]] = {}
    for part in parts:
        for name, fields in (part or {}).items():
            changed = "kind" in fields and joined.get(name, {}).get("kind") != fields["kind"]
            joined[name] = {**({} if changed else joined.get(name, {})), **fields}
    return joined


def like_input(rows: pd.DataFrame, X: Any, *, index: Any = None) -> Any:
    """Return rows in the form of ``X``: an array of its dtype for an array, otherwise the same kind of frame."""
    if not is_frame(X):
        return rows.to_numpy(np.float64)
    import narwhals as nw

    kind = nw.get_native_namespace(X).__name__
    rows = rows.set_axis(list(X.columns if kind != "pyarrow" else X.column_names), axis=1)
    if kind == "pandas":
        return rows if index is None else rows.set_axis(index)
    frame = nw.from_native(rows, eager_only=True)
    return frame.to_polars() if kind == "polars" else frame.to_arrow()
