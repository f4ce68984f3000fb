"""Imputed cells follow the enumerated conditional distribution and the rules; present cells are not changed."""

from __future__ import annotations

import itertools
from math import log, sqrt

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus, holds
from janus_synth.coordinates import PairLookup
from janus_synth.errors import InfeasibleError
from sampling.linked_models import fitted_case
from sampling.small_models import distance, every_row, keys, small_model, small_table
from sampling.test_conditional import with_combinations


@pytest.mark.statistical
@pytest.mark.parametrize("nulls", ["absent", "fill"])
@pytest.mark.parametrize("structure", ["dense", "sparse"])
@pytest.mark.parametrize(
    ("known", "where"),
    [({"a": 2, "f": 5}, None), ({"c": "z", "e": "y"}, None), ({"f": 4, "c": "x"}, "a < d"), ({"e": "z"}, "b == a + d")],
)
def test_imputed_cells_follow_the_enumerated_conditional(known, where, structure, nulls):
    n, false_alarm = 4_000, 1e-6
    model, (all_rows, shares) = small_model(structure), every_row(structure)
    given = holds(where, all_rows, model.schema_) if where else np.ones(len(all_rows), bool)
    if nulls == "fill":
        given = given & all_rows["d"].notna().to_numpy()
    for name, value in known.items():
        given &= (all_rows[name] == value).to_numpy()
    shares = shares * given
    partial = pd.DataFrame({name: [value] * n for name, value in known.items()})
    full = model.complete(partial, where, nulls=nulls, random_state=1)[list(all_rows)]
    gap, usual = distance(full, all_rows, shares / shares.sum())
    assert gap <= usual + sqrt(log(1 / false_alarm) / (2 * n))


def test_present_cells_extra_columns_and_the_index_are_kept():
    table = small_table(300)
    rng = np.random.default_rng(0)
    partial = table.assign(note="kept").set_index(np.arange(300)[::-1])
    for name in table:
        partial[name] = partial[name].mask(rng.random(300) < 0.3)
    before = partial.copy()
    full = small_model("dense").complete(partial, random_state=2)
    pd.testing.assert_frame_equal(partial, before)
    assert list(full.index) == list(partial.index)
    assert (full["note"] == "kept").all()
    assert not full.isna().any().any()
    for name in table:
        present = partial[name].notna()
        assert (full.loc[present, name] == partial.loc[present, name]).all()
        assert full[name].dtype == table[name].dtype
    pd.testing.assert_frame_equal(full, small_model("dense").complete(partial, random_state=2))


def test_a_row_without_missing_cells_is_returned_unchanged():
    table = small_table(50).dropna()
    pd.testing.assert_frame_equal(small_model("dense").complete(table), table)


def test_a_cell_stays_null_if_the_rules_allow_no_value():
    full = small_model("dense").complete(
        pd.DataFrame({"a": [0, 3]}), "implies(a == 3, d is null)", nulls="fill", random_state=0
    )
    assert list(full["d"].isna()) == [False, True]


def test_rows_that_no_imputation_can_make_valid_are_named_in_the_error():
    partial = pd.DataFrame({"a": [1, 3, 1], "b": [3, 3, 2]})
    with pytest.raises(InfeasibleError, match=r"1 of 3 rows .* row 1"):
        small_model("dense").complete(partial, "a < b", random_state=0)


def test_the_error_names_cells_outside_of_what_the_model_can_give():
    rng = np.random.default_rng(0)
    calls = pd.DataFrame({"minutes": rng.integers(0, 3_000, 500) / 10})
    calls["charge"] = (0.17 * calls["minutes"]).round(2)
    model = Janus(random_state=0, n_trees=1).fit(calls)
    assert [link.column for link in model.links_] == ["charge"]
    rule = "-0.006 <= charge - 0.17 * minutes <= 0.006"
    with pytest.raises(InfeasibleError, match=r"row 0 \(charge is 90 there, outside of the model's .* to 50\.\d+\)"):
        model.complete(pd.DataFrame({"charge": [90.0]}), rule, random_state=0)


