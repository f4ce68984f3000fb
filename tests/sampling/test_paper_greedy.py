"""Algorithm 1 as printed in the paper: it satisfies single-column conditions but misses the model's distribution."""

from __future__ import annotations

import itertools
from math import log, sqrt

import numpy as np
import pandas as pd
import pytest

from janus_synth.rules import bind, judge
from janus_synth.sampling import BLOCK_ROWS
from janus_synth.sampling.conditional import sample_conditional
from janus_synth.sampling.paper_greedy import sample_greedy
from janus_synth.sampling.plan import Plan
from janus_synth.sampling.request import make_request
from janus_synth.table import Table
from model.tables import fitted, mixed


def planned(model, *texts: str) -> Plan:
    return Plan(make_request(model.model_, [bind(text, model.model_.schema) for text in texts]), {})


def kept(model, text: str, rows: Table) -> np.ndarray:
    """Which rows satisfy a rule, evaluated by ``judge``."""
    return judge(bind(text, model.model_.schema), rows)


def assert_same_rows(one, other):
    assert list(one.columns) == list(other.columns)
    for name, values in one.columns.items():
        np.testing.assert_array_equal(other[name], values, err_msg=name)


@pytest.fixture(scope="module")
def model():
    return fitted(mixed(300))


# Conditions that every row satisfies

CONDITIONS = [
    "units >= 9",
    "2 <= units <= 7 and amount > 3.3",
    "amount == 0.25",
    "amount is null",
    "group == 'east' and grade != 'high'",
    "grade == 'low' and amount > 7",
    "member is not null and group in ['south', 'east']",
    "day >= '2024-02-10' and seen < '2024-03-01'",
    "units < 2 or units > 11",
    "member and grade == 'mid' and 4 < amount < 5 and units == 6 and group == 'north'",
]


@pytest.mark.parametrize("structure", ["auto", "forest", "dense"])
@pytest.mark.parametrize("text", CONDITIONS)
def test_conditions_on_single_columns_hold_in_every_row(text, structure):
    columns = ["group", "grade", "member", "amount", "units", "day", "seen"]
    edges = list(itertools.combinations(columns, 2)) if structure == "dense" else structure
    model = fitted(mixed(300), structure=edges)
    rows = sample_greedy(planned(model, text), 500, seed=0)
    assert set(rows.columns) == set(columns)
    assert kept(model, text, rows).all()


@pytest.mark.parametrize("n", [0, 1, 2, 4_095, 4_096, 4_097, 9_000])
def test_a_sample_has_the_requested_number_of_rows(n, model):
    seen: list[int] = []
    rows = sample_greedy(planned(model, "units >= 9"), n, seed=0, on_rows=seen.append)
    assert {len(values) for values in rows.columns.values()} == {n}
    assert sum(seen) == n


@pytest.mark.parametrize("n_jobs", [1, 2, 4, None])
def test_the_number_of_threads_does_not_change_the_table(n_jobs, model):
    plan = planned(model, "units >= 9 and amount > 3")
    one = sample_greedy(plan, 10_000, seed=3, n_jobs=1)
    assert_same_rows(one, sample_greedy(plan, 10_000, seed=3, n_jobs=n_jobs))
    assert not np.array_equal(one["units"], sample_greedy(plan, 10_000, seed=4, n_jobs=n_jobs)["units"])


def test_batches_add_up_to_the_sample(model):
    plan = planned(model, "units >= 9 and amount > 3")
    whole = sample_greedy(plan, 10_000, seed=3)
    first = sample_greedy(plan, 2 * BLOCK_ROWS, seed=3)
    rest = sample_greedy(plan, 10_000 - 2 * BLOCK_ROWS, seed=3, first_block=2)
    assert_same_rows(whole, Table.concatenate([first, rest]))


# Rules of several columns


def lone_columns(n: int = 400) -> pd.DataFrame:
    """Three independent integer columns."""
    rng = np.random.default_rng(0)
    return pd.DataFrame({name: rng.integers(0, 40, n) for name in ("middle", "low", "high")})


