"""Planted tables: masks, both worlds in one frame, and round trips through frames and files."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from fairness.planted_tables import DIRECT, EVERY, planted
from fairness.small_tables import (
    LOAN_GRAPH,
    changed,
    loan_model,
    loans,
    same_columns,
)
from janus_synth import Janus
from janus_synth.errors import BiasError, RuleError
from janus_synth.fairness import Certificate, Planted, plant


def test_masks_equal_plain_pandas():
    made = planted("kinds")
    fair, frame = made.fair, made.frame
    assert (made.favoured("passed") == (frame["passed"] == 1)).all()
    assert (made.favoured("passed", fair=True) == (fair["passed"] == 1)).all()
    assert (made.privileged("pay") == frame["age"].between(18, 40)).all()
    assert (made.hit("pay") == ~frame["age"].between(18, 40)).all()
    no_member = (frame["member"] == False).fillna(False).to_numpy(bool)  # noqa: E712
    assert (made.hit("note") == (no_member & (frame["age"] > 40))).all()
    turned = np.zeros(len(frame), bool)
    for favoured in (lambda rows: rows["passed"] == 1, lambda rows: rows["pay"] >= 30_000):
        turned |= (favoured(fair) != favoured(frame)).to_numpy()
    turned |= (fair["note"] == "good").to_numpy() != (frame["note"] == "good").to_numpy()
    assert (made.turned == turned).all()


@pytest.mark.parametrize("name", ["direct", "mediated", "kinds", "stages", "dates"])
def test_the_whole_frame_holds_both_worlds(name):
    made = planted(name)
    whole = made.to_frame()
    assert (whole["turned"] == made.turned).all()
    same = same_columns(made.fair, made.frame)
    kept = [*made.frame, "turned", *(f"fair_{column}" for column in made.frame if column not in same)]
    assert list(whole) == kept
    for column in made.fair:
        before = whole.get(f"fair_{column}", whole[column])
        assert not changed(before, made.fair[column]).any()


def same_frames(one: Planted, other: Planted) -> None:
    """Assert that both frames are equal, dtypes included."""
    for mine, others in ((one.frame, other.frame), (one.fair, other.fair)):
        if isinstance(mine, pl.DataFrame):
            assert mine.equals(others)
            assert mine.schema == others.schema
        else:
            pd.testing.assert_frame_equal(mine, others)


@pytest.mark.parametrize("name", EVERY)
def test_planted_tables_come_back_from_their_frame(name):
    made = planted(name)
    same_frames(Planted.from_frame(made.to_frame(), made.certificate), made)


@pytest.mark.parametrize("name", EVERY)
def test_planted_tables_come_back_from_parquet(name, tmp_path):
    made, path = planted(name), tmp_path / "planted.parquet"
    (tmp_path / "certificate.json").write_text(made.certificate.to_json(), encoding="utf-8")
    whole = made.to_frame()
    if isinstance(whole, pl.DataFrame):
        whole.write_parquet(path)
        read: Any = pl.read_parquet(path)
    else:
        whole.to_parquet(path)
        read = pd.read_parquet(path)
    certificate = Certificate.from_json((tmp_path / "certificate.json").read_text(encoding="utf-8"))
    same_frames(Planted.from_frame(read, certificate), made)


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("reader", ["pandas", "polars"])
def test_planted_tables_mean_the_same_after_csv(name, reader, tmp_path):
    made, path = planted(name), tmp_path / "planted.csv"
    whole = made.to_frame()
    if isinstance(whole, pl.DataFrame):
        whole.write_csv(path)
    else:
        whole.to_csv(path, index=False)
    dates = [column for column in made.to_frame().columns if column.endswith("day")]
    read = pd.read_csv(path, parse_dates=dates) if reader == "pandas" else pl.read_csv(path, try_parse_dates=True)
    again = Planted.from_frame(read, Certificate.from_json(made.certificate.to_json()))
    assert list(again.frame.columns) == list(made.frame.columns)
    assert (again.turned == made.turned).all()
    for record in made.certificate.records:
        outcome = record.bias.outcome
        for ask in ("favoured", "privileged", "hit"):
            for fair in (False, True):
                mine, others = (getattr(one, ask)(outcome, fair=fair) for one in (made, again))
                assert (mine == others).all(), (ask, outcome, fair)


def test_a_table_without_a_bias_survives_the_round_trip():
    made = plant(loan_model(), DIRECT.of(0), n=50, effect_units=0)
    assert list(made.to_frame()) == [*loans(1), "turned"]
    same_frames(Planted.from_frame(made.to_frame(), made.certificate), made)


def test_columns_named_like_those_of_the_fair_world_are_kept_or_raise():
    """An unchanged column has no fair twin, and a user's column with the twin's name is not mistaken for one."""
    table = loans(1_500).assign(fair_region=np.where(np.arange(1_500) % 2, "a", "b"))
    made = plant(Janus(structure=LOAN_GRAPH, random_state=0).fit(table), DIRECT, n=100, effect_units=0)
    same_frames(Planted.from_frame(made.to_frame(), made.certificate), made)


@pytest.mark.parametrize("name", ["turned", "fair_approved"])
def test_columns_whose_names_are_taken_are_refused(name):
    table = loans(1_500).assign(**{name: np.where(np.arange(1_500) % 2, "a", "b")})
    made = plant(Janus(structure=LOAN_GRAPH, random_state=0).fit(table), DIRECT, n=100, effect_units=0)
    with pytest.raises(BiasError, match=f"has a column '{name}' already; rename it"):
        made.to_frame()


def test_frames_that_do_not_match_the_certificate_raise():
    made = planted()
    with pytest.raises(BiasError, match="has no column 'turned'"):
        Planted.from_frame(made.frame, made.certificate)
    with pytest.raises(BiasError, match="has 399 rows, but its certificate is about 400"):
        Planted.from_frame(made.to_frame().head(399), made.certificate)


def test_a_rule_that_can_no_longer_be_parsed_is_named_when_used():
    written = json.loads(planted().certificate.to_json())
    written["records"][0]["favourable"] = "approved =="
    certificate = Certificate.from_json(json.dumps(written))
    with pytest.raises((BiasError, RuleError), match="approved =="):
        Planted(planted().frame, planted().fair, certificate).favoured()
