"""Computed columns through every question: interventions, counterfactuals, predictions, updates, files."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from janus_synth import Janus, holds
from janus_synth.coordinates import Link, Lookup, Sum
from janus_synth.errors import ModelFileError
from model.archives import Archive

N = 800
CITY = dict(zip("abcdef", "XXYYZZ", strict=True))


def orders(n: int = N, seed: int = 0) -> pd.DataFrame:
    """a + b = total; the end is a start plus a gap; a city by zone; a bill that repeats the price in part."""
    rng = np.random.default_rng(seed)
    a, b = rng.poisson(20, n), rng.poisson(10, n)
    start = rng.integers(0, 1000, n)
    gap = rng.integers(1, 30, n)
    zone = rng.choice(list("abcdef"), n)
    price = rng.integers(100, 900, n)
    return pd.DataFrame(
        {
            "a": a,
            "b": b,
            "total": a + b,
            "start": start,
            "end": start + gap,
            "zone": zone,
            "city": pd.Series(zone).map(CITY),
            "price": price,
            "bill": np.where(rng.random(n) < 0.5, price, rng.integers(100, 900, n)),
            "cost": gap * 3 + rng.integers(0, 5, n) + (a + b),
        }
    )


LINKS = (
    Link("total", Sum((("a", 1.0), ("b", 1.0)), decimals=0)),
    Link("end", Sum((("start", 1.0),), decimals=0), gap="end - start"),
    Link("city", Lookup("zone", tuple(map(float, range(6))), (0.0, 0.0, 1.0, 1.0, 2.0, 2.0))),
    Link("bill", Sum((("price", 1.0),), decimals=0), source="bill (source)", own="bill (own)"),
)
HIDDEN = {"end - start", "bill (source)", "bill (own)"}


def fitted(**settings: object) -> Janus:
    return Janus(
        **(
            {"links": LINKS, "n_trees": 2, "random_state": 0, "n_jobs": 1, "trust_graph": True, "keep_rare": True}
            | settings
        )
    ).fit(orders())


@pytest.fixture(scope="module")
def model() -> Janus:
    return fitted()


def keeps_links(rows: pd.DataFrame) -> bool:
    return bool((rows["total"] == rows["a"] + rows["b"]).all() and (rows["city"] == rows["zone"].map(CITY)).all())


# Interventions


def test_a_computed_column_follows_an_intervention_on_an_input(model):
    rows = model.do({"a": 17}).sample(500, random_state=1)
    assert (rows["a"] == 17).all()
    assert keeps_links(rows)
    rows = model.do({"zone": "e"}).sample(200, random_state=1)
    assert (rows["city"] == "Z").all()


def test_an_intervention_on_a_computed_column_cuts_its_definition():
    model = fitted(rules=["total == a + b", "a >= 0"])
    world = model.do({"total": 30})
    rows = world.sample(2_000, random_state=1)
    assert (rows["total"] == 30).all()
    # Its inputs keep their distribution: 6 standard errors of a difference of means.
    before = model.sample(2_000, random_state=2)
    for name in ("a", "b"):
        gap = abs(rows[name].mean() - before[name].mean())
        assert gap < 6 * before[name].std() * np.sqrt(2 / 2_000), name


def test_an_intervention_drops_the_definition_even_if_columns_can_be_null():
    rows = orders().astype({"b": float})
    rows.loc[::9, "b"] = np.nan
    rows["total"] = rows["a"] + rows["b"]
    rules = ["total is null or total == a + b"]
    model = Janus(links=LINKS[:1], rules=rules, n_trees=2, random_state=0, n_jobs=1, trust_graph=True).fit(
        rows[["a", "b", "total"]]
    )
    found = model.do({"total": 30}).sample(500, random_state=0)
    assert (found["total"] == 30).all()
    assert (found["a"] + found["b"] != 30).any()


def test_domains_do_not_hide_rules_from_expressions():
    """Rows keep the rule by the domains of a and b, but not after a is set to a multiple of b."""
    edges = [("b", "a"), ("a", "total"), ("b", "total")]
    rows = orders()[["a", "b", "total"]]
    most = int(rows["a"].max() + rows["b"].max())  # the domains alone guarantee the rule
    assert 3 * rows["b"].max() + rows["b"].max() > most
    model = Janus(links=LINKS[:1], structure=edges, rules=[f"total <= {most}"], n_trees=2, random_state=0).fit(rows)
    rows = model.do({"a": "3 * b"}).sample(500, random_state=0)
    assert (rows["a"] == 3 * rows["b"]).all()
    assert (rows["total"] <= most).all()


def test_effects_pass_through_computed_columns(model):
    found = model.effect("a", "total", [15, 25], n=2_000, random_state=0)
    assert found.effects[-1].value == pytest.approx(10, abs=2)  # a and b are independent


def journeys(n: int, seed: int, end: object = None) -> pd.DataFrame:
    """A structural model: the fee follows the time between start and end, which is drawn unless the end is set."""
    rng = np.random.default_rng(seed)
    start, gap, noise = rng.integers(0, 1000, n), rng.integers(1, 60, n), rng.integers(0, 10, n)
    ends = start + gap if end is None else np.broadcast_to(end(start), n)
    return pd.DataFrame({"start": start, "end": ends, "fee": 5 * (ends - start) + noise})


@pytest.mark.statistical
def test_an_end_that_is_set_moves_what_depends_on_the_gap():
    """Against the structural model; before, the fee kept the mean of free gaps, 155."""
    link = Link("end", Sum((("start", 1.0),), decimals=0), gap="end - start")
    settings = {"structure": "chain", "trust_graph": True, "n_trees": 5, "random_state": 0, "n_jobs": 1}
    model = Janus(links=[link], **settings).fit(journeys(3_000, 0))
    for later in (10, 50):
        rows = model.do({"end": f"start + {later}"}).sample(2_000, random_state=1)
        truth = journeys(2_000, 1, end=lambda start, later=later: start + later)
        assert (rows["end"] - rows["start"] == later).all()
        # 5 standard errors of a mean are 0.3; leaves smooth over a few units of the gap.
        assert rows["fee"].mean() == pytest.approx(truth["fee"].mean(), abs=12)
    moved = model.do({"start": 500}).sample(2_000, random_state=1)
    assert moved["end"].between(501, 560).all()  # the gap stays what it is, the end moves
    assert moved["fee"].mean() == pytest.approx(journeys(2_000, 2)["fee"].mean(), abs=12)


def test_the_gap_of_a_counterfactual_lies_between_its_start_and_its_end():
    link = Link("end", Sum((("start", 1.0),), decimals=0), gap="end - start")
    model = Janus(links=[link], structure="chain", trust_graph=True, n_trees=5, random_state=0).fit(journeys(3_000, 0))
    rows = journeys(200, 3)
    later = model.counterfactual(rows, do={"end": rows["end"] + 20}, random_state=0)
    inner = rows["end"] - rows["start"] <= 35  # gaps beyond 59 were never seen
    gained = (later["fee"] - rows["fee"])[inner]
    assert gained.mean() == pytest.approx(100, abs=10)
    assert (later["start"] == rows["start"]).all()


@pytest.mark.statistical
def test_a_timestamp_that_is_set_has_its_date_and_time_of_day():
    rng = np.random.default_rng(4)
    at = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 60 * 24, 3_000), unit="h")
    at += pd.to_timedelta(rng.integers(0, 60, 3_000), unit="min")
    frame = pd.DataFrame({"at": at, "busy": rng.random(3_000) < np.where(pd.Series(at).dt.hour < 12, 0.1, 0.9)})
    model = Janus(structure="chain", trust_graph=True, n_trees=5, random_state=0, n_jobs=1).fit(frame)
    assert [str(link) for link in model.links_] == ["at = its date + its time of day"]
    for stamp, share in (("2024-01-20 06:00", 0.1), ("2024-01-20 18:00", 0.9)):
        rows = model.do({"at": stamp}).sample(2_000, random_state=0)
        assert (rows["at"] == pd.Timestamp(stamp)).all()
        assert rows["busy"].mean() == pytest.approx(share, abs=0.08)  # 5 standard errors are 0.034


def test_a_world_in_which_an_end_is_set_survives_a_file(tmp_path):
    link = Link("end", Sum((("start", 1.0),), decimals=0), gap="end - start")
    model = Janus(links=[link], structure="chain", trust_graph=True, n_trees=2, random_state=0).fit(journeys(500, 0))
    world = model.do({"end": 700})
    world.save(tmp_path / "world.janus")
    again = Janus.load(tmp_path / "world.janus").sample(50, random_state=3)
    pd.testing.assert_frame_equal(again, world.sample(50, random_state=3))
    assert list(again) == ["start", "end", "fee"]


# Counterfactuals


def test_counterfactual_rows_without_a_change_come_back_unchanged(model):
    rows = orders(200, seed=5)
    same = model.counterfactual(rows, do={"a": rows["a"]}, random_state=0)
    pd.testing.assert_frame_equal(same[rows.columns], rows, check_dtype=False)


def test_computed_columns_follow_in_counterfactuals(model):
    rows = orders(200, seed=5)
    twins = model.counterfactual(rows, do={"a": rows["a"] + 1}, random_state=0)
    assert (twins["total"] == twins["a"] + twins["b"]).all()
    assert (twins["a"] == rows["a"] + 1).all()
    moved = model.counterfactual(rows, do={"start": rows["start"] + 5}, random_state=0)
    assert ((moved["end"] - moved["start"]) >= 1).all()
    set_total = model.counterfactual(rows, do={"total": np.full(200, 31)}, random_state=0)
    assert (set_total["total"] == 31).all()
    assert (set_total["a"] == rows["a"]).all()


# Updates, merges, files


def test_the_order_of_updates_does_not_matter():
    one, other = orders(200, seed=1), orders(300, seed=2)
    first = fitted().update(one).update(other)
    second = fitted().update(other).update(one)
    check = orders(100, seed=3)
    np.testing.assert_array_equal(first.log_prob(check), second.log_prob(check))
    pd.testing.assert_frame_equal(first.sample(200, random_state=0), second.sample(200, random_state=0))


def test_new_keys_of_a_lookup_are_learnt_by_an_update():
    more = orders(400, seed=4).assign(zone="g", city="W")
    model = fitted().update(more)
    rows = model.sample(3_000, random_state=0)
    assert {"g"} <= set(rows["zone"])
    assert (rows["city"] == rows["zone"].map(CITY | {"g": "W"})).all()


def test_rows_that_contradict_a_link_are_warned_of():
    with pytest.warns(UserWarning, match="contradict 'total = a \\+ b'"):
        fitted().update(orders(50, seed=4).assign(total=1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted().update(orders(50, seed=4))


def test_merged_models_know_the_keys_of_both_though_levels_are_numbered_differently():
    one = fitted().update(orders(200, seed=1).assign(zone="g", city="W"), forget=True)
    other = fitted().update(
        pd.concat([orders(100, seed=2).assign(zone="h", city="V"), orders(100, seed=3).assign(zone="g", city="W")]),
        forget=True,
    )
    merged = one.merge(other)
    rows = merged.sample(2_000, random_state=0)
    assert {"g", "h"} <= set(rows["zone"])
    assert (rows["city"] == rows["zone"].map(CITY | {"g": "W", "h": "V"})).all()


def test_a_saved_model_gives_the_same_rows(model, tmp_path):
    path = tmp_path / "model.janus"
    model.save(path)
    again = Janus.load(path)
    assert again.links_ == model.links_
    pd.testing.assert_frame_equal(again.sample(300, random_state=3), model.sample(300, random_state=3))
    where = "total >= 35 and city == 'Z'"
    pd.testing.assert_frame_equal(
        again.sample(100, where=where, random_state=3), model.sample(100, where=where, random_state=3)
    )


def test_damaged_links_are_refused(model, tmp_path):
    path = tmp_path / "model.janus"
    model.save(path)

    def damage(edit) -> None:
        parts = Archive.read(path)
        edit(parts.manifest)
        parts.write(tmp_path / "damaged.janus")
        with pytest.raises(ModelFileError):
            Janus.load(tmp_path / "damaged.janus")

    damage(lambda manifest: manifest.update(links=3))
    damage(lambda manifest: manifest.update(links=[None]))
    damage(lambda manifest: manifest["links"].append(manifest["links"][0]))
    damage(lambda manifest: manifest["links"][0].update(column="nothing"))
    damage(lambda manifest: manifest["links"][0].update(column="cost"))
    damage(lambda manifest: manifest["links"][0]["formula"].update(terms=[["a", 1.0], ["cost", 1.0]]))
    damage(lambda manifest: manifest["links"][0]["formula"].update(terms=[["a", "x"]]))
    damage(lambda manifest: manifest["links"][1].update(gap="cost"))
    damage(lambda manifest: manifest["links"][2]["formula"].update(values=[]))
    damage(lambda manifest: manifest["links"][3].update(source="bill (own)", own="bill (source)"))
    damage(lambda manifest: manifest.update(unlinked=["a"]))


# Measures of cells


def test_uncertainty_names_only_columns_of_the_user(model):
    rows = orders(50, seed=6)
    found = model.uncertainty(rows)
    assert set(found.columns) == set(rows)
    assert (found["total"]["total"] == 0).all()  # it is known once its inputs are
    assert (found["end"]["total"] > 0).all()  # the entropy of its gap


def test_anomaly_scores_name_only_columns_of_the_user(model):
    rows = orders(200, seed=6)
    found = model.anomaly_score(rows, by_column=True)
    assert set(found) == set(rows)
    np.testing.assert_allclose(found.sum(axis=1), model.anomaly_score(rows))
    broken = rows.assign(total=rows["total"] + 1)
    assert (model.anomaly_score(broken, by_column=True)["total"] > found["total"] + 1).all()


def test_explanations_name_the_formula(model):
    assert "a + b" in str(model.explain("total"))


def test_rows_have_no_hidden_columns(model):
    assert not HIDDEN & set(model.sample(5))
    assert holds("total == a + b", model.sample(50, random_state=0)).all()