@pytest.mark.parametrize(
    "text",
    [
        "low >= high",
        "low == high",
        "low != high",
        "high >= low + 15",
        "low + middle + high <= 40",
    ],
)
def test_a_cell_bounds_the_others_of_its_rule(text):
    model = fitted(lone_columns(), structure=[])
    free = kept(model, text, sample_greedy(planned(model, "low >= 0"), 1_000, seed=0))
    assert not free.all()  # without the bounds some rows violate the rule
    assert kept(model, text, sample_greedy(planned(model, text), 1_000, seed=0)).all()


def test_bounds_and_conditions_hold_together():
    model = fitted(lone_columns(), structure=[])
    texts = ["low <= high", "high <= 10", "low > 5 or low == 2"]
    rows = sample_greedy(planned(model, *texts), 1_000, seed=0)
    for text in texts:
        assert kept(model, text, rows).all(), text


def test_rows_at_a_dead_end_violate_the_rule_but_satisfy_single_column_conditions():
    # In half of the rows the first two columns drawn are in the wrong order, and the third cannot repair this.
    model = fitted(lone_columns(), structure=[])
    plan = planned(model, "low < middle and middle < high", "middle >= 7")
    assert plan.request.order[0] == plan.request.columns.index("middle")
    rows = sample_greedy(plan, 1_000, seed=0)
    assert kept(model, "middle >= 7", rows).all()
    assert 0.2 < kept(model, "low < middle and middle < high", rows).mean() < 0.8


# Back-filling


def test_parents_come_from_leaves_that_have_seen_the_child():
    rng = np.random.default_rng(0)
    income = rng.integers(0, 100, 1_000)
    frame = pd.DataFrame({"income": income, "loan": np.where(income > 80, "approved", "refused")})
    model = fitted(frame, structure=[("income", "loan")], n_trees=1)
    rows = sample_greedy(planned(model, "loan == 'approved'"), 2_000, seed=0)
    bag = model.model_.bag("loan")
    # Bins are coarser than the threshold in the data: leaves with an approval begin a little below 81.
    assert bag.splits.n_leaves > 1
    assert rows["income"].min() >= 75
    assert rows["income"].max() >= 95


def test_a_common_parent_is_compatible_with_all_its_children():
    rng = np.random.default_rng(0)
    size = rng.integers(0, 10, 2_000)
    frame = pd.DataFrame({"size": size, "large": size >= 4, "small": size < 7})
    model = fitted(frame, structure=[("size", "large"), ("size", "small")], n_trees=1)
    rows = sample_greedy(planned(model, "large and small"), 2_000, seed=0)
    assert set(rows["size"]) == {4, 5, 6}


def test_a_parent_is_drawn_from_its_marginal_if_no_value_suits_its_children():
    rng = np.random.default_rng(0)
    size = rng.integers(0, 10, 2_000)
    frame = pd.DataFrame({"size": size, "large": size >= 6, "small": size < 4})
    model = fitted(frame, structure=[("size", "large"), ("size", "small")], n_trees=1)
    rows = sample_greedy(planned(model, "large and small"), 2_000, seed=0)
    assert rows["large"].all()
    assert rows["small"].all()
    assert set(rows["size"]) == set(range(10))


# The distribution


@pytest.mark.statistical
def test_a_condition_on_a_root_gives_the_exact_conditional():
    rng, n, false_alarm = np.random.default_rng(0), 20_000, 1e-6
    x = rng.gamma(2.0, 10.0, 3_000)
    model = fitted(pd.DataFrame({"x": x, "y": x + rng.normal(size=3_000)}), structure=[("x", "y")])
    rows = sample_greedy(planned(model, "14 < x <= 37.7"), n, seed=0)
    free = model.sample(400_000, random_state=1)
    free = free[(free["x"] > 14) & (free["x"] <= 37.7)]
    # Two samples (DKW for each at half the rate): 0.024 with some 160,000 free rows; a wrong cut of a bin moves 0.04.
    bound = sum(sqrt(log(4 / false_alarm) / (2 * size)) for size in (n, len(free)))
    for name in ("x", "y"):
        at = np.sort(free[name].to_numpy())
        below = np.searchsorted(np.sort(rows[name]), at, side="right") / n
        assert np.abs(below - np.arange(1, len(at) + 1) / len(at)).max() <= bound, name


