"""Runs only where pgmpy is installed, but for the error that names what to install."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest

from janus_synth import Dag, Janus
from janus_synth.errors import MissingExtraError
from janus_synth.integrations import from_pgmpy, to_pgmpy


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    sex = rng.choice(["f", "m"], 400)
    rank = np.where(rng.random(400) < 0.3 + 0.3 * (sex == "m"), "high", "low")
    return pd.DataFrame({"sex": sex, "rank": rank, "paid": rng.random(400) < 0.2 + 0.5 * (rank == "high")})


def test_without_the_library_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "pgmpy.models", None)
    with pytest.raises(MissingExtraError, match=r"to_pgmpy\(\) needs pgmpy.*janus-synth\[integrations\]"):
        to_pgmpy(Dag({"a": ()}))


@pytest.mark.filterwarnings("ignore")
def test_inference_there_and_here_agree(rows):
    inference = pytest.importorskip("pgmpy.inference")
    model = Janus(n_trees=3, links="off", random_state=0).fit(rows)
    engine = inference.VariableElimination(to_pgmpy(model, tables=True))
    for sex, paid in (("f", "True"), ("m", "False")):
        found = engine.query(["rank"], evidence={"sex": sex, "paid": paid}, show_progress=False)
        asked = pd.DataFrame({"sex": [sex], "paid": [paid == "True"]})
        assert found.get_value(rank="high") == pytest.approx(model.predict_proba(asked, "rank")["high"][0], abs=1e-5)
    assert set(from_pgmpy(engine.model).edges) == set(model.dag_.edges)


@pytest.mark.filterwarnings("ignore")
def test_a_graph_alone_has_no_tables():
    pytest.importorskip("pgmpy.models")
    dag = Dag({"a": (), "b": ("a",)})
    assert from_pgmpy(to_pgmpy(dag)) == dag
    with pytest.raises(ValueError, match="needs a fitted Janus"):
        to_pgmpy(dag, tables=True)
