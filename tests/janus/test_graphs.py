from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus, datasets
from janus_synth.errors import StructureError


def columns():
    return datasets.hiring(400, random_state=0)[["age", "sex", "experience", "education", "hired"]]


# Falsification


def test_a_model_tests_its_own_graph():
    rows = columns()
    model = Janus(n_trees=1, random_state=0, structure=[("age", "experience"), ("education", "hired")]).fit(rows)
    found = model.falsify(rows, n_permutations=19, progress=False)
    assert found.edges == model.dag_.edges
    assert found.n_rows == 400


@pytest.mark.parametrize("kind", ["polars", "pyarrow"])
def test_other_frames_are_tested_alike(kind):
    rows = columns()
    model = Janus(n_trees=1, random_state=0, structure=[("age", "experience")]).fit(rows)
    other = pytest.importorskip("polars").from_pandas(rows) if kind == "polars" else _arrow(rows)
    assert np.allclose(
        model.falsify(rows, n_permutations=19).p_values, model.falsify(other, n_permutations=19).p_values
    )


def _arrow(rows: pd.DataFrame):
    import pyarrow

    return pyarrow.Table.from_pandas(rows, preserve_index=False)


@pytest.mark.parametrize(
    ("name", "value"), [("alpha", 0.7), ("n_permutations", -1), ("n_permutations", 18), ("max_rows", 50)]
)
def test_a_bad_argument_of_falsify_is_named(name, value):
    rows = columns()
    with pytest.raises(ValueError, match=f"{name} is"):
        Janus(n_trees=1, random_state=0).fit(rows).falsify(rows, **{name: value})


# Sets of graphs


def test_confidences_are_a_frame_of_the_kind_of_the_rows():
    pl = pytest.importorskip("polars")
    model = Janus(structure="bootstrap", graph_learner="forest", n_graphs=3, n_trees=1, random_state=0)
    frame = model.fit(pl.from_pandas(columns())).edge_confidence_
    assert isinstance(frame, pl.DataFrame)
    assert frame.columns == ["parent", "child", "confidence", "either_way", "consensus"]
    chosen = frame.filter(pl.col("consensus"))
    assert set(zip(chosen["parent"], chosen["child"], strict=True)) == set(model.dag_.edges)


@pytest.mark.parametrize("ask", [lambda m: m.edge_confidence_, lambda m: m.structural_uncertainty(columns(), "age")])
def test_a_model_of_one_graph_says_how_to_learn_more(ask):
    with pytest.raises(StructureError, match="structure='bootstrap'"):
        ask(Janus(n_trees=1, random_state=0).fit(columns()))


@pytest.mark.parametrize(("name", "value"), [("graph_learner", "chain"), ("n_graphs", 1), ("n_graphs", 10**6)])
def test_a_bad_argument_of_the_set_is_named(name, value):
    with pytest.raises(ValueError, match=f"{name} is"):
        Janus(structure="bootstrap", **{name: value}).fit(columns())


def test_an_unknown_target_is_named():
    model = Janus(structure="bootstrap", graph_learner="forest", n_graphs=2, n_trees=1).fit(columns())
    with pytest.raises(StructureError, match="'nothing' is not a column"):
        model.structural_uncertainty(columns(), "nothing")
