"""Runs only where dowhy is installed, but for the error that names what to install."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from janus_synth import Dag
from janus_synth.errors import DataError, MissingExtraError
from janus_synth.integrations import from_dowhy, to_dowhy, to_gcm

nx = pytest.importorskip("networkx")
DAG = Dag({"age": (), "dose": ("age",), "cure": ("age", "dose")})


@pytest.mark.parametrize("ask", [to_gcm, lambda dag: to_dowhy(dag, None, treatment="dose", outcome="cure")])
def test_without_the_library_the_error_names_the_extra(monkeypatch, ask):
    for name in ("dowhy", "dowhy.gcm"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtraError, match=r"needs dowhy.*janus-synth\[integrations\]"):
        ask(DAG)


def test_unobserved_nodes_are_left_out():
    graph = nx.DiGraph([("age", "dose"), ("U", "dose"), ("U", "cure"), ("dose", "cure")])
    graph.nodes["U"]["observed"] = "no"
    assert set(from_dowhy(SimpleNamespace(graph=graph)).edges) == {("age", "dose"), ("dose", "cure")}


@pytest.mark.filterwarnings("ignore")
def test_dowhy_adjusts_for_the_confounder_of_the_graph():
    pytest.importorskip("dowhy")
    rng = np.random.default_rng(0)
    age = rng.normal(size=400)
    dose = age + rng.normal(size=400)
    rows = pd.DataFrame({"age": age, "dose": dose, "cure": 2 * dose - 3 * age + rng.normal(size=400)})
    question = to_dowhy(DAG, rows, treatment="dose", outcome="cure")
    found = question.identify_effect(proceed_when_unidentifiable=True)
    assert found.get_backdoor_variables() == ["age"]
    estimate = question.estimate_effect(found, method_name="backdoor.linear_regression")
    assert estimate.value == pytest.approx(2, abs=0.3)
    assert set(from_dowhy(question).edges) == set(DAG.edges)
    assert set(from_dowhy(to_gcm(DAG)).edges) == set(DAG.edges)
    with pytest.raises(DataError, match="no column 'dosage'"):
        to_dowhy(DAG, rows, treatment="dosage", outcome="cure")
