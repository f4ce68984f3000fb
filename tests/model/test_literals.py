"""Literal values of a model: all that a file holds are listed, each with the rows behind it."""

from __future__ import annotations

import json
import zipfile

import numpy as np
import pandas as pd

from janus_synth import Janus, datasets
from janus_synth.identities import LEAST_ROWS
from janus_synth.model.literals import REASONS, list_literals

SETTINGS = {"random_state": 0, "n_trees": 2, "n_jobs": 1}


def listed(model, column=None, reason=None):
    return [
        literal
        for literal in list_literals(model.model_)
        if column in (None, literal.column) and reason in (None, literal.reason)
    ]


def test_every_reason_is_explained():
    model = Janus(**SETTINGS).fit(datasets.flights(500, random_state=0))
    assert {literal.reason for literal in listed(model)} <= set(REASONS)


def test_no_literal_stands_for_fewer_rows_than_a_value_needs():
    for make in (datasets.hiring, datasets.trips, datasets.orders):
        model = Janus(**SETTINGS).fit(make(1_000, random_state=0))
        declared = [column.name for column in model.model_.schema if column.ordered or column.kind == "boolean"]
        hidden = model.model_.hidden  # the levels of a source are words of the library
        thin = [each for each in listed(model) if each.n_rows is not None and each.n_rows < LEAST_ROWS]
        assert [each for each in thin if each.column not in (*declared, *hidden)] == []


def test_counts_are_those_of_the_training_rows():
    frame = pd.DataFrame({"c": ["a"] * 70 + ["b"] * 30, "n": [0] * 60 + [3] * 40})
    model = Janus(**SETTINGS).fit(frame)
    assert {each.value: each.n_rows for each in listed(model, "c", "level")} == {"a": 70, "b": 30}
    assert {each.value: each.n_rows for each in listed(model, "n", "atom")} == {0: 60, 3: 40}


def test_what_a_file_says_about_columns_and_rules_is_listed(tmp_path):
    """Read from the bytes of the file, not from the model."""
    frame = datasets.hiring(400, random_state=0)
    frame["mail"] = [f"p{i}@firm.example" for i in range(400)]
    model = Janus(**SETTINGS, rules="experience <= age - 18").fit(frame)
    model.save(tmp_path / "model.janus")
    with zipfile.ZipFile(tmp_path / "model.janus") as archive:
        manifest = json.loads(archive.read("manifest.json"))
    columns = manifest["schema"]["columns"]
    levels = {level for column in columns for level in column.get("levels", ())}
    assert levels <= {each.value for each in listed(model, reason="level")}
    ends = {c[end] for c in columns for end in ("low", "high") if end in c}
    assert ends <= {each.value for each in listed(model, reason="bound")}
    assert len(manifest["rules"]) == len(listed(model, reason="rule"))


def test_lookups_list_their_pairs():
    codes = np.random.default_rng(0).integers(0, 6, 600)
    frame = pd.DataFrame({"zone": [f"z{code}" for code in codes], "fee": 10.0 + 2.5 * codes**2})
    model = Janus(**SETTINGS).fit(frame)
    assert model.links_
    assert len(listed(model, reason="link")) >= 6
