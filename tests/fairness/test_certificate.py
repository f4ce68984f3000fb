"""Certificates and planted tables on their way through files, and what they say."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from fairness.small_tables import (
    LOAN_GRAPH,
    changed,
    kind_model,
    loan_model,
    loans,
    same_columns,
    stage_model,
)
from janus_synth import Janus, __version__
from janus_synth.errors import BiasError, RuleError
from janus_synth.fairness import Bias, Certificate, Planted, plant

DIRECT = Bias("sex", "male", "approved", True, 0.3)


@cache
def planted(name: str = "direct") -> Planted:
    """Some biases, planted."""
    match name:
        case "direct":
            return plant(loan_model(), DIRECT, n=400, effect_units=200, random_state=1)
        case "mediated":
            through = Bias("sex", "male", "approved", True, 0.1, path="school", subgroup="region == 'south'")
            return plant(loan_model(), through, n=900, effect_units=200, where="race != 'red'")
        case "kinds":
            biases = [
                Bias("member", True, "passed", 1, 0.3),
                Bias("age", (18, 40), "pay", (30_000, 1e6), 0.1),
                Bias(["age", "member"], {"age": (18, 40), "member": True}, "note", "good", -0.3),
            ]
            return plant(kind_model(), biases, n=500, effect_units=200)
        case "stages":
            biases = [Bias("sex", "male", outcome, True, 0.2) for outcome in ("hired", "screened")]
            return plant(stage_model(), biases, n=400, effect_units=200, baseline="neutral")
        case "polars":
            model = Janus(structure=LOAN_GRAPH, random_state=0).fit(pl.from_pandas(loans(1_500)))
            return plant(model, DIRECT, n=400, effect_units=0)
        case "one group only":
            return plant(loan_model(), DIRECT, n=200, effect_units=50, where="sex == 'female'")
        case "dates":
            rng = np.random.default_rng(0)
            days = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 700, 1_200), unit="D")
            table = pd.DataFrame({"group": rng.choice(["a", "b"], 1_200), "day": days})
            span = (pd.Timestamp("2020-03-01"), pd.Timestamp("2020-12-31"))
            model = Janus(structure=[("group", "day")], random_state=0).fit(table)
            return plant(model, Bias("group", "a", "day", span, 0.2), n=300, effect_units=50)
    raise KeyError(name)


EVERY = ["direct", "mediated", "kinds", "stages", "polars", "one group only", "dates"]


def refuse(text: str) -> float:
    """What strict readers do with NaN."""
    raise ValueError(f"{text} is no JSON")


@pytest.mark.parametrize("name", EVERY)
def test_certificates_come_back_from_json_equal(name):
    certificate = planted(name).certificate
    again = Certificate.from_json(certificate.to_json())
    assert again == certificate
    assert again.to_json() == certificate.to_json()
    assert str(again) == str(certificate)


@pytest.mark.parametrize("name", EVERY)
def test_certificates_are_json_that_any_reader_understands(name):
    read = json.loads(planted(name).certificate.to_json(), parse_constant=refuse)
    assert read["format"] == "janus fairness certificate"
    assert read["format_version"] == 1
    assert read["version"] == __version__


def test_a_certificate_says_what_was_planted_where_and_how():
    certificate = planted("mediated").certificate
    assert certificate.outcome == "approved"
    assert certificate.n_rows == 900
    assert certificate.baseline == "fair"
    assert certificate.where == ("race != 'red'",)
    assert set(certificate.graph) == set(LOAN_GRAPH)
    assert set(certificate.features["approved"]) == {"sex", "race", "region", "school"}
    record = certificate.record_of("approved")
    assert record.asked == 0.1
    assert (record.privileged, record.favourable) == ("sex == 'male'", "approved")
    assert planted("stages").certificate.rules == tuple(map(str, stage_model().rules_))


def test_rates_are_shares_in_the_frames():
    for name in ("direct", "mediated"):
        made = planted(name)
        rates = {rate.group: rate for rate in made.certificate.rates}
        for group, women in (("sex == 'male'", False), ("sex != 'male'", True)):
            among = (made.fair["sex"] == "female") == women
            assert rates[group].n == among.sum()
            assert rates[group].fair == pytest.approx(made.fair["approved"][among].mean())
            assert rates[group].biased == pytest.approx(made.frame["approved"][among].mean())


def test_a_certificate_reads_well():
    text = str(planted().certificate)
    record = planted().certificate.records[0]
    assert "400 rows" in text
    assert str(DIRECT) in text
    assert f"requested 0.3, realised {record.realised:.6g}: {record.n_turned:,} of {record.n_eligible:,}" in text
    assert "effect of sex on approved" in text
    assert "through school" in str(planted("mediated").certificate)


def test_the_last_bias_of_an_outcome_speaks_for_it_and_others_are_refused():
    made = planted("kinds")
    assert {record.bias.outcome for record in made.certificate.records} == {"passed", "pay", "note"}
    assert made.certificate.record_of("pay").bias.protected == ("age",)
    assert made.certificate.effect_of("note").protected == ("age", "member")
    assert made.certificate.effect_of("passed").protected == ("member",)
    with pytest.raises(BiasError, match="no bias on 'grade' was planted; there is one on .*'passed'"):
        made.certificate.record_of("grade")
    with pytest.raises(BiasError, match="no bias on 'grade'"):
        made.favoured("grade")


def test_masks_are_those_of_plain_pandas():
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
    """Both frames, types included."""
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


def test_nothing_planted_comes_back_too():
    made = plant(loan_model(), DIRECT.of(0), n=50, effect_units=0)
    assert list(made.to_frame()) == [*loans(1), "turned"]
    same_frames(Planted.from_frame(made.to_frame(), made.certificate), made)


def test_columns_whose_names_begin_like_ours_are_kept_or_refused():
    """A column that did not differ has no fair twin, and its own namesake is not taken for one."""
    table = loans(1_500).assign(fair_region=np.where(np.arange(1_500) % 2, "a", "b"))
    made = plant(Janus(structure=LOAN_GRAPH, random_state=0).fit(table), DIRECT, n=100, effect_units=0)
    same_frames(Planted.from_frame(made.to_frame(), made.certificate), made)


@pytest.mark.parametrize("name", ["turned", "fair_approved"])
def test_columns_whose_names_are_taken_are_refused(name):
    table = loans(1_500).assign(**{name: np.where(np.arange(1_500) % 2, "a", "b")})
    made = plant(Janus(structure=LOAN_GRAPH, random_state=0).fit(table), DIRECT, n=100, effect_units=0)
    with pytest.raises(BiasError, match=f"has a column '{name}' already; rename it"):
        made.to_frame()


def test_frames_that_do_not_belong_are_refused():
    made = planted()
    with pytest.raises(BiasError, match="has no column 'turned'"):
        Planted.from_frame(made.frame, made.certificate)
    with pytest.raises(BiasError, match="has 399 rows, but its certificate is about 400"):
        Planted.from_frame(made.to_frame().head(399), made.certificate)


def written(**change: Any) -> str:
    """The text of a certificate with parts of it replaced."""
    return json.dumps({**json.loads(planted().certificate.to_json()), **change})


FOREIGN = {
    "nothing": ("", "it is not JSON"),
    "prose": ("a certificate", "it is not JSON"),
    "cut off": ('{"format": "janus fairness cert', "it is not JSON"),
    "a list": ("[1, 2]", "not a certificate of planted bias"),
    "a number": ("3", "not a certificate of planted bias"),
    "an empty object": ("{}", "not a certificate of planted bias"),
    "another format": ('{"format": "other", "format_version": 1}', "not a certificate of planted bias"),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_foreign_texts_are_refused(name):
    text, says = FOREIGN[name]
    with pytest.raises(BiasError, match=says):
        Certificate.from_json(text)


def test_certificates_of_the_future_are_refused():
    for version in (2, None, "1"):
        with pytest.raises(BiasError, match=f"has format {version!r}; this release reads 1"):
            Certificate.from_json(written(format_version=version))


@pytest.mark.parametrize(
    "name",
    [
        *("records", "rates", "effects", "n_rows", "n_turned", "n_changed", "baseline"),
        *("seed", "version", "rules", "where", "graph", "features"),
    ],
)
def test_certificates_that_lack_a_part_are_damaged(name):
    parts = json.loads(planted().certificate.to_json())
    del parts[name]
    with pytest.raises(BiasError, match="damaged"):
        Certificate.from_json(json.dumps(parts))


@pytest.mark.parametrize(
    "change",
    [
        {"more": 1},
        {"records": 3},
        {"records": [3]},
        {"records": [{}]},
        {"records": []},
        {"records": None},
        {"rates": [{"outcome": "approved"}]},
        {"effects": [{"protected": "sex"}]},
        {"effects": [1]},
        {"graph": [["sex"]]},
        {"graph": 3},
        {"features": None},
        {"features": ["sex"]},
        {"features": {"approved": 3}},
        {"rules": 3},
        {"n_rows": "many"},
        {"n_rows": None},
    ],
    ids=str,
)
def test_certificates_with_wrong_parts_are_damaged(change):
    with pytest.raises(BiasError, match="damaged"):
        Certificate.from_json(written(**change))


@pytest.mark.parametrize(
    "change",
    [
        {"magnitude": 3},
        {"magnitude": "x"},
        {"subgroup": "age >"},
        {"favourable": None},
        {"privileged": {"a": 1}},
        {"x": 1},
    ],
    ids=str,
)
def test_certificates_with_impossible_biases_are_damaged(change):
    records = json.loads(planted().certificate.to_json())["records"]
    records[0]["bias"].update(change)
    with pytest.raises(BiasError, match="damaged"):
        Certificate.from_json(written(records=records))


def test_a_rule_that_no_longer_reads_is_named_when_it_is_asked():
    records = json.loads(planted().certificate.to_json())["records"]
    records[0]["favourable"] = "approved =="
    certificate = Certificate.from_json(written(records=records))
    with pytest.raises((BiasError, RuleError), match="approved =="):
        Planted(planted().frame, planted().fair, certificate).favoured()


def test_a_page_shows_the_figures_and_nothing_of_the_data_as_markup():
    table = loans(1_500).replace({"male": "<b>male</b>"})
    model = Janus(structure=LOAN_GRAPH, random_state=0).fit(table)
    bias = Bias("sex", "<b>male</b>", "approved", True, 0.3)
    certificate = plant(model, bias, n=300, effect_units=50).certificate
    page = certificate.to_html()
    assert "<b>male</b>" not in page
    assert "&lt;b&gt;male&lt;/b&gt;" in page
    assert str(certificate.records[0].n_turned) in page
    assert certificate.to_html() == page
    for name in EVERY:
        assert "<html" in planted(name).certificate.to_html()
