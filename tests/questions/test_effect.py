"""Effects on known structural models: the truth lies in the interval at the stated rate, confounding or not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from janus_synth import Janus
from janus_synth.errors import NotIdentifiedError, RuleError, UnknownColumnError
from janus_synth.questions.effect import FROM_MODEL, ModelAnswers, usual_values
from sampling.small_models import small_model

GRAPH = [("z", "t"), ("z", "y"), ("t", "w"), ("w", "y")]


def confounded(n: int, seed: int) -> pd.DataFrame:
    """z causes treatment and outcome; the treatment acts through w. E[y | do(t)] = t, whatever z."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=n)
    t = rng.random(n) < 1 / (1 + np.exp(-1.5 * z))
    w = np.where(t, 2.0, 0.0) + rng.normal(size=n)
    return pd.DataFrame({"z": z, "t": t, "w": w, "y": 0.5 * w + 2 * z + 0.5 * rng.normal(size=n)})


def fitted(table: pd.DataFrame, **settings: object) -> Janus:
    return Janus(structure=GRAPH, random_state=0, n_jobs=1, **settings).fit(table)


@pytest.mark.statistical
@pytest.mark.parametrize("n_tables", [10, pytest.param(24, marks=pytest.mark.slow)])
def test_intervals_hold_the_truth_at_their_rate(n_tables):
    """At least 90 %: fewer hits than the bounds would come once in 10,000 runs of such intervals.

    Intervals of means that cover 40 % (10 tables) or 60 % (24 tables) fail with a probability of 0.9.
    """
    means, effects, naive = [], [], []
    for seed in range(n_tables):
        table = confounded(800, seed)
        found = fitted(table).effect("t", "y", [False, True], level=0.9, n=2_000, random_state=seed)
        means += [low.low <= truth <= low.high for low, truth in zip(found.means, (0.0, 1.0), strict=True)]
        effects.append(found.effects[1].low <= 1.0 <= found.effects[1].high)
        naive.append(table.groupby("t")["y"].mean().diff().iloc[-1])
    assert sum(effects) >= stats.binom.ppf(1e-4, n_tables, 0.9)
    assert sum(means) >= stats.binom.ppf(1e-4, 2 * n_tables, 0.9)
    assert np.mean(naive) > 2  # the confounded difference


def test_more_rows_give_narrower_intervals():
    widths = []
    for n in (500, 8_000):
        found = fitted(confounded(n, 0)).effect("t", "y", [False, True], n=2_000)
        widths.append(found.effects[1].high - found.effects[1].low)
    assert widths[1] < widths[0] / 1.5


def test_a_group_has_an_effect_of_its_own():
    rng = np.random.default_rng(0)
    g = rng.choice(["a", "b"], 6_000)
    t = rng.normal(size=6_000)
    y = np.where(g == "a", 2.0, -1.0) * t + 0.5 * rng.normal(size=6_000)
    table = pd.DataFrame({"g": g, "t": t, "y": y})
    model = Janus(structure=[("g", "y"), ("t", "y")], n_trees=4, random_state=0).fit(table)
    for where, truth in (("g == 'a'", 2.0), ("g == 'b'", -1.0), (None, 0.5)):
        found = model.effect("t", "y", [0, 1], where=where).effects[1]
        assert found.low <= truth <= found.high
        assert abs(found.value - truth) < 0.4


def test_an_outcome_may_be_a_condition_and_settings_ranges():
    model = fitted(confounded(2_000, 1))
    found = model.effect("t", "y > 1", [False, True], n=2_000)
    assert 0 < found.means[0].value < found.means[1].value < 1
    among = model.effect("w", "y", [(0, 1), (2, 3)], n=2_000).effects[1]
    assert among.value == pytest.approx(1.0, abs=0.3)
    frame = found.to_frame()
    assert list(frame.columns) == ["t", "mean", "mean_low", "mean_high", "effect", "effect_low", "effect_high"]
    assert frame["effect"][0] == 0
    assert "95% interval" in str(found)


def test_a_treatment_without_a_path_to_the_outcome_has_no_effect():
    table = confounded(1_000, 2).assign(other=lambda rows: np.arange(len(rows)) % 7)
    found = fitted(table).effect("other", "z", [0, 1], n=1_000)
    assert found.effects[1] == (0.0, 0.0, 0.0)


def test_what_the_graph_does_not_identify_is_refused_by_name():
    model = fitted(confounded(400, 2), n_trees=1)
    with pytest.raises(NotIdentifiedError, match=r"'y' comes after 'z' in the graph \(z → y\)"):
        model.effect("y", "z", [0, 1])
    with pytest.raises(NotIdentifiedError, match="'t' and 'y' have an unobserved common cause"):
        model.effect("t", "y", confounded=[("t", "y")])
    with pytest.raises(NotIdentifiedError, match="Give data=rows"):
        model.effect("t", "y", confounded=[("w", "y")])
    assert model.effect("t", "y", confounded=[("z", "t")], n=500).effects[1].value > 0


def test_the_answer_of_a_model_says_so():
    found = fitted(confounded(400, 2), n_trees=1).effect("t", "y", n=500)
    assert found.values == (False, True)
    assert found.estimator == FROM_MODEL
    assert found.overlap is None
    assert "by simulation from the model, with its smoothing bias in the interval; give data=rows" in str(found)


def test_usual_values_are_levels_or_round_quantiles():
    model = small_model("sparse").model_
    assert usual_values(model, "c") == [level for level in model.schema["c"].levels if level != "other"]
    numbers = usual_values(model, "f")
    assert 2 <= len(numbers) <= 5
    assert numbers == sorted(numbers)


def test_smoothing_bias_moves_and_widens_the_interval():
    """With answers that never vary, refits that are 0.5 too high leave an interval around 0.5 less."""
    answers = ModelAnswers(np.array([1.0]), np.full((24, 1), 1.0), np.full((8, 1), 1.5))
    (found,) = answers.estimates(np.ones((1, 1)), 0.95)
    assert found.value == 1.0
    assert (found.low + found.high) / 2 == pytest.approx(0.5)
    assert (found.high - found.low) / 2 == pytest.approx(0.5 * stats.t.ppf(0.975, 23))


def test_one_seed_one_answer_for_any_number_of_threads():
    table = confounded(600, 3)
    one = fitted(table).effect("t", "y", [False, True], n=500, random_state=4)
    two = fitted(table).set_params(n_jobs=2).effect("t", "y", [False, True], n=500, random_state=4)
    assert one == two


@pytest.mark.parametrize(
    ("asked", "kind", "says"),
    [
        ({"treatment": "q"}, UnknownColumnError, "no column 'q'"),
        ({"outcome": "c"}, RuleError, "categorical and has no mean.*c == 'x'"),
        ({"outcome": "q > 3"}, UnknownColumnError, "no column 'q'"),
        ({"where": "f > 3"}, RuleError, "comes after it"),
        ({"where": "b > 3"}, RuleError, "is the treatment or"),
        ({"values": []}, ValueError, "give a list"),
        ({"values": "12"}, ValueError, "give a list"),
        ({"values": ["x"]}, Exception, "'x'"),
        ({"n": 3}, ValueError, "n is 3"),
        ({"level": 2}, ValueError, "level is 2"),
    ],
)
def test_invalid_arguments_raise(asked, kind, says):
    with pytest.raises(kind, match=says):
        small_model("sparse").effect(**{"treatment": "b", "outcome": "f", "values": [1, 2], **asked})
