"""Binding biases to a model: errors name what does not fit, and values may have any form the column accepts."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from fairness.small_tables import kind_model, loan_model, stage_model
from janus_synth.errors import BiasError, RuleError, UnknownColumnError
from janus_synth.fairness import Bias, plant
from janus_synth.fairness.bound_bias import bind_bias

GOOD = {"protected": "sex", "privileged": "male", "outcome": "approved", "favourable": True, "magnitude": 0.2}


UNFIT = {
    "unknown protected": ("loan", {"protected": "sexx"}, UnknownColumnError, "no column 'sexx'.*Did you mean 'sex'"),
    "unknown outcome": ("loan", {"outcome": "aproved"}, UnknownColumnError, "no column 'aproved'.*'approved'"),
    "unknown mediator": ("loan", {"path": "scool"}, UnknownColumnError, "no column 'scool'.*'school'"),
    "unknown in subgroup": (
        "loan",
        {"subgroup": "regin == 'south'"},
        UnknownColumnError,
        "no column 'regin'.*'region'",
    ),
    "key as protected": ("kind", {"protected": "key", "privileged": "K-00001"}, RuleError, "'key' is an identifier"),
    "key in subgroup": ("kind", {"subgroup": "key == 'K-00001'"}, RuleError, "'key' is an identifier"),
    "unknown level": ("loan", {"favourable": "yes"}, BiasError, "favourable is 'yes'.*'approved'.*False, True"),
    "number for truth": ("loan", {"favourable": 1}, BiasError, "favourable is 1.*'approved'.*False, True"),
    "null in a list": ("loan", {"favourable": [True, None]}, BiasError, "favourable is None.*'approved'"),
    "not a number": ("loan", {"favourable": float("nan")}, BiasError, "favourable is nan.*'approved'"),
    "pandas null": ("loan", {"favourable": pd.NA}, BiasError, "favourable is <NA>.*'approved'"),
    "pandas null of text": ("loan", {"outcome": "amount", "favourable": [pd.NA]}, BiasError, "favourable.*'amount'"),
    "empty list": ("loan", {"favourable": []}, BiasError, "favourable does not fit column 'approved'.*empty"),
    "everything": ("loan", {"favourable": [True, False]}, BiasError, "no value of column 'approved' is unfavourable"),
    "lone of three": (
        "loan",
        {"outcome": "amount", "favourable": "large"},
        BiasError,
        "'amount' has 3 values.*'large'",
    ),
    "range of levels": (
        "loan",
        {"outcome": "amount", "favourable": ("large", "small")},
        BiasError,
        "favourable.*'amount'.*no order",
    ),
    "three ends": ("loan", {"favourable": (1, 2, 3)}, BiasError, "favourable.*'approved'.*a range is"),
    "lone on a scale": (
        "kind",
        {"outcome": "pay", "favourable": 30_000},
        BiasError,
        "'pay' has continuous values.*30000",
    ),
    "not 0 or 1": ("kind", {"favourable": 2}, BiasError, "favourable is 2.*'passed' are 0 and 1"),
    "truth for number": ("kind", {"favourable": True}, BiasError, "favourable is True.*'passed' are 0 and 1"),
    "truths for numbers": ("kind", {"favourable": [True]}, BiasError, "favourable.*'passed'.*numeric"),
    "text for number": ("kind", {"favourable": ["high"]}, BiasError, "favourable.*'passed'.*numeric"),
    "text as an end": ("kind", {"favourable": (1, "x")}, BiasError, "favourable.*'passed'.*numeric"),
    "beyond all": ("kind", {"favourable": (5, 9)}, BiasError, "no value of column 'passed' is favourable"),
    "all of a range": ("kind", {"favourable": (0, 1)}, BiasError, "no value of column 'passed' is unfavourable"),
    "unknown privileged": ("loan", {"privileged": "man"}, BiasError, "privileged is 'man'.*'sex'.*'female', 'male'"),
    "one unknown": ("loan", {"privileged": ["male", "x"]}, BiasError, "privileged is 'x'.*'sex'"),
    "null privileged": ("loan", {"privileged": None}, BiasError, "privileged is None.*'sex'"),
    "pandas null privileged": ("loan", {"privileged": pd.NA}, BiasError, "privileged is <NA>.*'sex'"),
    "all privileged": (
        "loan",
        {"privileged": ["male", "female"]},
        BiasError,
        "no value of column 'sex' is unprivileged",
    ),
    "text privileged": ("kind", {"privileged": "young"}, BiasError, "privileged.*'age'.*numeric"),
    "null age privileged": ("kind", {"privileged": None}, BiasError, "privileged.*'age'"),
    "nobody privileged": ("kind", {"privileged": (200, 300)}, BiasError, "privileged.*'age'"),
    "a range turned round": ("kind", {"privileged": (40, 18)}, BiasError, "privileged.*'age'"),
    "empty subgroup": (
        "kind",
        {"subgroup": "age >= 60 and age <= 50"},
        BiasError,
        "affects none of 300 rows.*age >= 60",
    ),
    "mediator is outcome": ("loan", {"path": "approved"}, BiasError, "mediator 'approved' is protected or the outcome"),
    "mediator is protected": ("loan", {"path": "sex"}, BiasError, "mediator 'sex' is protected or the outcome"),
    "mediator beside": ("loan", {"path": "region"}, BiasError, "no path leads from 'sex' to the mediator 'region'"),
    "mediator after": ("loan", {"path": "amount"}, BiasError, "no path leads from 'amount' to the outcome 'approved'"),
    "subgroup after": (
        "loan",
        {"subgroup": "amount == 'large'"},
        BiasError,
        "depends on 'amount'.*'approved' or its descendant",
    ),
    "subgroup is outcome": ("loan", {"subgroup": "approved"}, BiasError, "depends on 'approved'"),
    "subgroup is mediator": (
        "loan",
        {"path": "school", "subgroup": "school == 'low'"},
        BiasError,
        "depends on 'school'.*depend on itself",
    ),
    "subgroup after mediator": ("loan", {"path": "school", "subgroup": "approved"}, BiasError, "depends on 'approved'"),
    "protected after": (
        "stage",
        {"protected": "hired", "privileged": True, "outcome": "invited"},
        BiasError,
        "depends on 'hired'.*'invited' or its descendant",
    ),
}


STARTS = {
    "loan": GOOD,
    "kind": {"protected": "age", "privileged": (18, 40), "outcome": "passed", "favourable": 1, "magnitude": 0.2},
    "stage": {**GOOD, "outcome": "hired"},
}


MODELS = {"loan": loan_model, "kind": kind_model, "stage": stage_model}


@pytest.mark.parametrize("name", UNFIT)
def test_biases_that_do_not_fit_a_model_are_refused_by_name(name):
    which, change, kind, says = UNFIT[name]
    with pytest.raises(kind, match=f"(?s){says}"):
        plant(MODELS[which](), Bias(**{**STARTS[which], **change}), n=300, effect_units=100)


@pytest.mark.parametrize(
    ("which", "change"),
    [
        ("loan", {"favourable": np.True_}),
        ("loan", {"favourable": [True]}),
        ("loan", {"outcome": "amount", "favourable": ["large", "small"]}),
        ("kind", {"favourable": 1.0}),
        ("kind", {"favourable": np.int64(1)}),
        ("kind", {"favourable": (1, 5)}),
        ("kind", {"outcome": "grade", "favourable": ("B", "A")}),
        ("kind", {"outcome": "note", "favourable": "good"}),
        ("kind", {"privileged": [30, 31, 32]}),
        ("kind", {"protected": "grade", "privileged": ("B", "A"), "outcome": "pay", "favourable": (3e4, 1e6)}),
        ("kind", {"protected": "member", "privileged": True}),
    ],
)
def test_values_may_have_any_form_that_the_column_accepts(which, change):
    mechanism = bind_bias(Bias(**{**STARTS[which], **change}), MODELS[which]().model_)
    assert mechanism.bias.outcome in mechanism.favourable.columns