def triangle(n: int = 3_000) -> pd.DataFrame:
    """Columns a, b that depends on a, and c that depends on both."""
    rng = np.random.default_rng(0)
    a = rng.choice(3, n, p=[0.7, 0.2, 0.1])
    b = np.where(rng.random(n) < 0.6, a, rng.choice(3, n))
    c = rng.random(n) < 0.1 + 0.2 * a + 0.15 * b
    return pd.DataFrame({"a": np.array(["x", "y", "z"])[a], "b": np.array(["k", "l", "m"])[b], "c": c})


EDGES = [("a", "b"), ("a", "c"), ("b", "c")]


def conditional(model, codes: np.ndarray, c: int) -> np.ndarray:
    """The model's probability of each combination given the code of c, by brute force."""
    own = [bag.compiled(len(codes)).probability_of(codes[bag.target], codes) for bag in model.model_.bags]
    shares = np.prod(own, axis=0) * (codes[2] == c)
    return shares / shares.sum()


def as_printed(model, codes: np.ndarray, c: int) -> np.ndarray:
    """Probability of each combination under Algorithm 1: c is given, b comes with c's leaf, a from the product."""
    n_codes = model.model_.codec.n_codes
    bag_b, bag_c = model.model_.bags[1:]
    own_b, own_c = (bag.leaves.forward.toarray() for bag in (bag_b, bag_c))
    a_of_b = bag_b.leaves.backward.toarray()[:, : n_codes[0]]
    a_of_c, b_of_c = np.split(bag_c.leaves.backward.toarray(), np.cumsum(n_codes)[:2], axis=1)[:2]
    chance = {}
    for b in range(n_codes[1]):
        of_b = sum(
            own_c[leaf, c] / own_c[:, c].sum() * b_of_c[leaf, b] / own_c[leaf].sum() for leaf in range(len(own_c))
        )
        by_b = sum(own_b[leaf, b] / own_b[leaf].sum() * a_of_b[leaf] for leaf in range(len(own_b)))
        by_c = sum(own_c[leaf, c] / own_c[leaf].sum() * a_of_c[leaf] for leaf in range(len(own_c)))
        for a in range(n_codes[0]):
            chance[a, b] = of_b * by_b[a] * by_c[a] / (by_b @ by_c) if of_b else 0.0
    return np.array([chance[a, b] * (own == c) for a, b, own in codes.T])


def frequencies(model, rows: dict[str, np.ndarray], codes: np.ndarray) -> np.ndarray:
    codec = model.model_.codec
    x = np.stack([codec.columns[name].encode(rows[name]) for name in codec.names])
    at = np.ravel_multi_index(tuple(x), tuple(codec.n_codes))
    return np.bincount(at, minlength=codes.shape[1]) / len(at)


@pytest.mark.statistical
def test_two_parents_of_a_condition_follow_the_printed_algorithm_and_not_the_model():
    model, n, false_alarm = fitted(triangle(), structure=EDGES, n_trees=1), 40_000, 1e-6
    codes = np.array(list(itertools.product(*map(range, model.model_.codec.n_codes))), np.uint16).T
    c = int(model.model_.codec.columns["c"].encode(np.array([1], np.int32))[0])
    plan = planned(model, "c")
    greedy, exact = (frequencies(model, draw(plan, n, seed=0), codes) for draw in (sample_greedy, sample_conditional))
    printed, wanted = as_printed(model, codes, c), conditional(model, codes, c)
    assert printed.sum() == pytest.approx(1.0)
    # Total variation over k cells: mean at most √(k/n)/2, each row moves it by 1/n (McDiarmid): 0.021.
    bound = sqrt(9 / n) / 2 + sqrt(log(1 / false_alarm) / (2 * n))
    assert np.abs(greedy - printed).sum() / 2 <= bound
    assert np.abs(exact - wanted).sum() / 2 <= 2 * bound  # rows of a block are resampled, hence not independent
    # The product counts the distribution of a twice: common values of a become significantly too common.
    assert np.abs(greedy - wanted).sum() / 2 > 5 * bound