def test_known_combinations_can_be_imputed():
    where = with_combinations("fixed_combinations(a, c)")
    full = small_model("dense").complete(pd.DataFrame({"c": ["x", "y"] * 50}), where, random_state=0)
    assert holds(where, full, small_model("dense").schema_).all()
    assert len(keys(full[list(small_table())]).unique()) > 10


@pytest.mark.statistical
@pytest.mark.parametrize("length", [3, 6])
def test_cells_depend_on_evidence_several_columns_further_down(length):
    """Only the last column of a chain is known, and rare levels of all columns before it explain its value.

    Eight imputations seldom draw those levels; Gibbs sweeps have to find them. Without sweeps the total variation is
    0.14 for three columns, and with four sweeps about 0.2 for six.
    """
    n, false_alarm = 4_000, 1e-6
    rng = np.random.default_rng(0)
    columns = [rng.random(n) < 0.02]
    for _ in range(length - 1):
        columns.append(np.where(rng.random(n) < (0.5 if length == 3 else 0.8), columns[-1], rng.random(n) < 0.02))
    names = [f"c{i}" for i in range(length)]
    frame = pd.DataFrame(dict(zip(names, columns, strict=True)))
    model = Janus(structure=list(itertools.pairwise(names)), n_trees=1, random_state=0).fit(frame)
    all_rows = pd.DataFrame(list(itertools.product([False, True], repeat=length)), columns=names)
    truth = np.exp(model.log_prob(all_rows)) * all_rows[names[-1]]
    truth = (truth / truth.sum()).to_numpy()
    full = model.complete(pd.DataFrame({names[-1]: [True] * n}), random_state=1)
    place = sum(full[name].astype(int) * 2 ** (length - 1 - i) for i, name in enumerate(names))
    seen = np.bincount(place, minlength=2**length) / n
    usual = 0.5 * np.sqrt(2 * truth * (1 - truth) / np.pi / n).sum()
    assert 0.5 * np.abs(seen - truth).sum() <= usual + sqrt(log(1 / false_alarm) / (2 * n))  # McDiarmid: 0.042


def test_links_are_written_as_rules_once_and_not_in_every_sweep(monkeypatch):
    """The rule of a lookup by two keys lists all their pairs: with thousands of them, it took nearly all the time."""
    written, rule = [], PairLookup.rule
    monkeypatch.setattr(PairLookup, "rule", lambda link, column: written.append(column) or rule(link, column))
    rows = pd.DataFrame({"tariff": [2.0, 4.0], "zone": ["n", None], "hour": [None, 2.0]})
    full = fitted_case("pair").complete(rows, random_state=0)
    assert full["tariff"].tolist() == [2.0, 4.0]
    assert full["hour"].tolist() == [1.0, 2.0]
    assert full["zone"].tolist() == ["n", "w"]
    assert 1 <= len(written) <= 4


def test_cells_are_imputed_in_agreement_with_calendar_parts_and_bands():
    """A date must fall into the month that is known, an age into the known band, though no rule can say so."""
    rng = np.random.default_rng(0)
    at = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 360 * 86_400, 1_000), unit="s")
    frame = pd.DataFrame({"at": at, "month": at.month, "age": rng.integers(0, 90, 1_000)})
    frame["group"] = np.where(frame["age"] < 18, "child", "adult")
    model = Janus(n_trees=2, random_state=0).fit(frame)
    assert {link.column for link in model.links_} == {"at", "month", "group"}
    rows = frame.head(200)
    # 64 candidates, a twelfth of which fall into the month: 0.4 % of the rows may have none.
    dates = model.complete(rows.drop(columns="at"), random_state=0)
    assert (dates["at"].dt.month == dates["month"]).mean() > 0.95
    ages = model.complete(rows.drop(columns="age"), random_state=0)
    assert ((ages["age"] < 18) == (ages["group"] == "child")).mean() > 0.99
