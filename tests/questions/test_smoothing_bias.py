"""Refits on rows of a model: they show what smoothing does to an answer, and depend on the seed alone."""

from __future__ import annotations

import numpy as np
import pandas as pd

from janus_synth import Janus
from janus_synth.questions.smoothing_bias import N_REFITS, refit_answers
from janus_synth.trees import GrowthSettings


def stepped(n: int) -> Janus:
    """A model whose outcome falls by one from group to group of a column with twelve levels."""
    rng = np.random.default_rng(0)
    g = rng.integers(0, 12, n)
    table = pd.DataFrame({"g": pd.Categorical([f"level {i:02}" for i in g]), "y": g + 3 * rng.normal(size=n)})
    return Janus(structure=[("g", "y")], random_state=0, n_jobs=1).fit(table)


def spread_of_means(model: Janus):
    """Between-group spread of the outcome's mean code: shrinkage makes it smaller."""
    names, codec = model.model_.codec.names, model.model_.codec
    y = names.index("y")
    codes = np.arange(codec.columns["g"].n_codes - 2, dtype=np.uint16)

    def answer(bags):
        x = np.zeros((len(names), 200 * len(codes)), np.uint16)
        x[names.index("g")] = np.repeat(codes, 200)
        u = np.tile((np.arange(200) + 0.5) / 200, len(codes))
        bags[y].draw(x, u)
        return np.array([x[y].reshape(len(codes), 200).mean(axis=1).std()])

    return answer, frozenset([y])


def test_refits_shrink_what_the_fit_has_shrunk():
    """A small table with much noise: its trees pull groups together, and the refits pull further."""
    model = stepped(150)
    answer, changing = spread_of_means(model)
    refits = refit_answers(model.model_, changing, answer, GrowthSettings(), seed=0, n_jobs=1)
    assert refits.shape == (N_REFITS, 1)
    large = stepped(20_000)
    answer_large, _ = spread_of_means(large)
    small_loss = 1 - refits.mean() / answer(model.model_.bags)[0]
    again = refit_answers(large.model_, changing, answer_large, GrowthSettings(), seed=0, n_jobs=1)
    large_loss = 1 - again.mean() / answer_large(large.model_.bags)[0]
    assert abs(large_loss) < 0.1
    assert small_loss > large_loss


def test_one_seed_one_answer_for_any_number_of_threads():
    model = stepped(300)
    answer, changing = spread_of_means(model)
    told = [refit_answers(model.model_, changing, answer, GrowthSettings(), seed=3, n_jobs=n) for n in (1, 2)]
    np.testing.assert_array_equal(*told)
    other = refit_answers(model.model_, changing, answer, GrowthSettings(), seed=4, n_jobs=1)
    assert not np.array_equal(told[0], other)


def test_without_changing_columns_nothing_changes():
    model = stepped(300)
    answer, _ = spread_of_means(model)
    refits = refit_answers(model.model_, frozenset(), answer, GrowthSettings(), seed=0)
    assert (refits == answer(model.model_.bags)).all()
