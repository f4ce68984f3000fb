from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from relations.agreement import complete, found, with_nulls


@pytest.fixture
def random():
    return np.random.default_rng(8)


def pairs(frame, **options):
    return {relation.columns for relation in found(frame, "ordering", **options)}


def test_start_and_end_of_trips(random):
    n = 800
    frame = pd.DataFrame(
        {"start": pd.Timestamp("2022-01-01") + pd.to_timedelta(random.integers(0, 10**8, n), unit="s")}
    )
    frame["end"] = frame.start + pd.to_timedelta(random.lognormal(6, 1, n).round(), unit="s")
    frame["x"] = random.normal(size=n)
    frame = with_nulls(frame, ["end"], 0.2, random)
    (relation,) = found(frame, "ordering")
    assert relation.columns == ("end", "start")
    assert relation.rule == "end is null or end > start"
    rows = complete(frame, "start", "end")
    assert relation.support == len(rows)
    gap = (rows.end - rows.start).dt.total_seconds()
    assert relation.detail.slack == pytest.approx(gap.quantile([0, 0.25, 0.5, 0.75, 1]).tolist())
    assert relation.detail.at_equality == 0
    assert relation.detail.stable


@pytest.mark.parametrize("gap", ["exponential", "uniform", "zero inflated"])
def test_gaps_of_several_shapes(random, gap):
    n = 2000
    low = random.normal(50, 10, n).round(1)
    drawn = {
        "exponential": random.exponential(3, n),
        "uniform": random.uniform(0, 8, n),
        "zero inflated": random.exponential(5, n) * (random.random(n) < 0.5),
    }[gap]
    frame = pd.DataFrame({"low": low, "high": (low + drawn).round(1)})
    (relation,) = found(frame, "ordering")
    assert relation.columns == ("high", "low")
    assert relation.detail.at_equality == pytest.approx((frame.high == frame.low).mean())
    assert relation.rule == "high >= low"


def test_a_gap_that_depends_on_the_start_is_not_stable(random):
    total = random.lognormal(4, 1, 3000).round(2)
    frame = pd.DataFrame({"total": total, "part": (total * random.beta(1, 2, 3000)).round(2)})
    (relation,) = found(frame, "ordering")
    assert relation.columns == ("total", "part")
    assert not relation.detail.stable


def test_chains_list_neighbours_only(random):
    n = 1000
    frame = pd.DataFrame({"a": random.normal(0, 20, n)})
    frame["b"] = frame.a + random.exponential(2, n)
    frame["c"] = frame.b + random.exponential(2, n)
    frame["d"] = frame.c + random.exponential(2, n)
    assert pairs(frame.round(2)) == {("b", "a"), ("c", "b"), ("d", "c")}


def test_orderings_that_sums_imply_are_not_listed(random):
    frame = pd.DataFrame({"a": random.poisson(50, 500), "b": random.poisson(60, 500)})
    frame["c"] = frame.a + frame.b
    assert [relation.kind for relation in found(frame)] == ["sum"]


def test_columns_that_are_far_apart_are_no_ordering(random):
    n = 500
    frame = pd.DataFrame({"age": random.integers(18, 90, n), "year": random.integers(1990, 2020, n)})
    frame["children"] = random.poisson(1, n)
    assert pairs(frame) == set()


@pytest.mark.parametrize("shift", [2.0, 3.0, 4.0, 6.0])
def test_shifted_correlated_columns_are_no_ordering(shift):
    """The gap is normal and ``shift`` standard deviations above zero: where no row is below, that is luck."""
    for seed in range(25):
        random = np.random.default_rng(seed)
        low = random.normal(size=400)
        high = low + 0.1 * (shift + random.normal(size=400))
        assert pairs(pd.DataFrame({"low": low, "high": high})) == set()
        assert pairs(pd.DataFrame({"low": np.exp(low), "high": np.exp(high)})) == set()


def test_random_walks_that_stay_apart_are_no_ordering():
    apart = 0
    for seed in range(60):
        walks = np.random.default_rng(seed).normal(size=(1000, 2)).cumsum(axis=0) + np.array([0, 20])
        frame = pd.DataFrame(walks, columns=["low", "high"])
        apart += bool((frame.high > frame.low).all())
        assert pairs(frame) == set()
    assert apart >= 10


