"""The last pass: counts of partitions add up to the counts of all rows, in any order."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus, datasets
from janus_synth.errors import DataError
from janus_synth.model import load_model, save_model
from janus_synth.partitions.bad_files import BadPartitionError
from janus_synth.partitions.counting import (
    RunningTally,
    add_partition,
    ambiguous_lookups,
    check_row_count,
    count_partition,
    join_tallies,
    with_counts,
)
from janus_synth.partitions.sources import FramePartition

ROWS = datasets.hiring(900, random_state=0)


@pytest.fixture(scope="module")
def model():
    return Janus(random_state=0, n_trees=2, rules="experience <= age - 18", on_violation="warn").fit(ROWS).model_


def part(rows: pd.DataFrame) -> FramePartition:
    return FramePartition("a part", rows.reset_index(drop=True))


def same_counts(one, other) -> bool:
    return all(
        (getattr(a.leaves, way) != getattr(b.leaves, way)).nnz == 0
        for a, b in zip(one.bags, other.bags, strict=True)
        for way in ("forward", "backward")
    ) and all(
        a.trends is None or (a.trends.residuals != b.trends.residuals).nnz == 0
        for a, b in zip(one.bags, other.bags, strict=True)
    )


def test_tallies_of_parts_are_the_counts_of_the_fit_in_any_order(model):
    tallies = [count_partition(model, part(ROWS[at : at + 300]), n_jobs=1) for at in (0, 300, 600)]
    for order in itertools.permutations(tallies):
        again = with_counts(model, join_tallies(order))
        assert again.n_rows == 900
        assert same_counts(again, model)


def test_the_size_of_batches_does_not_matter(model, monkeypatch):
    whole = count_partition(model, part(ROWS))
    monkeypatch.setattr("janus_synth.partitions.sources.BATCH_ROWS", 64)
    small = count_partition(model, part(ROWS))
    assert same_counts(with_counts(model, whole), with_counts(model, small))
    np.testing.assert_array_equal(whole.levels["department"], small.levels["department"])


def test_threads_add_to_one_sum(model):
    whole, total = count_partition(model, part(ROWS)), RunningTally(len(model.every_bag))
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda at: add_partition(total, model, part(ROWS[at : at + 90]), n_jobs=1), range(0, 900, 90)))
    assert total.result().n_rows == 900
    assert same_counts(with_counts(model, total.result()), with_counts(model, whole))


@pytest.mark.parametrize("most", [2**24, 128], ids=["in one block", "in many blocks"])
def test_nothing_of_a_bad_partition_is_added(model, monkeypatch, most):
    monkeypatch.setattr("janus_synth.partitions.code_blocks.MOST_CODES", most)
    monkeypatch.setattr("janus_synth.partitions.sources.BATCH_ROWS", 64)
    total = RunningTally(len(model.every_bag))
    bad = ROWS.assign(age=np.where(np.arange(900) == 899, np.inf, ROWS["age"]))
    with pytest.raises(BadPartitionError):
        add_partition(total, model, part(bad))
    assert total.result() is None
    add_partition(total, model, part(ROWS))
    assert same_counts(with_counts(model, total.result()), model)


def test_a_model_without_counts_counts_the_same(model):
    empty = model.without_counts()
    assert sum(bag.leaves.n_rows.sum() for bag in empty.every_bag) == 0
    assert same_counts(with_counts(empty, count_partition(empty, part(ROWS))), model)


def test_levels_nulls_and_gaps_of_all_rows_are_counted(model):
    more = ROWS.head(300).copy()
    more.loc[:9, "department"] = None
    counted = with_counts(model, count_partition(model, part(more)))
    assert counted.schema["department"].nullable
    assert counted.codec.columns["department"].weight.sum() == 290


def test_values_inside_gaps_close_them():
    rows = pd.DataFrame({"x": np.r_[np.linspace(0, 1, 300), np.linspace(5, 6, 300)]})
    fitted = Janus(random_state=0).fit(rows).model_
    assert len(fitted.codec.columns["x"].gaps) == 1
    inside = pd.concat([rows, pd.DataFrame({"x": np.linspace(2, 4, 20)})])
    assert len(with_counts(fitted, count_partition(fitted, part(rows))).codec.columns["x"].gaps) == 1
    assert len(with_counts(fitted, count_partition(fitted, part(inside))).codec.columns["x"].gaps) == 0


def test_rows_that_break_rules_are_counted_dropped_or_an_error(model):
    bad = ROWS.head(50).copy()
    bad.loc[:4, "experience"] = 60
    assert sum(count_partition(model, part(bad)).broken.values()) == 5
    dropped = count_partition(model, part(bad), on_violation="drop")
    assert (dropped.n_rows, dropped.dropped) == (45, 5)
    with pytest.raises(DataError, match="a part: 5 rows break the rule 'experience <= age - 18'"):
        count_partition(model, part(bad), on_violation="error")


def test_a_partition_with_other_columns_is_named(model):
    with pytest.raises(DataError, match=r"a part does not go with the others: .*'age'"):
        count_partition(model, part(ROWS.drop(columns="age")))


def test_keys_that_a_lookup_does_not_know_join_it_unless_they_have_two_values():
    zones = pd.DataFrame({"zone": np.repeat(list("abcdef"), 50), "borough": np.repeat(list("xyxyxy"), 50)})
    zones["n"] = np.arange(300) % 7
    fitted = Janus(random_state=0, schema={"zone": {"levels": [*"abcdefgh"]}}, keep_rare=True).fit(zones).model_
    assert [link.column for link in fitted.links] == ["borough"]
    more = pd.DataFrame({"zone": ["g", "h", "g"], "borough": ["x", "y", "x"], "n": [1, 2, 3]})
    tally = count_partition(fitted, part(more))
    assert not tally.contradicting
    assert not ambiguous_lookups(tally)
    assert len(with_counts(fitted, tally).links[0].formula.known) == 8
    tally = count_partition(fitted, part(more.assign(borough=["x", "y", "y"])))
    assert ambiguous_lookups(tally) == ("borough",)
    wrong = count_partition(fitted, part(zones.head(3).assign(borough="y")))
    assert wrong.contradicting == {"borough": 3}


def test_every_graph_of_a_set_counts_all_rows():
    rows = ROWS[["age", "sex", "experience", "hired"]]
    janus = Janus(random_state=0, n_trees=1, structure="bootstrap", graph_learner="forest", n_graphs=3).fit(rows)
    tallies = [count_partition(janus.model_, part(rows[at : at + 450]), n_jobs=1) for at in (0, 450)]
    again = with_counts(janus.model_, join_tallies(tallies))
    for number in range(len(janus.model_.graphs.dags)):
        assert same_counts(again.with_graph(number), janus.model_.with_graph(number))
    half = with_counts(janus.model_, tallies[0])
    assert half.with_graph(0).bags[0].leaves.n_rows.sum() == 450


def test_counts_beyond_32_bits_are_exact_and_survive_a_file(model, tmp_path):
    """A tally added to itself 23 times over has 900 · 2²³ rows, more than 2³²."""
    once = tally = count_partition(model, part(ROWS), n_jobs=1)
    for _ in range(23):
        tally = join_tallies([tally, tally])
    counted = with_counts(model, tally)
    assert counted.n_rows == 900 * 2**23
    for bag, few in zip(counted.bags, once.bags, strict=True):
        assert bag.leaves.n_rows.sum() == bag.splits.n_trees * 900 * 2**23
        np.testing.assert_array_equal(bag.leaves.forward.toarray(), few.forward.toarray().astype(np.int64) * 2**23)
        shares, seen = bag.shares, few.forward.toarray()
        reached = seen.sum(axis=1) > 0
        np.testing.assert_allclose(shares[reached], (seen / seen.sum(axis=1, keepdims=True))[reached], atol=1e-5)
    save_model(counted, tmp_path / "large.janus", settings={})
    loaded, _ = load_model(tmp_path / "large.janus")
    assert same_counts(loaded, counted)


def test_more_rows_than_doubles_can_count_are_an_error():
    check_row_count(2**53)
    with pytest.raises(DataError, match="more than a model can count"):
        check_row_count(2**53 + 1)
