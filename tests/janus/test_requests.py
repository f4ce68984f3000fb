"""The methods for mixes and tables of conditions: arguments, frames and seeds."""

from __future__ import annotations

import pandas as pd
import pytest

from janus_synth import Janus
from janus_synth.errors import DataError, RuleError, UnknownColumnError
from sampling.small_models import small_model, small_table


def test_counts_may_be_a_number_a_list_or_a_column():
    model, wanted = small_model("dense"), pd.DataFrame({"a": [1, 2], "times": [2, 3]})
    by_column = model.sample_for(wanted, "times", random_state=0)
    assert by_column["a"].tolist() == [1, 1, 2, 2, 2]
    assert "times" not in by_column
    pd.testing.assert_frame_equal(by_column, model.sample_for(wanted[["a"]], [2, 3], random_state=0))
    assert len(model.sample_for(wanted[["a"]], 0, random_state=0)) == 0


@pytest.mark.parametrize(
    ("wanted", "n_each", "error", "words"),
    [
        ({"a": [1]}, -1, ValueError, "n_each is -1"),
        ({"a": [1]}, [1, 2], ValueError, "2 numbers for 1 conditions"),
        ({"a": [1]}, "times", UnknownColumnError, "'times'"),
        ({"a": [1], "colour": ["red"]}, 1, UnknownColumnError, "'colour'"),
        ({"a": [1, 77]}, 1, DataError, "row 1: column 'a' is 77, outside its domain from 0 to 3"),
        ({"c": ["x", "q"]}, 1, DataError, "row 1: column 'c' has no level 'q'"),
    ],
)
def test_wrong_conditions_are_named(wanted, n_each, error, words):
    with pytest.raises(error, match=words):
        small_model("dense").sample_for(pd.DataFrame(wanted), n_each, random_state=0)


def test_identifiers_cannot_be_conditions():
    model = Janus(n_trees=1, random_state=0).fit(small_table().assign(order=[f"ORD-{i:05}" for i in range(400)]))
    with pytest.raises(RuleError, match="identifier"):
        model.sample_for(pd.DataFrame({"order": ["ORD-00001"]}))


def test_an_index_must_be_a_new_name():
    with pytest.raises(ValueError, match="index is 'a'"):
        small_model("dense").sample_for(pd.DataFrame({"a": [1]}), index="a", random_state=0)


@pytest.mark.parametrize("kind", ["polars", "pyarrow"])
def test_other_frames_work_too(kind):
    library = pytest.importorskip(kind)
    frame = small_table(200)[["a", "c"]]
    native = library.DataFrame if kind == "polars" else library.table
    model = Janus(n_trees=1, random_state=0).fit(native(frame.to_dict("list")))
    rows = model.sample_for(native({"c": ["x", "y"]}), 2, index="condition", random_state=0)
    assert list(rows["c"].to_pylist() if kind == "pyarrow" else rows["c"]) == ["x", "x", "y", "y"]
    joint = native({"c": ["x"], "share": [0.25]})
    mixed = model.sample(40, shares=joint, random_state=0)
    assert list(mixed["c"].to_pylist() if kind == "pyarrow" else mixed["c"]).count("x") == 10


def test_greedy_rows_have_no_shares():
    with pytest.raises(ValueError, match="method"):
        small_model("dense").sample(10, shares={"c": {"x": 0.5}}, method="greedy")


def test_a_mix_may_come_with_uncertainty_and_a_report():
    rows, _, mix = small_model("dense").sample(
        20, shares={"c": {"x": 0.5}}, with_uncertainty=True, with_mix=True, random_state=0
    )
    assert len(rows) == mix.n_rows == 20


def test_plans_of_a_mix_do_not_push_out_those_of_other_requests():
    model = Janus(random_state=0).fit(small_table())
    model.sample(5, where="a == 1", random_state=0)
    model.sample(50, balance="b", where="a == 1", random_state=0)
    assert len(model._plans) == 1
