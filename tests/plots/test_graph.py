from __future__ import annotations

import pytest

from chart_reader import texts_of
from janus_synth import Dag
from janus_synth.plots import (
    graph_picture,
)
from janus_synth.plots.graph import keep_most_used


def test_a_graph_shows_every_column_and_says_how_many_arrows():
    dag = Dag({"age": (), "pay": ("age",), "loan & <more>": ("age", "pay")})
    texts = texts_of(graph_picture(dag))
    assert {"age", "pay", "loan & <more>", "All 3 arrows."} <= set(texts)


@pytest.mark.parametrize("n_columns", [1, 2, 14, 40])
def test_dense_graphs_are_thinned_and_say_so(n_columns):
    names = [f"column_{i}" for i in range(n_columns)]
    dag = Dag({name: tuple(names[:i]) for i, name in enumerate(names)})
    texts = texts_of(graph_picture(dag))
    assert set(names) <= set(texts)
    if n_columns >= 14:
        assert any(f"of {len(dag.edges)} arrows" in text for text in texts)


def test_an_empty_graph_and_long_names_are_drawn():
    assert "0 columns, no arrows" in texts_of(graph_picture(Dag({})))
    assert any("…" in text for text in texts_of(graph_picture(Dag({"x" * 80: ()}))))


def test_thinning_keeps_the_heaviest_parents():
    dag = Dag({"a": (), "b": (), "c": (), "d": ("a", "b", "c")})
    weight = {("a", "d"): 0.1, ("b", "d"): 0.9, ("c", "d"): 0.5}
    assert keep_most_used(dag, weight, most_parents=2, least=0.0).parents["d"] == ("b", "c")
    assert keep_most_used(dag, weight, most_parents=3, least=0.6).parents["d"] == ("b",)
