from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus, datasets


def columns():
    return datasets.hiring(400, random_state=0)[["age", "sex", "experience", "education", "hired"]]


# Falsification


def test_a_model_tests_its_own_graph():
    rows = columns()
    model = Janus(n_trees=1, random_state=0, structure=[("age", "experience"), ("education", "hired")]).fit(rows)
    found = model.falsify(rows, n_permutations=5, progress=False)
    assert found.edges == model.dag_.edges
    assert found.n_rows == 400


@pytest.mark.parametrize("kind", ["polars", "pyarrow"])
def test_other_frames_are_tested_alike(kind):
    rows = columns()
    model = Janus(n_trees=1, random_state=0, structure=[("age", "experience")]).fit(rows)
    other = pytest.importorskip("polars").from_pandas(rows) if kind == "polars" else _arrow(rows)
    assert np.allclose(model.falsify(rows, n_permutations=2).p_values, model.falsify(other, n_permutations=2).p_values)


def _arrow(rows: pd.DataFrame):
    import pyarrow

    return pyarrow.Table.from_pandas(rows, preserve_index=False)


@pytest.mark.parametrize(("name", "value"), [("alpha", 0.7), ("n_permutations", -1), ("max_rows", 50)])
def test_a_bad_argument_of_falsify_is_named(name, value):
    rows = columns()
    with pytest.raises(ValueError, match=f"{name} is"):
        Janus(n_trees=1, random_state=0).fit(rows).falsify(rows, **{name: value})
