"""Rules of a model: reported on the training rows, kept in files, updates and merges."""

from __future__ import annotations

import warnings

import pandas as pd
import pytest

from janus_synth import Janus, fixed_combinations, holds
from janus_synth.errors import DataError
from rules.offers import RULE, offers_frame


@pytest.fixture(scope="module")
def offers() -> pd.DataFrame:
    return offers_frame()


def test_broken_rules_are_reported_with_their_share(offers):
    broken = int((~holds(RULE, offers)).sum())
    with pytest.warns(UserWarning, match=rf"{broken} of 800 rows .* break the rule") as caught:
        model = Janus(rules=RULE, random_state=0).fit(offers)
    assert caught[0].filename == __file__
    assert model.n_rows_ == 800
    assert holds(RULE, model.sample(2_000)).all()


def test_rules_that_nulls_break_say_so(offers):
    with pytest.warns(UserWarning, match="by a missing value"):
        model = Janus(rules="offered >= requested", random_state=0).fit(offers)
    assert model.sample(500)["offered"].notna().all()


def test_rows_that_break_a_rule_are_dropped_or_an_error(offers):
    with pytest.warns(UserWarning, match="Learning from the other"):
        model = Janus(rules=RULE, on_violation="drop", random_state=0).fit(offers)
    assert model.n_rows_ == holds(RULE, offers).sum()
    with pytest.raises(DataError, match="break the rule"):
        Janus(rules=RULE, on_violation="error").fit(offers)
    with pytest.raises(DataError, match="No row keeps all rules"):
        Janus(rules="offered < requested - 50_000", on_violation="drop").fit(offers)
    with pytest.raises(ValueError, match="on_violation is 'ask'"):
        Janus(rules=RULE, on_violation="ask").fit(offers)


def test_rules_that_all_rows_satisfy_give_no_warning(offers):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Janus(rules=["requested > 0", fixed_combinations("city", "country")], random_state=0).fit(offers)


def test_rules_are_saved_updated_and_merged(offers, tmp_path):
    rules = [fixed_combinations("city", "country"), RULE]
    with pytest.warns(UserWarning, match="break"):
        model = Janus(rules=rules, random_state=0).fit(offers)
    model.save(tmp_path / "m.janus")
    loaded = Janus.load(tmp_path / "m.janus")
    assert loaded.rules_ == model.rules_
    pd.testing.assert_frame_equal(loaded.sample(300, random_state=2), model.sample(300, random_state=2))
    assert loaded.update(offers).rules_ == model.rules_
    assert model.merge(loaded).rules_ == model.rules_
    assert holds(RULE, loaded.sample(500)).all()


@pytest.mark.parametrize("keep_rare", [False, True])
def test_a_warning_says_that_rare_combinations_are_not_excluded_and_keeping_them_excludes_all(keep_rare):
    pairs = [("a", "x")] * 150 + [("b", "y")] * 150 + [("a", "y")] * 3
    frame = pd.DataFrame(pairs, columns=["one", "other"])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = Janus(rules="not fixed_combinations(one, other)", keep_rare=keep_rare, random_state=0).fit(frame)
    told = [str(each.message) for each in caught if "are not stored" in str(each.message)]
    assert len(told) == (not keep_rare)
    seen = set(zip(*model.sample(200, random_state=0).to_numpy().T, strict=True))
    assert seen == ({("b", "x")} if keep_rare else {("b", "x"), ("a", "y")})
    assert all("1 of them, which fewer than 5 rows have" in text for text in told)
