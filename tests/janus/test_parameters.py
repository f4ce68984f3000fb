"""Arguments of ``Janus`` follow scikit-learn, are checked by a fit, and come back from model files."""

from __future__ import annotations

import numpy as np
import pytest

from janus_synth import Janus, datasets

ROWS = datasets.hiring(120, random_state=0)


def test_arguments_are_stored_untouched_and_can_be_changed():
    rules = ["age >= 18"]
    model = Janus(rules=rules, n_trees=3)
    assert model.get_params()["rules"] is rules
    assert model.set_params(n_trees=5) is model
    assert model.n_trees == 5
    assert repr(model) == "<Janus(n_trees=5, rules=['age >= 18'])>"
    with pytest.raises(ValueError, match="no parameter 'trees'; it has structure, n_trees"):
        model.set_params(trees=5)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"n_trees": 0}, "n_trees"),
        ({"min_samples_leaf": 0}, "min_samples_leaf"),
        ({"lambda_unsup": -1}, "lambda_unsup"),
        ({"prior_strength": 0}, "prior_strength"),
        ({"n_bins": 1}, "n_bins"),
        ({"n_bins": "many"}, "n_bins"),
        ({"on_violation": "ignore"}, "on_violation"),
        ({"leaves": "bush"}, "leaves"),
        ({"within": "normal"}, "within"),
        ({"prior": "none"}, "prior"),
        ({"structure": "tree"}, "structure"),
        ({"graph_learner": "auto"}, "graph_learner"),
        ({"n_graphs": 1}, "n_graphs"),
    ],
)  # fmt: skip
def test_a_fit_names_the_argument_that_is_wrong(changes, words):
    with pytest.raises((ValueError, TypeError), match=words):
        Janus(**changes).fit(ROWS)


def test_a_file_keeps_arguments_but_not_those_of_the_machine(tmp_path):
    model = Janus(n_trees=2, n_jobs=2, links="off", silence="keys", random_state=np.random.default_rng(0))
    model = model.set_params(silence=[]).fit(ROWS[["age", "education", "hired"]])
    model.save(tmp_path / "m.janus")
    loaded = Janus.load(tmp_path / "m.janus").get_params()
    assert (loaded["n_trees"], loaded["links"]) == (2, "off")
    assert loaded["n_jobs"] is None
    assert loaded["random_state"] is None


def test_a_model_of_an_intervention_has_the_same_arguments():
    graph = [("education", "hired"), ("age", "hired")]
    model = Janus(n_trees=2, structure=graph, random_state=0).fit(ROWS[["age", "education", "hired"]])
    world = model.do({"age": 30})
    assert world.get_params() == model.get_params()
    assert world.model_ is not model.model_
