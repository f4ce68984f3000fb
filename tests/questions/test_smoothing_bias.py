"""Refits on rows of a model: they show what smoothing does to an answer, and depend on the seed alone."""

from __future__ import annotations

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_info, threadpool_limits

from janus_synth import Janus
from janus_synth.questions.smoothing_bias import N_REFITS, refit_answers
from janus_synth.trees import GrowthSettings


def stepped(n: int) -> Janus:
    """A model whose outcome rises by one from group to group of a column with twelve levels."""
    rng = np.random.default_rng(0)
    g = rng.integers(0, 12, n)
    table = pd.DataFrame({"g": pd.Categorical([f"level {i:02}" for i in g]), "y": g + 3 * rng.normal(size=n)})
    return Janus(structure=[("g", "y")], random_state=0, n_jobs=1).fit(table)


def contrast_of(model: Janus):
    """Difference of the outcome's mean code between the last and the first level."""
    names, codec = model.model_.codec.names, model.model_.codec
    y = names.index("y")
    ends = codec.columns["g"].encode(np.array([0, 11], np.int32))

    def answer(bags):
        x = np.zeros((len(names), 1_000), np.uint16)
        x[names.index("g")] = np.repeat(ends, 500)
        u = np.tile((np.arange(500) + 0.5) / 500, 2)
        bags[y].draw(x, u)
        return np.diff(x[y].reshape(2, 500).mean(axis=1))

    return answer, frozenset([y])


def test_refits_show_the_smoothing_of_their_settings():
    """Trees that cannot split lose the whole effect, and refits say so; the usual ones lose little here."""
    model = stepped(20_000)
    answer, changing = contrast_of(model)
    best = answer(model.model_.bags)[0]
    coarse = GrowthSettings(min_samples_leaf=50_000, leaves="histogram")
    blind, usual = (
        refit_answers(model.model_, changing, answer, growth, seed=0, n_jobs=1)[:, 0]
        for growth in (coarse, GrowthSettings())
    )
    assert len(usual) == N_REFITS
    assert best > 10
    assert np.abs(blind).max() < 0.2 * best
    assert np.abs(usual - best).max() < 0.2 * best


def test_one_seed_one_answer_for_any_number_of_threads():
    model = stepped(300)
    answer, changing = contrast_of(model)
    told = [refit_answers(model.model_, changing, answer, GrowthSettings(), seed=3, n_jobs=n) for n in (1, 2)]
    np.testing.assert_array_equal(*told)
    other = refit_answers(model.model_, changing, answer, GrowthSettings(), seed=4, n_jobs=1)
    assert not np.array_equal(told[0], other)


def test_without_changing_columns_nothing_changes():
    model = stepped(300)
    answer, _ = contrast_of(model)
    refits = refit_answers(model.model_, frozenset(), answer, GrowthSettings(), seed=0)
    assert (refits == answer(model.model_.bags)).all()


def test_linear_algebra_has_one_thread_while_trees_are_grown():
    """Its own threads would compete with ours: effects of small models took six times the CPU."""
    model = stepped(300)
    answer, changing = contrast_of(model)
    seen = set()

    def watched(bags):
        seen.update(pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas")
        return answer(bags)

    with threadpool_limits(2, user_api="blas"):
        refit_answers(model.model_, changing, watched, GrowthSettings(), seed=0, n_jobs=2)
    assert seen <= {1}
