"""The public class: arguments, errors that name them, and scikit-learn's manners."""

from __future__ import annotations

import inspect

import pytest
from sklearn.base import clone

from janus_synth import Dag, Janus, Schema
from janus_synth.errors import JanusError, NotFittedError
from model.tables import fitted, mixed

ARGUMENTS = {
    "structure": [("group", "units")],
    "n_trees": 3,
    "n_bins": 17,
    "rules": ["units >= 0"],
    "on_violation": "drop",
    "schema": {"units": {"low": 0, "high": 99}},
    "min_samples_leaf": 4,
    "lambda_unsup": 0.1,
    "lambda_div": 0.2,
    "prior_strength": 3.0,
    "required": [("group", "amount")],
    "forbidden": [("units", "group")],
    "tiers": [["group"], ["units"]],
    "within": "uniform",
    "prior": "flat",
    "leaves": "histogram",
    "equal_mass": True,
    "n_jobs": 1,
    "random_state": 5,
    "trust_graph": True,
    "links": "off",
    "graph_learner": "forest",
    "n_graphs": 3,
    "silence": ["constant"],
    "keep_rare": True,
}


# The constructor


def test_the_constructor_stores_its_arguments_untouched():
    model = Janus(**ARGUMENTS)
    for name, value in ARGUMENTS.items():
        assert getattr(model, name) is value


def test_the_constructor_judges_nothing():
    Janus(n_trees=-1, structure="no such thing", random_state="a", n_bins=None)


def test_the_constructor_knows_every_argument_of_this_test():
    assert set(Janus().get_params()) == set(ARGUMENTS)


def test_the_constructor_takes_no_positions():
    with pytest.raises(TypeError):
        Janus("chain")


def test_fitting_leaves_the_arguments_alone():
    model = Janus(**ARGUMENTS)
    before = {name: repr(value) for name, value in model.get_params().items()}
    model.fit(mixed(100))
    assert {name: repr(value) for name, value in model.get_params().items()} == before


def test_fit_returns_the_model():
    model = Janus(n_trees=1)
    assert model.fit(mixed(30)) is model


# scikit-learn's manners


def test_parameters_can_be_read_and_set():
    model = Janus(n_trees=3)
    assert model.set_params(n_trees=5, within="uniform") is model
    assert (model.get_params()["n_trees"], model.get_params(deep=False)["within"]) == (5, "uniform")


def test_a_parameter_that_is_not_there_is_named():
    with pytest.raises(ValueError, match="no parameter 'trees'; it has .*n_trees"):
        Janus().set_params(trees=3)


@pytest.mark.parametrize("arguments", [{}, ARGUMENTS, {"structure": Dag({"a": ()}), "random_state": 0}], ids=len)
def test_a_clone_has_the_arguments_but_not_the_fit(arguments):
    model = Janus(**arguments)
    twin = clone(model)
    assert twin is not model
    assert {k: repr(v) for k, v in twin.get_params().items()} == {k: repr(v) for k, v in model.get_params().items()}


def test_a_clone_of_a_fitted_model_is_not_fitted():
    twin = clone(fitted(mixed(50)))
    with pytest.raises(NotFittedError):
        twin.sample(1)


def test_fitted_attributes_end_in_an_underscore():
    model = fitted(mixed(100))
    assert isinstance(model.dag_, Dag)
    assert isinstance(model.schema_, Schema)
    assert model.n_rows_ == 100
    assert model.schema_.names == tuple(mixed(2))
    assert set(model.dag_.columns) == set(model.schema_.names) - {"key"}


def test_the_representation_shows_what_was_changed():
    assert repr(Janus()) == "<Janus()>"
    assert repr(Janus(n_trees=3, within="uniform")) == "<Janus(n_trees=3, within='uniform')>"
    assert repr(fitted(mixed(60))).endswith("fitted on 60 rows>")


def test_the_paper_configuration_is_the_papers():
    model = Janus.paper(random_state=3)
    assert (model.structure, model.n_trees, model.n_bins) == ("forest", 1, 50)
    assert (model.equal_mass, model.within, model.prior, model.leaves) == (True, "uniform", "flat", "histogram")
    assert (model.lambda_unsup, model.lambda_div, model.random_state) == (0.5, 0.1, 3)
    assert Janus.paper(n_bins=20).n_bins == 20


# Questions before the fit