def test_one_broken_row_is_enough_to_reject(random):
    low = random.normal(size=20_000)
    frame = pd.DataFrame({"low": low, "high": low + random.exponential(0.5, 20_000)})
    frame.loc[7, "high"] = frame.low[7] - 0.01
    assert pairs(frame, max_rows=500) == set()


# Small whole numbers, and offsets


def test_small_whole_numbers(random):
    taken = random.poisson(4, 3000)
    frame = pd.DataFrame({"taken": taken, "passed": random.binomial(taken, 0.6), "other": random.poisson(3, 3000)})
    (relation,) = found(frame, "ordering")
    assert relation.rule == "taken >= passed"


def test_an_offset_between_whole_numbers(random):
    n = 4000
    age = random.integers(18, 70, n)
    frame = pd.DataFrame({"age": age, "worked": (random.random(n) ** 0.7 * (age - 17)).astype(int)})
    frame["noise"] = random.integers(0, 40, n)
    (relation,) = found(frame, "ordering")
    assert relation.rule == "age >= worked + 18"
    assert relation.detail.offset == 18
    assert relation.detail.at_equality == pytest.approx((frame.age == frame.worked + 18).mean())


def test_an_offset_holds_in_rows_outside_the_sample_too(random):
    age = random.integers(18, 70, 6000)
    frame = pd.DataFrame({"age": age, "worked": (random.random(6000) ** 0.7 * (age - 17)).astype(int)})
    frame.loc[5, ["age", "worked"]] = 30, 14
    offsets = {relation.detail.offset for relation in found(frame, "ordering", max_rows=3000)}
    assert offsets <= {16.0, 18.0}
    for relation in found(frame, "ordering", max_rows=3000):
        assert relation.exceptions == 0
        assert (frame.age >= frame.worked + relation.detail.offset).all()


@pytest.mark.parametrize("shift", [2.0, 3.0, 4.0, 6.0])
@pytest.mark.parametrize("spread", [0.7, 1.5, 4.0])
def test_rounded_columns_that_are_shifted_are_no_ordering(shift, spread):
    """Gaps and ratios are normal, rounded to small whole numbers: no offset, and no ordering, is more than luck."""
    for seed in range(12):
        random = np.random.default_rng(seed)
        low = random.normal(20, 3 * spread, 3000)
        high = low + spread * (shift + random.normal(size=3000))
        assert pairs(pd.DataFrame({"low": low, "high": high}).round()) == set()
        small = random.lognormal(1.5, 0.8, 3000)
        large = small * np.exp(0.1 * spread * (shift + random.normal(size=3000)))
        assert pairs(pd.DataFrame({"low": small, "high": large}).round()) == set()


@pytest.mark.slow
def test_dependent_counts_are_no_ordering():
    """A hundred tables of six counts that share a frailty, or are parts of a scale: at most one false ordering in all.

    The bound per table is 0.0001, so that even one is a fault with a chance of 1 % only.
    """
    n_found = 0
    for seed in range(100):
        random = np.random.default_rng(seed)
        frailty = random.gamma(2, 1, 1500)
        counts = {f"c{i}": random.poisson(frailty * rate) for i, rate in enumerate([0.3, 1, 3, 8, 20, 50])}
        counts["age"] = np.minimum(18 + random.gamma(2, 12, 1500), 90).astype(int)
        n_found += len(pairs(pd.DataFrame(counts)))
    assert n_found == 0


def test_what_follows_from_multiples_and_equal_columns_is_left_out():
    """An amount in another currency is at least the total, which is the refund; offsets of cents are no ordering."""
    rng = np.random.default_rng(0)
    net = rng.lognormal(3, 0.8, 2_000).round(2) + 1
    frame = pd.DataFrame({"net": net, "shipping": rng.choice([4.99, 6.5], 2_000), "vat": (0.19 * net).round(2)})
    frame["total"] = (frame.net + frame.shipping + frame.vat).round(2)
    frame["converted"] = (frame.total * rng.choice([1.0, 1.05, 1.17], 2_000)).round(2)
    frame["refund"] = frame.total.where(rng.random(2_000) < 0.3)
    assert [str(relation) for relation in found(frame, "ordering")] == []
