"""Evidence trees: groups of tied columns, and predicted probabilities of conditions against enumeration."""

from __future__ import annotations

import numpy as np
import pytest

from janus_synth import holds
from janus_synth.kernels.dtypes import UNKNOWN
from janus_synth.sampling import plan_for
from janus_synth.sampling.particles import score_column
from janus_synth.sampling.proposals import evidence_trees as module
from janus_synth.sampling.proposals.evidence_trees import (
    evidence_trees,
    mean_allowed_mass,
    probabilities_of_condition,
    single_groups,
    tied_groups,
)
from sampling.small_models import every_row, small_model


def names_of(plan, groups) -> set[frozenset[str]]:
    return {frozenset(plan.request.columns.names[column] for column in group) for group in groups}


def test_groups_are_columns_that_rules_tie_together():
    plan = plan_for(small_model("sparse").model_, "b == a + d and c == 'y' and e != 'z'")
    assert names_of(plan, tied_groups(plan.request)) == {frozenset("abd"), frozenset("c"), frozenset("e")}
    assert names_of(plan, single_groups(plan.request)) == {frozenset(name) for name in "abdce"}
    for group in tied_groups(plan.request):
        assert list(group) == [column for column in plan.request.order if column in group]


@pytest.mark.parametrize("structure", ["dense", "sparse"])
def test_a_condition_has_the_probability_of_the_codes_it_allows(structure, monkeypatch):
    """With all trees of the bag, the probability is the sum of the allowed codes' scores given the earlier cells."""
    monkeypatch.setattr(module, "FEW_TREES", 10_000)
    plan = plan_for(small_model(structure).model_, "f >= b + 2")
    request, pilot = plan.request, plan.pilot.rows.take(np.arange(200))
    f = request.columns.index("f")
    x = pilot.x.copy()
    x[f] = UNKNOWN
    found = probabilities_of_condition(request, pilot, x, f)
    walker = request.trees(f)
    shares = walker.shares(walker.leaves(pilot.x), pilot.x)
    values = np.sort(every_row(structure)[0]["f"].unique())
    allowed = values[None, :] >= pilot.values[request.columns.index("b")][:, None] + 2
    np.testing.assert_allclose(found, (shares[:, : len(values)] * allowed).sum(axis=1), rtol=1e-5, atol=1e-9)
    assert found.max() > 0
    score = score_column(request, pilot, f).score
    np.testing.assert_allclose(score.sum(axis=1), found, rtol=1e-5, atol=1e-9)


@pytest.mark.parametrize("structure", ["dense", "sparse"])
@pytest.mark.parametrize("rule", ["f >= b + 2", "c == 'y' and d > 1", "b == a + d"])
def test_the_initial_value_is_near_the_enumerated_probability(rule, structure):
    """The mean over a pilot of at least 1,000 rows lies within a third of the enumerated probability."""
    plan = plan_for(small_model(structure).model_, rule)
    all_rows, shares = every_row(structure)
    truth = shares[holds(rule, all_rows, small_model(structure).schema_)].sum()
    found = evidence_trees(plan.request, plan.pilot.rows, tied_groups(plan.request))
    assert np.prod(list(found.initial.values())) == pytest.approx(truth, rel=0.34)


def test_allowed_mass_is_averaged_over_the_other_columns_of_a_rule():
    plan = plan_for(small_model("dense").model_, "a < d and c != 'x'")
    request, pilot = plan.request, plan.pilot.rows
    names = request.columns.names
    own = mean_allowed_mass(request, pilot, names.index("c"))
    levels = request.model.schema["c"].levels
    assert own[: len(levels)].tolist() == [float(level != "x") for level in levels]
    d, a = names.index("d"), names.index("a")
    values = np.sort(every_row("dense")[0]["d"].dropna().unique())
    smaller = [(pilot.values[a, :512] < value).mean() for value in values]
    np.testing.assert_allclose(mean_allowed_mass(request, pilot, d)[: len(values)], smaller, atol=1e-9)
