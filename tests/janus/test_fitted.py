"""State that the methods of a fitted model share: plans of recent requests, and seeds of samples."""

from __future__ import annotations

import numpy as np
import pandas as pd

from janus_synth import Janus
from janus_synth.janus.fitted import MAX_PLANS
from model.tables import mixed


def test_samples_without_a_seed_differ_and_begin_anew_after_a_fit():
    rows = mixed(60)
    model = Janus(random_state=0).fit(rows)
    first, second = model.sample(20), model.sample(20)
    assert not first.equals(second)
    model.fit(rows)
    assert model.sample(20).equals(first)
    assert model.sample(20).equals(second)


def test_a_generator_as_random_state_is_read_by_every_sample():
    draws = [Janus(random_state=np.random.default_rng(5)).fit(mixed(60)) for _ in range(2)]
    first, again = ([model.sample(20), model.sample(20)] for model in draws)
    assert not first[0].equals(first[1])
    assert all(one.equals(other) for one, other in zip(first, again, strict=True))


def test_only_the_plans_of_the_last_requests_are_kept():
    rows = pd.DataFrame({"a": np.arange(200) % 40, "b": np.arange(200) % 7})
    model = Janus(random_state=0).fit(rows)
    for least in range(MAX_PLANS + 1):
        model.sample(1, where=f"a >= {least}", random_state=0)
    kept = list(model._plans)
    assert len(kept) == MAX_PLANS
    model.sample(1, where=f"a >= {MAX_PLANS}", random_state=0)
    assert list(model._plans) == kept
