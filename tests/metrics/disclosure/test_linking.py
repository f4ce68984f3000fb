from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth.metrics import align
from janus_synth.metrics.disclosure.linking import N_LINKED, inference, is_close, linkability
from janus_synth.metrics.disclosure.points import Scene, distinct


def scene_of(train, test, synthetic, seed=0) -> Scene:
    seen, unseen, drawn = align(train=train, test=test, synthetic=synthetic)
    return Scene(distinct(drawn), seen, unseen, seen, unseen, 0.95, np.random.default_rng(seed))


def grid(rng, n: int, *, scale: float = 1.0) -> pd.DataFrame:
    return pd.DataFrame(scale * rng.normal(size=(n, 4)), columns=list("abcd"))


def test_copies_link_two_sets_of_columns_and_swapped_halves_do_not(rng):
    train, test = grid(rng, 200), grid(rng, 200)
    halves_swapped = train.assign(b=np.roll(train.b, 7), d=np.roll(train.d, 7))  # a, c of one row; b, d of another
    linked, unlinked = (linkability(scene_of(train, test, rows), "abcd") for rows in (train, halves_swapped))
    assert linked.attack.rate == 1.0
    assert unlinked.attack.rate < 0.2
    assert linked.control.rate < 0.2


def test_a_guess_links_as_often_as_random_neighbours(rng):
    n = 40
    scene = scene_of(grid(rng, 50), grid(rng, 50), grid(rng, n))
    shared = [
        len(set(rng.choice(n, N_LINKED, replace=False)) & set(rng.choice(n, N_LINKED, replace=False))) > 0
        for _ in range(20_000)
    ]
    # 20,000 draws have a standard error of 0.003: five of them.
    assert linkability(scene, "abcd").baseline == pytest.approx(np.mean(shared), abs=0.015)


def test_secrets_of_copies_are_known_and_those_of_fresh_rows_are_guessed(rng):
    train, test, new = (grid(rng, 400) for _ in range(3))
    copied, fresh = (inference(scene_of(train, test, rows), "ab", "abcd") for rows in (train, new))
    assert copied.attack.rate == 1.0
    # Independent columns: a guess is as good as the nearest row. Shares of 400 have a standard error of 0.015.
    for rate in (copied.control.rate, fresh.attack.rate, fresh.baseline):
        assert rate == pytest.approx(fresh.control.rate, abs=0.1)


def test_what_the_population_tells_is_no_leak(rng):
    def lawful(n):
        level = rng.integers(0, 3, n)
        return pd.DataFrame({"level": level.astype(str), "same": np.array(["x", "y", "z"])[level], "u": rng.random(n)})

    outcome = inference(scene_of(lawful(200), lawful(200), lawful(200)), ["same"], ["level"])
    assert outcome.attack.rate == outcome.control.rate == 1.0
    assert outcome.baseline < 0.6


def test_numbers_may_be_off_by_a_twentieth_of_their_range():
    (rows,) = align(table=pd.DataFrame({"x": np.arange(101) / 2, "c": list("ab") * 50 + ["a"]}))
    scale = rows["x"]  # the middle 90 % are 45 wide: the tolerance is 2.25
    truth = np.array([10.0, 10.0, 10.0, np.nan, np.nan])
    guess = np.array([12.25, 12.3, np.nan, np.nan, 1.0])
    assert is_close(truth, guess, rows.column("x"), scale).tolist() == [True, False, False, True, False]
    assert is_close(np.array([0, 1]), np.array([0, 0]), rows.column("c"), rows["c"]).tolist() == [True, False]
    assert is_close(truth, truth, rows.column("x"), np.full(3, np.nan)).all()
