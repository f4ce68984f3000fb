"""Links for a fit: background knowledge is kept, rules suggest what rows keep, differences stay in their domain."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus, datasets, holds
from janus_synth.coordinates import Link, Lookup, Sum
from janus_synth.model.fit import FitSettings
from janus_synth.model.links import choose_for_fit, domain_rules, without_rare_keys
from janus_synth.rules import as_rules
from janus_synth.table import read_table

RNG = np.random.default_rng(0)
A, B = RNG.poisson(9, 400), RNG.poisson(4, 400)
FRAME = pd.DataFrame({"a": A, "b": B, "t": A + B})


def chosen(frame: pd.DataFrame = FRAME, rules: tuple[str, ...] = (), *, find: bool = True, **settings) -> set[str]:
    table = read_table(frame, {name: {"kind": "numeric"} for name in frame})
    return {link.column for link in choose_for_fit(table, as_rules(list(rules)), FitSettings(**settings), find=find)}


def test_background_knowledge_is_kept():
    assert chosen() == {"t"}
    assert chosen(structure=[("a", "t"), ("b", "t")]) == {"t"}
    assert chosen(structure=[("a", "b")]) == set()
    assert "t" not in chosen(tiers=[["t"], ["a", "b"]])
    assert "t" not in chosen(forbidden=[("a", "t")])
    assert "t" not in chosen(required=[("t", "a")])


def test_rules_suggest_links_as_far_as_rows_keep_them():
    assert chosen(rules=("t == a + b",), find=False) == {"t"}
    assert chosen(FRAME.assign(t=FRAME["t"] + (np.arange(400) == 5)), rules=("t == a + b",), find=False) == {"t"}
    assert chosen(FRAME.assign(t=FRAME["t"] + 1), rules=("t == a + b",), find=False) == set()


def test_a_rule_that_some_rows_break_does_not_move_the_others():
    """As a condition of columns that are learnt apart, the equation was met by balances of zero only."""
    rng = np.random.default_rng(1)
    n = 3_000
    asked = rng.integers(40, 1_600, n) * 25
    paid = np.where(rng.random(n) < 0.1, asked, np.round(asked * rng.beta(1, 6, n), 2))
    balance = np.where(np.arange(n) < 4, 0.0, np.round(asked - paid, 2))
    loans = pd.DataFrame({"asked": asked, "balance": balance, "paid": paid})
    rule = "asked == balance + paid"
    with pytest.warns(UserWarning, match=r"rows \(0\.1\d%\) break the rule"):
        model = Janus(rules=rule, random_state=0).fit(loans)
    assert [str(link) for link in model.links_] == ["paid = asked - balance in part of the rows"]
    rows = model.sample(5_000, random_state=1)
    assert holds(rule, rows).all()
    assert (rows["balance"] == 0).mean() == pytest.approx((balance == 0).mean(), abs=0.036)  # a false alarm in 10^6
    for name in loans:
        margin = 5 * loans[name].std() * np.sqrt(1 / n + 1 / 5_000)  # a false alarm in 10^6; zeros were off by 30
        assert rows[name].mean() == pytest.approx(loans[name].mean(), abs=margin)


def test_differences_stay_in_their_domain():
    table = read_table(FRAME, {name: {"kind": "numeric"} for name in FRAME})
    link = Link("b", Sum((("t", 1.0), ("a", -1.0)), decimals=0))
    assert [str(rule) for rule in domain_rules((link,), table.schema, None)] == ["b >= 0"]
    assert domain_rules((Link("t", Sum((("a", 1.0), ("b", 1.0)), decimals=0)),), table.schema, None) == ()
    rows = Janus(links=(link,), random_state=0, n_trees=2).fit(FRAME).sample(2_000, random_state=0)
    assert holds("b >= 0 and t == a + b", rows).all()


def test_a_difference_of_columns_with_nulls_is_null_as_often():
    """That a difference is not negative must not forbid nulls, nor may an end that the user declared."""
    rng = np.random.default_rng(0)
    used = pd.Series(rng.integers(0, 30, 1_000)).astype(float).mask(rng.random(1_000) < 0.3)
    frame = pd.DataFrame({"start": rng.integers(40, 90, 1_000), "used": used})
    frame["rest"] = frame["start"] - used
    for schema in (None, {"rest": {"low": 0.0}}):
        model = Janus(random_state=0, schema=schema).fit(frame)
        assert [str(link) for link in model.links_] == ["rest = start - used"]
        rows = model.sample(2_000, random_state=0)
        assert (rows["rest"].isna() == rows["used"].isna()).all()
        margin = 4.9 * np.sqrt(0.3 * 0.7 * (1 / 1_000 + 1 / 2_000))  # a false alarm in 10^6
        assert rows["rest"].isna().mean() == pytest.approx(used.isna().mean(), abs=margin)
        assert (rows["rest"].dropna() >= 0).all()


def returns(n: int = 3_000, seed: int = 0) -> pd.DataFrame:
    """Sales, of which those that came back have a refund of the total and a day of return; others have neither."""
    rng = np.random.default_rng(seed)
    net = rng.lognormal(3, 1, n).round(2)
    frame = pd.DataFrame({"net": net, "shipping": np.where(net > 50, 0.0, 4.99), "count": rng.integers(1, 5, n)})
    frame["total"] = (frame["net"] + frame["shipping"]).round(2)
    frame["status"] = rng.choice(["kept", "returned"], n, p=[0.8, 0.2])
    came_back = frame["status"] == "returned"
    frame["refund"] = frame["total"].where(came_back)
    frame["label_cost"] = (frame["count"] * 2.5).where(came_back)
    return frame


def test_what_is_null_in_part_of_the_rows_is_computed_in_the_others(tmp_path):
    frame = returns()
    for rules in ((), "discover"):
        model = Janus(rules=rules, random_state=0).fit(frame)
        assert {"refund = total, or null", "label_cost = 2.5 * count, or null"} <= {str(link) for link in model.links_}
        rows = model.sample(6_000, random_state=1)
        assert holds("refund is null or refund == total", rows).all()
        assert holds("label_cost is null or label_cost == 2.5 * count", rows).all()
        margin = 4.9 * np.sqrt(0.2 * 0.8 * (1 / 3_000 + 1 / 6_000))  # a false alarm in 10^6
        assert rows["refund"].notna().mean() == pytest.approx(frame["refund"].notna().mean(), abs=margin)
        assert (rows["refund"].notna() == (rows["status"] == "returned")).mean() > 0.995
    rare = model.sample(100, where="refund >= 90 and count == 3", random_state=0)
    assert holds("refund >= 90 and refund == total and count == 3", rare).all()
    found = model.probability("refund >= 40", random_state=0)
    counted = (model.sample(100_000, random_state=2)["refund"] >= 40).mean()
    assert found.low - 0.004 <= counted <= found.high + 0.004
    assert not model.check("refund > total")
    assert np.isfinite(model.log_prob(frame)).mean() > 0.97
    model.save(tmp_path / "m.janus")
    again = Janus.load(tmp_path / "m.janus")
    assert again.links_ == model.links_
    pd.testing.assert_frame_equal(again.sample(50, random_state=3), model.sample(50, random_state=3))


def test_a_known_refund_is_the_total():
    """The refund is the total, and the total a sum: all three follow from what is known of any."""
    frame = returns()
    frame["shipping"] = np.random.default_rng(1).gamma(2, 3, len(frame)).round(2)
    frame["total"] = (frame["net"] + frame["shipping"]).round(2)
    frame["refund"] = frame["total"].where(frame["status"] == "returned")
    model = Janus(random_state=0).fit(frame)
    filled = model.complete(pd.DataFrame({"refund": [30.0] * 50}), random_state=0)
    assert (filled["total"] == 30.0).all()
    assert ((filled["net"] + filled["shipping"]).round(2) == 30.0).all()
    changed = model.set_params(trust_graph=True).do({"total": 50.0}).sample(500, random_state=0)
    assert set(changed["refund"].dropna()) == {50.0}


def test_a_chain_of_balances_keeps_its_distribution_under_its_rules():
    """No bill is below the one before minus what was paid. As conditions, such rules took a third off the bills."""
    ledger = datasets.ledger(3_000, random_state=0)
    rules = [f"bill_{k} >= bill_{k + 1} - payment_{k}" for k in range(1, 6)]
    model = Janus(rules=rules, random_state=0).fit(ledger)
    assert [link.column for link in model.links_ if link.gap] == [f"bill_{k}" for k in range(1, 6)]
    rows = model.sample(5_000, random_state=0)
    for k in range(1, 6):
        assert holds(rules[k - 1], rows).all()
        bill = ledger[f"bill_{k}"]
        margin = 5 * bill.std() * np.sqrt(1 / 3_000 + 1 / 5_000) + 0.03 * bill.mean()  # chance, and a model's own error
        assert rows[bill.name].mean() == pytest.approx(bill.mean(), abs=margin)


def test_links_can_be_switched_off():
    assert Janus(links="off", random_state=0, n_trees=1).fit(FRAME).links_ == ()
    assert len(Janus(links="auto", random_state=0, n_trees=1).fit(FRAME).links_) == 1


def test_keys_of_few_rows_are_not_looked_up():
    frame = pd.DataFrame({"key": [1] * 20 + [2] * 20 + [99], "value": [10.0] * 20 + [20.0] * 20 + [77.25]})
    table = read_table(frame, {name: {"kind": "numeric"} for name in frame})
    link = Link("value", Lookup("key", (1.0, 2.0, 99.0), (10.0, 20.0, 77.25)))
    (kept,) = without_rare_keys((link,), table, 5)
    assert (kept.formula.known, kept.formula.values) == ((1.0, 2.0), (10.0, 20.0))
    assert without_rare_keys((link,), table, 1) == (link,)
    assert without_rare_keys((link,), table, 50) == ()


def test_a_long_tail_does_not_end_at_the_last_known_key():
    """Fares go up by steps of the distance; few rides are long, and each of those distances has few rows."""
    rng = np.random.default_rng(0)
    km = rng.lognormal(1.3, 0.7, 3_000).round(1)
    frame = pd.DataFrame({"km": km, "fare": (3 + 0.7 * np.floor(5 * km)).round(2)})
    model = Janus(random_state=0).fit(frame)
    assert model.links_ == ()
    rows = model.sample(20_000, random_state=1)
    for share in (0.95, 0.99, 0.995):
        assert rows["fare"].quantile(share) == pytest.approx(frame["fare"].quantile(share), rel=0.2)  # was a half
    few = pd.DataFrame({"grade": rng.integers(1, 6, 3_000)})
    few["pay"] = few["grade"].map({1: 1_500, 2: 1_700, 3: 2_600, 4: 2_650, 5: 9_000})
    assert [str(link) for link in Janus(random_state=0).fit(few).links_] == ["pay = looked up by grade"]
