"""Steps of a fit: rules that are written and found, links that are chosen, and what is said about them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus

RNG = np.random.default_rng(0)
TABLE = pd.DataFrame({"a": RNG.integers(0, 50, 300), "b": RNG.integers(0, 50, 300)}).assign(
    total=lambda df: df["a"] + df["b"]
)


def computed(model):
    return [link.column for link in model.links_]


def test_links_are_chosen_as_the_argument_says():
    assert len(computed(Janus(n_trees=2, random_state=0).fit(TABLE))) == 1
    assert computed(Janus(n_trees=2, links="off", random_state=0).fit(TABLE)) == []
    assert computed(Janus(n_trees=2, links="rules", random_state=0).fit(TABLE)) == []
    rule = "a + b == total"
    assert len(computed(Janus(n_trees=2, links="rules", rules=rule, random_state=0).fit(TABLE))) == 1
    with pytest.raises(ValueError, match="links"):
        Janus(links="some").fit(TABLE)


def test_links_of_a_model_can_be_given_to_another():
    links = Janus(n_trees=2, random_state=0).fit(TABLE).links_
    model = Janus(n_trees=2, links=links, random_state=0).fit(TABLE)
    rows = model.sample(200, random_state=1)
    assert list(model.links_) == list(links)
    assert (rows["a"] + rows["b"] == rows["total"]).all()


def test_rules_are_found_beside_those_that_are_written():
    model = Janus(n_trees=2, links="off", rules=["a >= 0", "discover"], random_state=0).fit(TABLE)
    assert any("total" in str(rule) for rule in model.rules_)
    assert any(str(rule) == "a >= 0" for rule in model.rules_)


def test_rows_that_break_a_rule_are_reported_dropped_or_refused():
    broken = pd.concat([TABLE, pd.DataFrame({"a": [60], "b": [1], "total": [61]})], ignore_index=True)
    with pytest.warns(UserWarning, match="a <= 50"):
        Janus(n_trees=2, rules="a <= 50", random_state=0).fit(broken)
    with pytest.raises(ValueError, match="a <= 50"):
        Janus(n_trees=2, rules="a <= 50", on_violation="error", random_state=0).fit(broken)
    with pytest.warns(UserWarning, match="Learning from the other 300 of 301 rows"):
        model = Janus(n_trees=2, rules="a <= 50", on_violation="drop", random_state=0).fit(broken)
    assert model.model_.n_rows == 300


def test_the_progress_bar_names_computed_columns(capfd):
    Janus(n_trees=2, random_state=0).fit(TABLE, progress=True)
    (name,) = computed(Janus(n_trees=2, random_state=0).fit(TABLE))
    assert f"computed from other columns: {name}" in capfd.readouterr().err
