"""Every rule that people asked for can be said, and every row keeps it (docs/rules-asked-for.md)."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from asked_rules import ASKED, visits
from janus_synth import Janus

PAGE = Path(__file__).parent.parent / "docs" / "rules-asked-for.md"
N_ROWS = 40


@pytest.fixture(scope="module")
def model() -> Janus:
    learnt = [asked.rule for asked in ASKED if asked.learnt]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # columns without any relation
        return Janus(rules=learnt, n_trees=1, links="off", random_state=0).fit(visits())


@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: asked.where[0])
def test_every_row_keeps_the_rule(asked, model):
    rows = model.sample(N_ROWS, where=None if asked.learnt else asked.rule, random_state=1)
    assert len(rows) == N_ROWS
    assert asked.holds(rows).astype(bool).all(), asked.rule
    assert not asked.holds(visits()).astype(bool).all() or asked.learnt or "paid_off" in asked.rule


def test_several_rules_hold_at_once(model):
    some = [asked for asked in ASKED if not asked.learnt][:5]
    rows = model.sample(N_ROWS, where=[asked.rule for asked in some], random_state=2)
    assert all(asked.holds(rows).astype(bool).all() for asked in some)


def test_the_page_shows_every_rule_and_where_it_was_asked_for():
    text = PAGE.read_text()
    for asked in ASKED:
        assert f"`{asked.rule}`" in text, asked.rule
        for where in asked.where:
            repository, number = where.split("#")
            assert f"https://github.com/{repository}/" in text, where
            assert f"/{number})" in text, where
