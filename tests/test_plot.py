from __future__ import annotations

import inspect
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from chart_reader import data_of, texts_of
from janus_synth import Janus, plot
from janus_synth.questions import Effect
from janus_synth.sampling import Estimate


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    x = rng.normal(size=150)
    return pd.DataFrame({"x": x, "y": x + rng.normal(size=150), "level": rng.choice(["a", "b"], 150)})


@pytest.fixture(scope="module")
def model(rows):
    return Janus(structure=[("x", "y"), ("level", "y")], n_trees=1, links="off", random_state=0).fit(rows)


def test_the_module_is_light():
    code = "import sys, janus_synth.plot; print([m for m in ('altair', 'pandas', 'numpy') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "[]"


def test_every_function_is_listed_and_explained():
    functions = {name for name, value in inspect.getmembers(plot, inspect.isfunction)}
    assert functions == set(plot.__all__)


def test_tables_are_compared(rows, model):
    other = model.sample(150, random_state=1)
    assert "level" in texts_of(plot.compare(rows, other, ["level", "x"]))
    assert len(plot.pairs(rows, other, ["x", "y"]).to_dict()["concat"]) == 4
    assert len(plot.associations(rows, other).to_dict()["hconcat"]) == 3


def test_the_graph_of_a_model_is_drawn(model):
    shown = texts_of(plot.graph(model, title="Mine"))
    assert {"Mine", "x", "y", "level"} <= set(shown)
    assert plot.graph(model).to_dict() == model.plot_graph().to_dict()


def test_answers_are_drawn(rows, model):
    parts = {(row["column"], row["part"]) for row in data_of(plot.uncertainty(model.uncertainty(rows, ["y"])))}
    assert parts == {("y", "aleatoric"), ("y", "epistemic")}
    means = (Estimate(1.0, 0.5, 1.5), Estimate(2.0, 1.5, 2.5))
    chart = plot.effect(Effect("x", "y", (0, 1), means, means, 0.95), beside={"truth": [1.0, 2.0]})
    assert {"y as x is set", "truth"} <= set(texts_of(chart))