QUESTIONS = {
    "sample": lambda model: model.sample(3),
    "sample_for": lambda model: model.sample_for(mixed(5)),
    "sample_batches": lambda model: next(model.sample_batches(3)),
    "sample_to": lambda model: model.sample_to("never", 3),
    "apply_to": lambda model: model.apply_to("never", [mixed(5)], "complete"),
    "sample_dask": lambda model: model.sample_dask(3),
    "log_prob": lambda model: model.log_prob(mixed(5)),
    "check": lambda model: model.check("units > 3"),
    "probability": lambda model: model.probability("units > 3"),
    "complete": lambda model: model.complete(mixed(5)),
    "explain": lambda model: model.explain("units"),
    "uncertainty": lambda model: model.uncertainty(mixed(5)),
    "predict": lambda model: model.predict(mixed(5), "units"),
    "predict_proba": lambda model: model.predict_proba(mixed(5), "units"),
    "suggest": lambda model: model.suggest(mixed(5), 2),
    "anomaly_score": lambda model: model.anomaly_score(mixed(5)),
    "do": lambda model: model.do({"units": 3}),
    "effect": lambda model: model.effect("units", "amount", [1, 2]),
    "edge_confidence_": lambda model: model.edge_confidence_,
    "structural_uncertainty": lambda model: model.structural_uncertainty(mixed(5), "units"),
    "falsify": lambda model: model.falsify(mixed(5)),
    "mediation": lambda model: model.mediation("units", "amount", [1, 2]),
    "counterfactual": lambda model: model.counterfactual(mixed(5), do={"units": 3}),
    "update": lambda model: model.update(mixed(5)),
    "merge": lambda model: model.merge(fitted(mixed(20))),
    "merge with": lambda model: fitted(mixed(20)).merge(model),
    "save": lambda model: model.save("never.janus"),
    "dag_": lambda model: model.dag_,
    "schema_": lambda model: model.schema_,
    "links_": lambda model: model.links_,
    "rules_": lambda model: model.rules_,
    "n_rows_": lambda model: model.n_rows_,
    "n_features_in_": lambda model: model.n_features_in_,
    "feature_names_in_": lambda model: model.feature_names_in_,
    "plot_graph": lambda model: model.plot_graph(),
}


@pytest.mark.parametrize("ask", QUESTIONS.values(), ids=QUESTIONS)
def test_a_question_before_the_fit_says_what_to_do(ask, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NotFittedError, match=r"Call fit\(df\) first"):
        ask(Janus())
    assert not list(tmp_path.iterdir())


def test_every_public_method_was_asked_before_the_fit():
    methods = {name for name, _ in inspect.getmembers(Janus) if not name.startswith("_")}
    assert methods - {"fit", "load", "paper", "get_params", "set_params"} == {name.split()[0] for name in QUESTIONS}


# Bad arguments


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("n_trees", [0, -1, 2.0, "8", True, None]),
        ("n_bins", [1, 0, 5_000, 2.5, "many", True, None]),
        ("min_samples_leaf", [0, 1.5, "5", None]),
        ("lambda_unsup", [-0.1, "x", None, float("nan")]),
        ("lambda_div", [-1, "x", None, float("nan")]),
        ("prior_strength", [0, -1.0, "strong", None, float("nan")]),
        ("within", ["x", None, 1]),
        ("leaves", ["x", None, "histograms"]),
        ("links", ["x", "on"]),
        ("prior", ["x", None, "Flat"]),
        ("structure", ["tree", "Auto", ""]),
        ("random_state", [-1, "a", 1.5, True]),
        ("n_jobs", [0, -2, "2", 1.5]),
    ],
)
def test_a_bad_argument_is_named(name, values):
    for value in values:
        with pytest.raises(ValueError, match=f"{name} is "):
            Janus(**{"n_trees": 1, name: value}).fit(mixed(20))


@pytest.mark.parametrize("other", [None, 3, mixed(5)], ids=["None", "number", "frame"])
def test_only_models_are_merged(other):
    with pytest.raises((TypeError, ValueError), match="Janus"):
        fitted(mixed(30)).merge(other)


def test_a_bad_fit_leaves_the_earlier_one():
    model = fitted(mixed(50))
    before = model.model_
    for frame in (mixed(50)[:0], [1, 2]):
        with pytest.raises(JanusError):
            model.fit(frame)
    assert model.model_ is before
