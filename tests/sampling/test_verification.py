"""Verification: correct rows pass; rows that lack a branch or are biased fail."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from janus_synth import Janus
from janus_synth.errors import VerificationError
from janus_synth.rules import as_rules
from janus_synth.sampling import plan_for, sample_conditional, verify_rows
from janus_synth.sampling.verification import _references
from sampling.small_models import small_model

RARE = "(a == 0 and b == 0 and f == 3) or (a == 3 and b == 3 and d == 3 and f == 8)"
REQUESTS = [RARE, "a == 3 and d == 3 and f <= 5", "(a == 0 and d == 2 and c == 'z') or (a == 3 and d == 3 and f <= 5)"]


@pytest.mark.parametrize("structure", ["dense", "sparse"])
@pytest.mark.parametrize("where", REQUESTS)
def test_rows_of_the_sampler_pass(where, structure):
    rows = small_model(structure).sample(2_000, where=where, verify=True, random_state=1)
    assert len(rows) == 2_000


def test_rows_that_lack_a_branch_fail_verification():
    plan = plan_for(small_model("dense").model_, as_rules(RARE))
    good = sample_conditional(plan, 3_000, seed=0)
    verify_rows(plan, good, seed=0)
    only = good.take(good["a"] == 0)
    with pytest.raises(VerificationError, match="belong to branch") as caught:
        verify_rows(plan, only, seed=0)
    assert min(caught.value.found, 1 - caught.value.found) == pytest.approx(0.0)
    assert 0 < caught.value.expected < 1


def test_a_proposal_that_may_miss_a_region_is_no_reference():
    """Particles that all miss a region have even weights; what other proposals said of the proposal counts."""
    plan = plan_for(small_model("dense").model_, as_rules(RARE))
    sources = []
    for effective in (1.0, 0.001):
        poor = [replace(branch, effective_of_second=effective) for branch in plan.branches]
        vars(plan)["branches"] = tuple(poor)
        sources.append([each.source for each in _references(plan, np.random.default_rng(0), thorough=False)])
    assert "importance weights of another proposal" in sources[0]
    assert "importance weights of another proposal" not in sources[1]


def test_biased_rows_fail_verification():
    plan = plan_for(small_model("dense").model_, as_rules("a == 3 and b == 5 and d is null and f >= 1"))
    good = sample_conditional(plan, 3_000, seed=0)
    verify_rows(plan, good, seed=0, thorough=True)
    order = np.argsort(good["c"], kind="stable")[:1_500]
    with pytest.raises(VerificationError, match="half space"):
        verify_rows(plan, good.take(order), seed=0, thorough=True)


def test_verification_can_be_switched_off_and_does_not_change_the_rows(monkeypatch):
    import janus_synth.janus.rows as api

    calls = []
    monkeypatch.setattr(api, "verify_rows", lambda plan, table, **settings: calls.append(settings["thorough"]))
    model: Janus = small_model("dense")
    tables = [model.sample(50, where=RARE, verify=verify, random_state=0) for verify in (None, True, False)]
    assert calls == [False, True]
    assert tables[0].equals(tables[1])
    assert tables[0].equals(tables[2])
