import numpy as np
import pandas as pd
import pytest
from scipy.stats import kstest
from sklearn.linear_model import LogisticRegression

from janus_bench.tables import read_named
from janus_bench.tables.drawn import CORRELATION, MADE, SMOOTH, TAIL
from janus_synth import Dag

SHAPES = {
    "circle": (1_000, 3),
    "normal": (1_000, 5),
    "imbalanced": (1_000, 5),
    "mixed": (1_000, 8),
    "stress": (4_000, 9),
}


@pytest.fixture(scope="module")
def stress():
    return MADE["stress"].table()


@pytest.mark.parametrize("name", MADE)
def test_tables_have_the_size_of_the_paper_and_are_repeatable(name):
    table = read_named(name)
    assert table.frame.shape == SHAPES[name]
    pd.testing.assert_frame_equal(table.frame, MADE[name].table())
    assert not table.frame.equals(MADE[name].table(seed=1))
    assert table.target in table.frame
    assert not table.frame.isna().any().any()


@pytest.mark.parametrize("name", MADE)
def test_known_graphs_are_acyclic_and_reach_only_columns(name):
    table = read_named(name)
    parents = {column: tuple(a for a, b in table.graph if b == column) for column in table.frame}
    assert sum(map(len, parents.values())) == len(table.graph)
    Dag(parents)


def test_no_line_parts_the_circle_from_the_rest_but_its_radius_does():
    frame = MADE["circle"].table()
    inside, place = frame["inside"] == "yes", frame[["x", "y"]].to_numpy()
    assert LogisticRegression().fit(place, inside).score(place, inside) < 0.6
    assert LogisticRegression(C=100).fit(place**2, inside).score(place**2, inside) > 0.95
    assert inside.mean() == pytest.approx(0.5, abs=0.06)  # four standard errors


def test_normal_columns_are_normal_and_correlated_as_asked():
    frame = MADE["normal"].table()
    assert np.abs(np.corrcoef(frame.to_numpy().T) - CORRELATION).max() < 4 / np.sqrt(len(frame))
    for name in frame:
        assert kstest((frame[name] - frame[name].mean()) / frame[name].std(), "norm").pvalue > 0.01
    assert (np.linalg.eigvalsh(CORRELATION) > 0.05).all()


def test_every_tenth_row_is_of_the_rare_class_and_can_be_recognised():
    frame = MADE["imbalanced"].table()
    rare = frame["rare"] == "yes"
    assert rare.sum() == 100
    numbers = frame.drop(columns="rare")
    assert np.corrcoef(numbers[rare].T)[0, 1] < -0.4 < 0.4 < np.corrcoef(numbers[~rare].T)[0, 1]
    assert (numbers["branch"].abs() > 1.5)[rare].mean() > 3 * (numbers["branch"].abs() > 1.5)[~rare].mean()


def test_the_mixed_table_has_words_and_numbers_that_hang_together():
    frame = MADE["mixed"].table()
    words = frame.select_dtypes(exclude="number")
    assert words.columns.tolist() == ["region", "plan", "channel", "stays"]
    assert (frame.dtypes == np.int64).sum() == 2
    assert frame.groupby("plan")["visits"].mean()[["basic", "plus", "gold"]].is_monotonic_increasing
    assert frame.groupby("channel")["age"].mean()["app"] < frame["age"].mean() - 5
    assert not ((frame["region"].isin(["north", "east"])) & (frame["channel"] == "post")).any()


def test_the_tail_of_size_is_that_of_pareto(stress):
    largest = np.sort(stress["size"])[-401:]
    hill = 1 / np.log(largest[1:] / largest[0]).mean()
    assert hill == pytest.approx(TAIL, abs=4 * TAIL / np.sqrt(400))  # four standard errors of Hill's estimate
    assert stress["claim"].max() > 50 * stress["claim"].median()


def test_nothing_lies_in_the_gap(stress):
    level = stress["level"]
    assert not level.between(1, 3, inclusive="neither").any()
    assert min((level <= 1).mean(), (level >= 3).mean()) > 0.3


def test_hour_and_bearing_go_round_together(stress):
    hour, bearing = 2 * np.pi * stress["hour"] / 24, 2 * np.pi * stress["bearing"] / 360
    assert stress["hour"].between(0, 24, inclusive="left").all()
    assert stress["bearing"].between(0, 360, inclusive="left").all()
    assert np.abs(np.exp(1j * (bearing - hour)).mean()) > 0.9  # on the circle they move as one
    late = stress["hour"] > 22
    assert (stress["bearing"][late] < 120).mean() > 0.9  # and begin again at zero
    midnight = stress.loc[(stress["hour"] < 1) | (stress["hour"] > 23), "load"]
    assert midnight[stress["hour"] < 1].mean() == pytest.approx(midnight[stress["hour"] > 23].mean(), abs=0.6)


def test_output_depends_on_size_through_pressure_and_flow_only(stress):
    noise = stress["output"] - stress["flow"] ** 2 / 10 - stress["level"] / 2
    size = np.log(stress["size"])
    assert np.corrcoef(size, stress["output"])[0, 1] > 0.4
    assert abs(np.corrcoef(size, noise)[0, 1]) < 4 / np.sqrt(len(stress))
    assert abs(np.corrcoef(stress["pressure"], noise)[0, 1]) < 4 / np.sqrt(len(stress))


@pytest.mark.parametrize("name", SMOOTH)
def test_smooth_tables_are_repeatable_and_smooth(name):
    frame = SMOOTH[name].table(500)
    pd.testing.assert_frame_equal(frame, SMOOTH[name].table(500))
    assert not frame.equals(SMOOTH[name].table(500, seed=1))
    assert all(frame[column].nunique() == 500 for column in frame)
    assert SMOOTH[name].target in frame
