import numpy as np
import pandas as pd
import pytest

from janus_bench.peers import GaussianCopula, IndependentColumns, SequentialCart
from janus_synth.errors import DataError, NotFittedError

RIVALS = [IndependentColumns, SequentialCart, GaussianCopula]
N_ROWS = 2_000


def mixed_frame(n_rows: int = N_ROWS) -> pd.DataFrame:
    """Every kind of column, all of them leaning on ``x``."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=n_rows)
    level = np.digitize(x, [-1.0, 0.0, 1.0])
    noisy = x + 0.3 * rng.normal(size=n_rows)
    frame = pd.DataFrame(
        {
            "x": x,
            "count": np.round(5 + 2 * noisy).astype(np.int32),
            "flag": x > 0,
            "maybe": pd.array(noisy > 0.5, dtype="boolean"),
            "text": np.array(["low", "mid", "high", "top"], dtype=object)[level],
            "grade": pd.Categorical.from_codes(level, ["d", "c", "b", "a"], ordered=True),
            "colour": pd.Categorical(np.array(["red", "blue"])[(noisy > 0).astype(int)]),
            "score": np.where(x < -0.8, np.nan, 10 * noisy),
            "whole": pd.array(np.round(1_000 * noisy).astype(np.int64), dtype="Int64"),
            "day": np.datetime64("2020-01-01") + np.round(100 * noisy).astype("timedelta64[D]"),
            "zoned": pd.Series(pd.date_range("2024-01-01", periods=n_rows, freq="h", tz="Europe/Paris")),
            "lasted": pd.to_timedelta(np.round(60 * np.exp(x)), unit="s"),
            "key": [f"K{i}" for i in range(n_rows)],
            "constant": 7,
            "empty": np.full(n_rows, np.nan),
        }
    )
    for position, name in enumerate(["maybe", "text", "grade", "whole", "day", "lasted"]):
        frame.loc[position::17, name] = None
    return frame


FRAME = mixed_frame()


@pytest.fixture(scope="module", params=RIVALS, ids=lambda rival: rival.__name__)
def rival(request):
    return request.param().fit(FRAME, seed=0)


@pytest.mark.parametrize("n", [0, 1, 500])
def test_rows_have_the_shape_and_dtypes_of_the_table(rival, n):
    rows = rival.sample(n, seed=1)
    assert rows.shape == (n, FRAME.shape[1])
    pd.testing.assert_series_equal(rows.dtypes, FRAME.dtypes)
    pd.testing.assert_index_equal(rows.columns, FRAME.columns)
    assert list(rows.index) == list(range(n))


def test_seeds_of_fit_and_sample_decide_the_rows(rival):
    again = type(rival)().fit(FRAME, seed=0)
    pd.testing.assert_frame_equal(rival.sample(100, seed=5), again.sample(100, seed=5))
    assert not rival.sample(100, seed=5).equals(rival.sample(100, seed=6))


def test_margins_and_nulls_are_those_of_the_table(rival):
    rows = rival.sample(4_000, seed=2)
    assert (rows.isna().mean() - FRAME.isna().mean()).abs().max() < 0.03
    assert rows["x"].std() == pytest.approx(FRAME["x"].std(), rel=0.1)
    shares = rows["text"].value_counts(normalize=True) - FRAME["text"].value_counts(normalize=True)
    assert shares.abs().max() < 0.05
    assert (rows["constant"] == 7).all()
    assert rows["empty"].isna().all()


def test_values_come_from_the_table(rival):
    rows = rival.sample(200, seed=3)
    for name in FRAME:
        assert set(rows[name].dropna()) <= set(FRAME[name].dropna())


def test_the_table_learnt_stays_as_it_was(rival):
    pd.testing.assert_frame_equal(FRAME, mixed_frame())


@pytest.mark.parametrize("maker", RIVALS, ids=lambda rival: rival.__name__)
def test_misuse_is_explained(maker):
    with pytest.raises(NotFittedError, match="Call fit first"):
        maker().sample(1, seed=0)
    with pytest.raises(DataError, match="0 rows"):
        maker().fit(FRAME.iloc[:0], seed=0)
    with pytest.raises(DataError, match="share a name"):
        maker().fit(pd.DataFrame([[1, 2]], columns=["a", "a"]), seed=0)


@pytest.mark.parametrize("maker", RIVALS, ids=lambda rival: rival.__name__)
def test_one_row_and_one_column_are_enough(maker):
    frame = pd.DataFrame({"a": [1.5]})
    pd.testing.assert_frame_equal(maker().fit(frame, seed=0).sample(1, seed=0), frame)


@pytest.mark.statistical
def test_independent_columns_have_no_association():
    rows = IndependentColumns().fit(FRAME, seed=0).sample(10_000, seed=4)
    # Standard error 0.01; a false alarm is a 5-sigma event, the true correlation is 0.96.
    assert abs(rows["x"].corr(rows["whole"].astype(float))) < 0.05
    assert (rows["flag"] == (rows["x"] > 0)).mean() == pytest.approx(0.5, abs=0.05)


@pytest.mark.statistical
def test_cart_keeps_strong_association():
    rows = SequentialCart().fit(FRAME, seed=0).sample(5_000, seed=4)
    for name in ("count", "score", "whole"):
        assert rows["x"].corr(rows[name].astype(float)) == pytest.approx(
            FRAME["x"].corr(FRAME[name].astype(float)), abs=0.04
        )
    days = (rows["day"] - pd.Timestamp("2020-01-01")).dt.days
    assert rows["x"].corr(days) > 0.9
    assert rows["x"].corr(rows["lasted"].dt.total_seconds(), method="spearman") > 0.95


def test_cart_reproduces_functions_of_earlier_columns():
    rows = SequentialCart().fit(FRAME, seed=0).sample(5_000, seed=4)
    assert (rows["flag"] == (rows["x"] > 0)).all()
    known = rows.dropna(subset=["text", "grade"])
    assert (known["grade"].map({"d": "low", "c": "mid", "b": "high", "a": "top"}) == known["text"]).mean() > 0.99
    # Nulls travel with the donor: at most one leaf straddles the bound.
    assert (rows["score"].isna() == (rows["x"] < -0.8)).mean() > 0.99


def test_cart_does_not_depend_on_the_number_of_threads():
    one, two = (SequentialCart(n_jobs=jobs).fit(FRAME, seed=0).sample(300, seed=1) for jobs in (1, 2))
    pd.testing.assert_frame_equal(one, two)


def test_cart_with_a_graph_listens_to_parents_alone():
    frame = FRAME[["flag", "count", "x", "text"]].fillna("none")
    rows = SequentialCart(parents={"flag": ["x"], "count": [], "x": [], "text": ["x", "flag"]}).fit(frame, seed=0)
    rows = rows.sample(4_000, seed=1)
    assert list(rows) == list(frame)
    assert (rows["flag"] == (rows["x"] > 0)).all()  # the parent comes after its child in the table
    # No arrow joins them: a correlation of 0.96 in the table, here 0 with a standard error of 0.016.
    assert abs(rows["x"].corr(rows["count"])) < 0.08


def test_cart_with_every_earlier_column_as_a_parent_is_cart():
    columns = ["x", "flag", "count", "text"]
    frame = FRAME[columns]
    earlier = {name: columns[:i] for i, name in enumerate(columns)}
    own, same = (SequentialCart(parents=parents).fit(frame, seed=0).sample(300, seed=1) for parents in (None, earlier))
    pd.testing.assert_frame_equal(own, same)


def test_cart_handles_parents_with_many_levels():
    rng = np.random.default_rng(1)
    city = rng.integers(80, size=4_000)
    frame = pd.DataFrame({"city": [f"C{i:02d}" for i in city], "north": city >= 40})
    rows = SequentialCart().fit(frame, seed=0).sample(2_000, seed=1)
    assert (rows["north"] == (rows["city"] >= "C40")).mean() > 0.97


@pytest.mark.statistical
def test_copula_keeps_the_sign_and_most_of_the_correlation():
    rng = np.random.default_rng(2)
    x = rng.normal(size=3_000)
    frame = pd.DataFrame({"x": x, "up": np.exp(x + rng.normal(size=3_000)), "down": -x + rng.normal(size=3_000)})
    rows = GaussianCopula().fit(frame, seed=0).sample(5_000, seed=1)
    difference = rows.corr("spearman") - frame.corr("spearman")
    assert difference.abs().to_numpy().max() < 0.06  # the truth is a Gaussian copula; standard error 0.015


@pytest.mark.statistical
def test_copula_relates_levels_and_dates_to_numbers():
    rows = GaussianCopula().fit(FRAME, seed=0).sample(5_000, seed=1)
    assert rows["flag"].corr(rows["x"]) > 0.3
    assert rows["grade"].cat.codes.corr(rows["x"]) > 0.3
    assert rows["x"].corr(rows["lasted"].dt.total_seconds(), method="spearman") > 0.5
