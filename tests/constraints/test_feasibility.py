"""Feasibility against a list of every row of small tables."""

from __future__ import annotations

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from constraints.small_worlds import rule_lists, worlds
from janus_synth.constraints.feasibility import check_feasible

many = settings(deadline=None, max_examples=300, suppress_health_check=[HealthCheck.too_slow])


@many
@given(st.data())
def test_a_request_is_feasible_if_some_row_satisfies_it(data):
    world = data.draw(worlds())
    rules = data.draw(rule_lists(world))
    rows = world.rows()
    kept = world.kept(rules, rows)
    found = check_feasible(rules, world.schema, world.codec)
    assert found.feasible == kept.any()
    if found.feasible:
        named = {name for rule in rules for name in rule.columns}
        assert found.conflict == () and found.reason == "" and set(found.witness) == named
        assert world.kept(rules, world.row(found.witness)).all()
        for name, (low, high) in found.box.items():
            values = rows[name][kept & ~rows.missing(name)]
            assert ((low <= values) & (values <= high)).all()
        return
    assert found.witness is None and found.reason
    assert not world.kept(found.conflict, rows).any()
    for i in range(len(found.conflict)):
        fewer = found.conflict[:i] + found.conflict[i + 1 :]
        assert world.kept(fewer, rows).any()
