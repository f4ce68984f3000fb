"""Messages: on a chain with one tree per column they equal exact belief propagation."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus
from janus_synth.kernels.dtypes import CODE, UNKNOWN
from janus_synth.sampling import plan_for
from janus_synth.sampling.proposals.messages import message_trees
from sampling.small_models import small_model


def chain(n: int = 3_000) -> pd.DataFrame:
    """x → y → z, each of four levels, nearly a copy of the one before."""
    rng = np.random.default_rng(0)
    x = rng.integers(0, 4, n)
    y = np.where(rng.random(n) < 0.7, x, rng.integers(0, 4, n))
    z = np.where(rng.random(n) < 0.7, y, rng.integers(0, 4, n))
    return pd.DataFrame({name: np.array(list("pqrs"))[codes] for name, codes in (("x", x), ("y", y), ("z", z))})


def test_values_are_proportional_to_the_probability_of_the_evidence():
    """P(z = s | y) and P(z = s | x) by plain counts; the value trees may differ by a factor and by smoothing."""
    frame = chain()
    janus = Janus(structure=[("x", "y"), ("y", "z")], n_trees=1, random_state=0).fit(frame)
    plan = plan_for(janus.model_, "z == 's'")
    found = message_trees(plan.request, plan.pilot.rows)
    x, y, z = (plan.request.columns.index(name) for name in "xyz")
    assert set(found.initial) == {y, z}
    levels = janus.schema_["y"].levels
    for parent, settled, of in ((y, z, "y"), (x, y, "x")):
        (tree,) = [one for one in found.trees[parent] if one.settled_by == settled]
        codes = np.full((3, 4), UNKNOWN, CODE)
        codes[parent] = np.arange(4)
        value = np.exp(tree.log_values(codes))
        chance = np.array([(frame["z"][frame[of] == level] == "s").mean() for level in levels])
        np.testing.assert_allclose(value / value.max(), chance / chance.max(), atol=0.03)


@pytest.mark.parametrize("structure", ["dense", "sparse"])
def test_a_rule_about_columns_without_parents_sends_no_message(structure):
    plan = plan_for(small_model(structure).model_, "a >= 2")
    found = message_trees(plan.request, plan.pilot.rows)
    assert found.initial == {}
    assert found.trees == {}


def test_initial_values_are_means_over_unconstrained_rows():
    plan = plan_for(small_model("sparse").model_, "f >= 6 and c == 'z'")
    found = message_trees(plan.request, plan.pilot.rows)
    assert found.initial
    nothing = np.full((len(plan.request.columns.names), 1), UNKNOWN, CODE)
    for trees in found.trees.values():
        for tree in trees:
            assert np.log(found.initial[tree.settled_by]) == pytest.approx(tree.log_values(nothing)[0])
